"""A timeline for people: for each instant what happens, and what it changes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction

from policyctl.agenda.timeline import Agenda, Moment, ShareChange, Turn
from policyctl.render.table_text import wrapped
from policyctl.render.terminal import painted, visible
from policyctl.units import format_duration, format_instant, format_percent

__all__ = ["render"]

_CAUSES = {
    "budget_starts": "budget {} begins",
    "budget_ends": "budget {} ends",
    "exception_starts": "exception {} begins",
    "exception_ends": "exception {} ends",
    "review_due": "review of budget {} is due",
    "window_resets": "the window of {} begins anew: usage counts from here",
}


def render(found: Agenda, *, meaning: str, colour: bool, columns: int | None = None) -> str:
    """Write one paragraph for each instant, in order of time; shares are parts of the whole pool."""
    head = f"from {format_instant(found.start)} until {format_instant(found.until)}, policy meaning {meaning[:19]}"
    lines = wrapped(head, columns)
    for moment in found.moments:
        lines += ["", painted(format_instant(moment.at), "cyan", on=colour, bold=True)]
        lines += [line for told in _moment(moment) for line in wrapped(f"  {visible(told)}", columns)]
    if not found.moments:
        lines += ["", "nothing changes by itself in this time"]
    if found.clock_rules:
        rules = ", ".join(f"{one.name} ({one.place.file_line})" for one in found.clock_rules)
        lines += [
            "",
            *wrapped(f"not listed: rules that read `now` may change at any second: {rules}", columns),
        ]
    return "\n".join(lines) + "\n"


def _moment(moment: Moment) -> Iterator[str]:
    for cause in moment.causes:
        yield f"{_CAUSES[cause.kind].format(cause.name)}  ({cause.place.file_line})"
    for pool, changes in _by_pool(moment.shares).items():
        for one in changes:
            yield f"  {pool} {one.account}: {_part(one.before)} -> {_part(one.after)} of the pool"
    for turn in moment.turns:
        yield f"  {_turn(turn)}"
    quiet = not moment.shares and not moment.turns
    if quiet and any(one.kind not in {"review_due", "window_resets"} for one in moment.causes):
        yield "  no share, cap, suspension or freeze differs"


def _by_pool(changes: tuple[ShareChange, ...]) -> dict[str, list[ShareChange]]:
    found: dict[str, list[ShareChange]] = defaultdict(list)
    for one in changes:
        found[one.pool].append(one)
    return found


def _part(value: Fraction) -> str:
    return format_percent(value)


def _turn(turn: Turn) -> str:
    match turn.kind:
        case "protection":
            return f"{turn.target}: protection in spite of the caps {_cap(turn.before)} -> {_cap(turn.after)}"
        case "suspension":
            return f"{turn.target}: " + ("no new protection" if turn.after else "may buy protection again")
        case "freeze":
            return f"{turn.target}: " + ("no preemption" if turn.after else "preemption again")


def _cap(seconds: int) -> str:
    return f"up to {format_duration(seconds)}" if seconds else "none"
