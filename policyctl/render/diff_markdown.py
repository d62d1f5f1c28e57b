"""A comparison of two policies as a comment on a pull request.

The first line is a hidden marker, by which the same comment is found again. Text of users is escaped, so that it
neither formats, nor links, nor notifies anybody; and what does not fit is left out by whole rows, and counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from policyctl.model.change import Change, Compared
from policyctl.render import diff_impact
from policyctl.render.diff_words import (
    base_words,
    during,
    ended,
    example,
    gpus,
    job_words,
    moved_hours,
    own_rights,
    percent,
    summary,
)
from policyctl.render.names_text import counted
from policyctl.render.terminal import visible

__all__ = ["MARKER", "MOST_CHARACTERS", "impact_section", "render"]

MARKER = "<!-- policyctl diff -->"
MOST_CHARACTERS = 60_000
"""What a comment may have, with room below the code host's own limit of 65,536."""
_FOR_THE_END = 200
_LONGEST_CELL = 400
_BREAK = "\u200b"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Section:
    title: str
    header: tuple[str, ...]
    rows: list[Sequence[str]]


def render(compared: Compared, *, approvals: str = "") -> str:
    """Write the comment: what the change comes to first, then which rights move, then what changes.

    `approvals` is a section in Markdown that goes first, since whoever reads the comment may be asked for one.
    """
    lines = [
        MARKER,
        f"### Policy change: {escaped(summary(compared))}",
        "",
        f"From {escaped(compared.base)} to {escaped(compared.head)}.",
    ]
    if (said := base_words(compared)) is not None:
        lines += ["", f"**Note:** {escaped(said)}."]
    if compared.impact is not None:
        lines += ["", f"Impact on jobs: {escaped(diff_impact.basis(compared.impact))}."]
    elif compared.unmeasured is not None:
        lines += ["", f"**The impact on jobs could not be computed:** {escaped(compared.unmeasured)}."]
    written = "\n".join(lines) + "\n" + approvals
    left_out = 0
    for section in (*_all_sections(compared), _impact(compared)):
        if section.rows:
            room = MOST_CHARACTERS - len(written) - _FOR_THE_END
            text, hidden = _table(section, room)
            written += text
            left_out += hidden
    if left_out:
        written += f"\n**{counted(left_out, 'row')} left out, because the comment would be too long**; `policyctl diff --format json` has all.\n"
    return written


def impact_section(compared: Compared) -> str:
    """Write what was replayed, and a row for each figure that differs, without the rest of the comment."""
    if compared.impact is None:
        return ""
    told = f"\nImpact on jobs: {escaped(diff_impact.basis(compared.impact))}.\n"
    section = _impact(compared)
    return told + _table(section, MOST_CHARACTERS)[0] if section.rows else told


def _table(section: _Section, room: int) -> tuple[str, int]:
    head = f"\n#### {section.title}\n\n{_line(section.header)}{_line(['---'] * len(section.header))}"
    lines = [_line([escaped(cell) for cell in row]) for row in section.rows]
    kept: list[str] = []
    for line in lines:
        room -= len(line)
        if room < len(head):
            break
        kept.append(line)
    return (head + "".join(kept) if kept else ""), len(lines) - len(kept)


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |\n"


def _sections(change: Change) -> Iterator[_Section]:
    yield _Section(
        title="Rights",
        header=("account", "right", "direction", "for example"),
        rows=[(one.account, one.kind, one.direction, example(one)) for one in own_rights(change)],
    )
    yield _shares("Shares", change, inherited=False)
    yield _Section(
        title="Who pays, in GPUs",
        header=("divided", "pool", "gains and losses", "during"),
        rows=list(_paid(change)),
    )
    yield _Section(
        title="Settings",
        header=("of", "field", "before", "after"),
        rows=[(one.subject, one.field, one.before or "–", one.after or "–") for one in change.settings],
    )
    yield _Section(
        title="Exceptions",
        header=("name", "is", "grants", "ends"),
        rows=[(one.name, one.what, one.grant, ended(one)) for one in change.exceptions],
    )


def _all_sections(compared: Compared) -> Iterator[_Section]:
    """Return the sections, those that are long and follow from the others last."""
    change = compared.change or Change()
    yield from _sections(change)
    yield _jobs(compared)
    yield _shares("Shares that follow the account above", change, inherited=True)


def _shares(title: str, change: Change, *, inherited: bool) -> _Section:
    return _Section(
        title=title,
        header=("account", "pool", "of pool", "GPU-hours per window", "during"),
        rows=[
            (
                one.account,
                one.pool,
                percent(one.absolute_before, one.absolute_after),
                moved_hours(one.gpu_hours_before, one.gpu_hours_after),
                during(one.start, one.end),
            )
            for one in change.shares
            if one.inherited is inherited
        ],
    )


def _impact(compared: Compared) -> _Section:
    found = compared.impact
    return _Section(
        title="Impact on jobs",
        header=diff_impact.HEADER,
        rows=[] if found is None else list(diff_impact.rows(found)),
    )


def _jobs(compared: Compared) -> _Section:
    return _Section(
        title="Jobs of the state",
        header=("job", "pool", "account", "differs in"),
        rows=[(one.job, one.pool, one.account, job_words(one)) for one in compared.jobs or ()],
    )


def _paid(change: Change) -> Iterator[Sequence[str]]:
    for one in change.balances:
        parts = [f"{account} {gpus(moved)}" for account, moved in one.children]
        parts += [f"unassigned {gpus(one.unassigned)}"] if one.unassigned else []
        yield one.account, one.pool, ", ".join(parts), during(one.start, one.end)


def escaped(text: str) -> str:
    """Return user text that a code host shows as it is: no markup, no link, no mention, no reference, one line."""
    shown = visible(text)
    if len(shown) > _LONGEST_CELL:
        shown = f"{shown[:_LONGEST_CELL]}…"
    # An entity formats nothing, but code hosts look for mentions, references and addresses in what entities become;
    # those are broken by a character that has no width.
    quiet = re.sub(r"(?<=[@#])|(?<=:)(?=/)|(?<=www)(?=\.)|(?<=GH)(?=-)", _BREAK, shown, flags=re.IGNORECASE)
    return re.sub(r"[^\w\s.,;()→–…%+\u200b/-]|_", lambda found: f"&#{ord(found[0])};", quiet)
