"""Exceptions for people: a table, with what is odd about each below it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from policyctl.agenda.effect import Effect
from policyctl.agenda.exceptions import Phase, Review
from policyctl.render.grant_text import grant_text
from policyctl.render.names_text import counted, listed
from policyctl.render.quantity_text import span
from policyctl.render.table_text import fitting, table, wrapped
from policyctl.render.terminal import painted, visible
from policyctl.units import Instant, format_instant

__all__ = ["render"]

_EFFECTS = {
    "class": "changes the class or the protection of {}",
    "rank": "changes the rank of {}",
    "preemption": "changes what may be preempted for {}",
}
_COLUMNS = (
    ("exception", "phase", "starts", "expires", "in", "grants"),
    ("exception", "phase", "starts", "expires", "grants"),
    ("exception", "phase", "expires", "grants"),
)
"""From wide to narrow."""


def render(
    reviews: Sequence[Review],
    effects: Mapping[str, Effect],
    *,
    now: Instant,
    meaning: str,
    colour: bool,
    columns: int | None = None,
) -> str:
    """Write one row for each exception, then one line for each thing to be said of one."""
    lines = wrapped(f"as of {format_instant(now)}, policy meaning {meaning[:19]}", columns)
    if not reviews:
        return "\n".join([*lines, "", "no exceptions"]) + "\n"
    head, *rows = _table(reviews, now, columns)
    lines += ["", painted(head, "cyan", on=colour, bold=True), *rows]
    notes = [f"{one.exception.name}: {note}" for one in reviews for note in _notes(one, effects)]
    if notes:
        lines += ["", *(line for note in notes for line in wrapped(visible(note), columns))]
    return "\n".join([*lines, "", _summary(reviews)]) + "\n"


def _table(reviews: Sequence[Review], now: Instant, columns: int | None) -> list[str]:
    rows = [_row(one, now) for one in reviews]
    tables = [table(names, [[row[name] for name in names] for row in rows]) for names in _COLUMNS]
    return next((lines for lines in tables if fitting(lines, columns)), tables[-1])


def _row(one: Review, now: Instant) -> dict[str, str]:
    period = one.exception.period
    next_change = period.start if one.phase is Phase.UPCOMING else period.end
    ahead = next_change is not None and one.phase is not Phase.EXPIRED
    return {
        "exception": one.exception.name,
        "phase": "expiring" if one.expiring else one.phase.value,
        "starts": _instant(period.start),
        "expires": _instant(period.end),
        "in": span(next_change - now) if ahead and next_change is not None else "",
        "grants": grant_text(one.exception.grant),
    }


def _instant(at: Instant | None) -> str:
    return "" if at is None else format_instant(at)


def _notes(one: Review, effects: Mapping[str, Effect]) -> Iterator[str]:
    effect = effects.get(one.exception.name)
    if one.phase is Phase.ACTIVE and effect is not None and effect.kind is None:
        yield "unused: no decision on this state would be another without it"
    elif effect is not None and effect.kind is not None:
        yield _EFFECTS[effect.kind].format(listed(effect.jobs))
    if one.redundant is not None:
        yield f"redundant: {one.redundant} already does what it does"
    if one.overlaps:
        yield f"overlaps {listed(one.overlaps)}, for the same target"
    if one.renewals:
        excess = ", more often than Governance allows" if one.too_often else ""
        yield f"renewed {'once' if one.renewals == 1 else f'{one.renewals} times'}{excess}"
    if one.phase is Phase.EXPIRED:
        keep = "it still bears on jobs that started under it" if effect is not None and effect.kind else ""
        yield f"expired: {keep or f'remove it from {one.exception.place.file_line}'}"


def _summary(reviews: Sequence[Review]) -> str:
    counts = {phase: sum(one.phase is phase for one in reviews) for phase in Phase}
    expiring = sum(one.expiring for one in reviews)
    parts = [f"{number} {phase.value}" for phase, number in counts.items() if number]
    soon = f", {expiring} of them soon to expire" if expiring else ""
    return f"{counted(len(reviews), 'exception')}: {', '.join(parts)}{soon}"
