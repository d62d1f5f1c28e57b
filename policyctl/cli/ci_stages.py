"""The stages of `policyctl ci`, each of which says and ends as the command of its name does."""

from __future__ import annotations

import io
from collections.abc import Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import click

from policyctl.bundle.decode import decode
from policyctl.bundle.encode import encode
from policyctl.bundle.provenance import Provenance
from policyctl.cli import options
from policyctl.cli.findings import rendered
from policyctl.cli.placing import placed_in
from policyctl.cli.policy_tests import chosen, load_cases
from policyctl.cli.sides import BaseSide, Side, base_policy
from policyctl.cli.stages import Stage
from policyctl.cli.workload_options import WorkloadOptions
from policyctl.diagnostics import Report, Severity
from policyctl.diff.compare import compare
from policyctl.errors import Exit, NoAnswer, NothingVerified
from policyctl.govern.facts import facts
from policyctl.govern.gates import Gate, GateOutcome, gates
from policyctl.impact.facts import impact_facts
from policyctl.model.change import Change, Compared
from policyctl.model.impact import Impact
from policyctl.model.policy import Policy
from policyctl.render import (
    ci_github,
    ci_markdown,
    diff_markdown,
    diff_text,
    gates_text,
    tests_junit,
    tests_text,
)
from policyctl.testing.run import run_case
from policyctl.units import Instant

__all__ = ["Both", "both", "compared", "gated", "reviewed", "tested", "validated"]

SARIF: Final = "policyctl.sarif"
COMMENT: Final = "comment.md"


def validated(report: Report, folder: Path, *, fail_on: str) -> Stage:
    """Say every finding, in each form that somebody reads."""
    failed = report.failed or (fail_on == "warning" and report.count(Severity.WARNING) > 0)
    return Stage(
        name="validate",
        exit=Exit.FINDINGS if failed else Exit.OK,
        text=rendered(report, folder, "text"),
        annotations=rendered(report, folder, "github"),
        reports={
            SARIF: rendered(report, folder, "sarif"),
            "validate.junit.xml": rendered(report, folder, "junit"),
        },
    )


def tested(policy: Policy, folder: Path, tests: Path) -> Stage:
    """Run all cases below `tests`; raises NothingVerified where there are none."""
    if not tests.exists():
        raise NothingVerified(
            f"there is no folder `{tests}`, so the policy is not tested",
            help="say where its tests are: `--tests DIR`",
        )
    bundle = decode(encode(policy, Provenance()))
    placed = placed_in(folder, bundle.policy)
    results = [run_case(placed, case) for case in chosen(load_cases(tests, placed), None, tests)]
    return Stage(
        name="test",
        exit=Exit.OK if all(one.passed for one in results) else Exit.FINDINGS,
        text=tests_text.render(results, None, policy=bundle.meaning, colour=options.coloured()),
        annotations=ci_github.tests(results),
        reports={"test.junit.xml": tests_junit.render(results)},
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Both:
    """Both sides of the change, read: `base_files` is empty where the base has no policy at all."""

    base: BaseSide
    base_files: Mapping[str, bytes]
    head: Policy
    compared: Compared


def both(
    before: Side, after: Side, head: Policy, now: Instant, replay: WorkloadOptions | None = None
) -> Both:
    """Compare the base with a head that is compiled already, and replay both where something differs."""
    base = base_policy(before)
    same = before.files is not None and before.files == after.files
    change = None if base.policy is None else compare(base.policy, head, now=now)
    told = Compared(
        impact=_impact(base.policy, head, change, replay),
        base=before.label,
        head=after.label,
        change=Change() if same else change,
        same_files=same,
        base_errors=0 if same else base.errors,
        left_out=() if same else base.left_out,
    )
    return Both(base=base, base_files=before.files or {}, head=head, compared=told)


def _impact(
    base: Policy | None, head: Policy, change: Change | None, replay: WorkloadOptions | None
) -> Impact | None:
    if replay is None or base is None or change is None or change.empty:
        return None
    # What replays takes long to load.
    from policyctl.cli.impact import impact_of  # noqa: PLC0415

    return impact_of(base, head, replay)


def compared(found: Both) -> Stage:
    """Say what the change means."""
    comment = diff_markdown.render(found.compared)
    return Stage(
        name="diff",
        exit=Exit.OK,
        text=diff_text.render(found.compared, colour=options.coloured(), columns=options.columns()),
        markdown=comment,
        reports={COMMENT: comment},
    )


def gated(found: Both) -> Stage:
    """Say which gates of the base the change runs into.

    Raises NoAnswer where the base cannot be read as a whole: it might lack the very gate that holds.
    """
    change = found.compared.change
    if change is not None and change.empty:
        return Stage(
            name="gates", exit=Exit.OK, text="nothing changes its meaning, so there is no gate to pass\n"
        )
    if not found.base_files:
        return Stage(name="gates", exit=Exit.OK, text="the base has no policy, and so no gates\n")
    base = found.base.policy
    if base is None or change is None or found.base.left_out:
        raise NoAnswer(
            f"{found.compared.base} has no policy that can be read as a whole, so its gates are unknown",
            help="such a change is merged by whoever administers the repository",
        )
    impact = found.compared.impact
    measured = None if impact is None else impact_facts(impact)
    judged = gates(base, facts(base, found.head, change, ""), measured)
    return Stage(
        name="gates",
        exit=_end(judged),
        text=gates_text.render(judged, colour=options.coloured()),
        markdown=ci_markdown.gates(judged),
        annotations=ci_github.gates(judged),
    )


def _end(judged: tuple[Gate, ...]) -> Exit:
    if any(one.refuses for one in judged):
        return Exit.FINDINGS
    strict = [one for one in judged if one.level is Severity.ERROR]
    return Exit.NOTHING_VERIFIED if any(one.outcome is GateOutcome.UNMEASURED for one in strict) else Exit.OK


def reviewed(
    context: click.Context,
    *,
    base: str | None,
    approvals: str,
    members: str | None,
    folder: Path,
    now: Instant,
) -> Stage:
    """Say which approvals are missing, by the command that says so."""
    # Most checks are made without approvals.
    from policyctl.cli.review import review  # noqa: PLC0415

    said = io.StringIO()
    code: int = Exit.OK
    with redirect_stdout(said):
        try:
            context.invoke(
                review,
                base=base,
                head=None,
                approvals=approvals,
                members=members,
                folder=folder,
                output="text",
                now=now,
            )
        except click.exceptions.Exit as end:
            code = end.exit_code
    return Stage(name="review", exit=Exit(code), text=said.getvalue())
