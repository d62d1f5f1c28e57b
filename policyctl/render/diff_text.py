"""A comparison of two policies for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from policyctl.model.change import Change, Compared, Direction, JobMove, ShareChange
from policyctl.model.impact import Impact
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
from policyctl.render.table_text import fitting, table, wrapped
from policyctl.render.terminal import painted, visible

__all__ = ["impact_lines", "render"]

_MOST_INHERITED = 20
_MOST_JOBS = 40
_COLOURS = {
    Direction.LOOSENS: "yellow",
    Direction.MIXED: "yellow",
    Direction.INCOMPARABLE: "red",
    Direction.TIGHTENS: "cyan",
}
_HEADER = ("account", "pool", "share of parent", "of pool", "GPU-hours per window", "during")


def render(compared: Compared, *, colour: bool, columns: int | None = None) -> str:
    """Write both sides, then a section for each part of the change, then what it comes to."""
    lines = [f"base  {visible(compared.base)}", f"head  {visible(compared.head)}"]
    if (said := base_words(compared)) is not None:
        lines.append(painted(visible(said), "red", on=colour))
    for title, body in _sections(compared.change or Change(), columns, colour=colour):
        if body:
            lines += ["", painted(title, "cyan", on=colour, bold=True), *(f"  {line}" for line in body)]
    if compared.jobs is not None:
        lines += ["", painted("jobs of the state", "cyan", on=colour, bold=True)]
        lines += [f"  {line}" for line in _jobs(compared.jobs)]
    if compared.impact is not None:
        lines += ["", painted("impact on jobs", "cyan", on=colour, bold=True)]
        lines += [f"  {line}" for line in impact_lines(compared.impact)]
    return "\n".join([*lines, "", summary(compared)]) + "\n"


def _sections(change: Change, columns: int | None, *, colour: bool) -> Iterator[tuple[str, list[str]]]:
    room = None if columns is None else columns - 2
    yield "shares", _shares(change, room)
    yield "who pays, in GPUs", [line for text in _paid(change) for line in wrapped(text, room)]
    yield "settings", [line for text in _settings(change) for line in wrapped(text, room)]
    yield "exceptions", [line for text in _exceptions(change) for line in wrapped(text, room)]
    yield "rights", _rights(change, colour=colour)


def _shares(change: Change, room: int | None) -> list[str]:
    if not change.shares:
        return []
    own = [one for one in change.shares if not one.inherited]
    below = [one for one in change.shares if one.inherited]
    kept = {id(one) for one in [*own, *below[:_MOST_INHERITED]]}
    rows = [_row(one) for one in change.shares if id(one) in kept]
    lines = table(_HEADER, rows)
    if not fitting(lines, room):  # what the parent divides can be read from what the pool gives
        lines = table(_HEADER[:2] + _HEADER[3:], [row[:2] + row[3:] for row in rows])
    hidden = len(below) - _MOST_INHERITED
    return [*lines, f"and {hidden:,} more through an account above"] if hidden > 0 else lines


def _row(one: ShareChange) -> list[str]:
    return [
        one.account,
        one.pool,
        percent(one.share_before, one.share_after),
        percent(one.absolute_before, one.absolute_after),
        moved_hours(one.gpu_hours_before, one.gpu_hours_after),
        during(one.start, one.end),
    ]


def _paid(change: Change) -> Iterator[str]:
    for one in change.balances:
        parts = [f"{account} {gpus(moved)}" for account, moved in one.children]
        parts += [f"unassigned {gpus(one.unassigned)}"] if one.unassigned else []
        whole = f", of {gpus(one.whole)} in all" if one.whole else ""
        when = during(one.start, one.end)
        yield visible(f"{one.account} in {one.pool}, {when}: {', '.join(parts)}{whole}")


def _settings(change: Change) -> Iterator[str]:
    for one in change.settings:
        before, after = ("nothing" if value is None else value for value in (one.before, one.after))
        yield visible(f"{one.subject}: {one.field}: {before} → {after}")


def _exceptions(change: Change) -> Iterator[str]:
    for one in change.exceptions:
        yield visible(f"{one.name} {one.what}: {one.grant} {ended(one)}".rstrip())


def _rights(change: Change, *, colour: bool) -> list[str]:
    if not change.rights:
        return []
    shown = own_rights(change)
    rows = [[one.account, one.kind, one.direction, example(one)] for one in shown]
    header, *lines = table(("account", "right", "direction", "for example"), rows)
    painted_lines = [
        painted(line, _COLOURS[one.direction], on=colour) for one, line in zip(shown, lines, strict=True)
    ]
    hidden = len(change.rights) - len(shown)
    more = [f"and {hidden:,} more, whose shares go with the account above"] if hidden else []
    return [header, *painted_lines, *more]


def impact_lines(found: Impact) -> list[str]:
    """Write a row for each figure that differs, and what was replayed."""
    differing = diff_impact.rows(found)
    told = diff_impact.basis(found)
    return [*table(diff_impact.HEADER, differing), told] if differing else [told]


def _jobs(jobs: tuple[JobMove, ...]) -> list[str]:
    if not jobs:
        return ["none stands differently"]
    rows = [
        [one.job, one.pool, one.account, "runs" if one.running else "waits", job_words(one)]
        for one in jobs[:_MOST_JOBS]
    ]
    lines = table(("job", "pool", "account", "", "differs in"), rows)
    hidden = len(jobs) - _MOST_JOBS
    return [*lines, f"and {hidden:,} more"] if hidden > 0 else lines
