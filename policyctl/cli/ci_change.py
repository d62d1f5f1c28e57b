"""The stages of `policyctl ci` that look at both sides: what the change means, what it does to jobs, and the gates."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from policyctl.cli import options
from policyctl.cli.comparing import Replayed
from policyctl.cli.sides import BaseSide, Side, base_policy
from policyctl.cli.stages import Stage, attempt
from policyctl.cli.workload_options import WorkloadOptions
from policyctl.diff.compare import compare
from policyctl.errors import Exit, NoAnswer
from policyctl.govern.facts import facts
from policyctl.govern.gates import Gate, GateOutcome, Unmeasured, gates
from policyctl.impact.facts import impact_facts
from policyctl.model.change import Change, Compared
from policyctl.model.impact import Impact
from policyctl.model.policy import Policy
from policyctl.render import (
    ci_github,
    ci_markdown,
    diff_impact,
    diff_json,
    diff_markdown,
    diff_text,
    gates_json,
    gates_text,
)
from policyctl.units import Instant

__all__ = ["COMMENT", "Both", "both", "compared", "gated", "measured", "with_impact"]

COMMENT: Final = "comment.md"


@dataclass(frozen=True, slots=True, kw_only=True)
class Both:
    """Both sides of the change, read: `nothing_before` where the base has no policy at all.

    `root` is the folder of the base's files as the caller names it, None for a bundle.
    """

    base: BaseSide
    root: Path | None
    nothing_before: bool
    head: Policy
    compared: Compared


def both(before: Side, after: Side, head: Policy, folder: Path, now: Instant) -> Both:
    """Compare the base with a head that is compiled already."""
    base = base_policy(before)
    same = before.files is not None and before.files == after.files
    change = None if base.policy is None else compare(base.policy, head, now=now)
    told = Compared(
        base=before.label,
        head=after.label,
        change=Change() if same else change,
        same_files=same,
        base_errors=0 if same else base.errors,
        left_out=() if same else base.left_out,
    )
    root = before.folder or (None if before.files is None else folder)
    return Both(base=base, root=root, nothing_before=before.files == {}, head=head, compared=told)


def compared(found: Both) -> Stage:
    """Say what the change means."""
    comment = diff_markdown.render(found.compared)
    return Stage(
        name="diff",
        exit=Exit.OK,
        text=diff_text.render(found.compared, colour=options.coloured(), columns=options.columns()),
        markdown=comment,
        reports={COMMENT: comment},
        answer=diff_json.render(found.compared),
    )


def with_impact(found: Both, measured: Replayed | Unmeasured | None) -> Compared:
    """Return what is compared with what was measured of it, or why it was not."""
    match measured:
        case Unmeasured(why=why):
            return dataclasses.replace(found.compared, unmeasured=why)
        case Replayed(impact=impact):
            return dataclasses.replace(found.compared, impact=impact)
        case None:
            return found.compared


def measured(found: Both, replay: WorkloadOptions) -> tuple[Stage, Replayed | Unmeasured | None]:
    """Replay both sides, and say what differs; the comment has it, or why it could not be computed."""
    change = found.compared.change
    if found.nothing_before or (change is not None and change.empty):
        why = "the base has no policy" if found.nothing_before else "nothing changes its meaning"
        return Stage(name="impact", exit=Exit.OK, text=f"{why}, so nothing is replayed\n", why=why), None
    kept: list[Replayed] = []
    stage = attempt("impact", lambda: _replayed(found, replay, kept.append))
    if kept:
        return stage, kept[0]
    why = stage.why or "there is no answer"
    told = dataclasses.replace(found.compared, unmeasured=why)
    return dataclasses.replace(stage, reports={COMMENT: diff_markdown.render(told)}), Unmeasured(why=why)


def _replayed(found: Both, replay: WorkloadOptions, keep: Callable[[Replayed], None]) -> Stage:
    # What replays takes long to load.
    from policyctl.cli.impact import replayed_sides  # noqa: PLC0415

    if found.base.policy is None:
        raise NoAnswer("nothing of the base could be read, so there is no policy to replay under")
    replayed = replayed_sides(found.base.policy, found.head, replay)
    impact = replayed.impact
    told = dataclasses.replace(found.compared, impact=impact)
    stage = Stage(
        name="impact",
        exit=Exit.OK,
        text="".join(f"{line}\n" for line in diff_text.impact_lines(impact)),
        markdown=diff_markdown.impact_section(told),
        reports={COMMENT: diff_markdown.render(told)},
        answer=json.dumps(diff_impact.as_json(impact)),
    )
    keep(replayed)
    return stage


def gated(found: Both, impact: Impact | Unmeasured | None, author: str | None) -> Stage:
    """Say which gates of the base the change runs into.

    Raises NoAnswer where the base cannot be read as a whole: it might lack the very gate that holds.
    """
    change = found.compared.change
    if change is not None and change.empty:
        return _open("nothing changes its meaning, so there is no gate to pass")
    if found.nothing_before:
        return _open("the base has no policy, and so no gates")
    base = found.base.policy
    if base is None or change is None or found.base.left_out:
        raise NoAnswer(
            f"{found.compared.base} has no policy that can be read as a whole, so its gates are unknown",
            help="such a change is merged by whoever administers the repository",
        )
    seen = impact_facts(impact) if isinstance(impact, Impact) else impact
    judged = tuple(
        _placed(one, found.root) for one in gates(base, facts(base, found.head, change, author), seen)
    )
    return Stage(
        name="gates",
        exit=_end(judged),
        text=gates_text.render(judged, colour=options.coloured()),
        markdown=ci_markdown.gates(judged),
        annotations=ci_github.gates(judged),
        answer=gates_json.render(judged),
    )


def _placed(one: Gate, root: Path | None) -> Gate:
    if root is None:
        return one
    place = dataclasses.replace(one.place, file=(root / one.place.file).as_posix())
    return dataclasses.replace(one, place=place)


def _open(why: str) -> Stage:
    return Stage(name="gates", exit=Exit.OK, text=f"{why}\n", answer=gates_json.render(()))


def _end(judged: tuple[Gate, ...]) -> Exit:
    if any(one.outcome is GateOutcome.UNJUDGED for one in judged):
        return Exit.NO_ANSWER
    if any(one.refuses for one in judged):
        return Exit.FINDINGS
    return Exit.NOTHING_VERIFIED if any(one.unknown for one in judged) else Exit.OK
