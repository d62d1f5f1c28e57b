"""Why a job stands where it does, for people: a table with one line for each account on the way down to it."""

from __future__ import annotations

from fractions import Fraction

from policyctl.model.decisions import Explanation, Level
from policyctl.render.basis import Basis
from policyctl.render.names_text import owner
from policyctl.render.reasons_text import sentence
from policyctl.render.table_text import fitting, hours, table, wrapped
from policyctl.render.terminal import painted, visible
from policyctl.units import format_percent

__all__ = ["render"]

_WAITING = (
    "at each account the child with the smallest virtual time goes next (virtual time: usage divided by share, in "
    "GPU-hours; at its turn: with the jobs taken before this one):"
)
_RUNNING = "its accounts beside their siblings (virtual time: usage divided by share, in GPU-hours):"
_NAMES = (3, 2, 1, 0)
"""How many siblings are named, from wide to narrow; with 0 they are only counted."""


def render(answer: Explanation, basis: Basis, *, colour: bool, columns: int | None = None) -> str:
    """Write the place, the reasons, then the comparison with the siblings on every level, in the form that fits."""
    lines = [painted(visible(_verdict(answer)), "cyan", on=colour, bold=True)]
    lines += [f"  {visible(sentence(reason))}" for reason in answer.reasons]
    lines += ["", *wrapped(_RUNNING if answer.running else _WAITING, columns)]
    lines += _widest(answer, columns)
    for level in answer.path:
        if level.jobs_before:
            before = ", ".join(f"{count:,} of {owner(name)}" for name, count in level.jobs_before.items())
            lines += wrapped(visible(f"jobs taken before it beside {_name(level)}: {before}"), columns)
    lines.append(str(basis))
    return "\n".join(lines) + "\n"


def _verdict(answer: Explanation) -> str:
    if answer.running:
        return f"`{answer.job}` runs in pool `{answer.pool}`, {answer.klass or 'in no class'}"
    if answer.rank is None:
        return f"`{answer.job}` waits in pool `{answer.pool}` and has no rank"
    return f"`{answer.job}` is {answer.rank} of {answer.of} in pool `{answer.pool}`, {answer.klass}"


def _name(level: Level) -> str:
    return level.account if level.user is None else f"user {level.user}"


def _widest(answer: Explanation, columns: int | None) -> list[str]:
    lines: list[str] = []
    for names in _NAMES:
        lines = _table(answer, names)
        if fitting(lines, columns):
            break
    return lines


def _table(answer: Explanation, names: int) -> list[str]:
    header = ["account", "share", "usage", "virtual time"]
    header += [] if answer.running else ["at its turn"]
    numbers = frozenset(range(1, len(header)))
    header += ["stands behind", "stands ahead of"] if names else ["behind", "ahead of"]
    rows = [_row(level, names, running=answer.running) for level in answer.path]
    return table(header, rows, right=numbers)


def _row(level: Level, names: int, *, running: bool) -> list[str]:
    turn = [] if running else ["share 0" if level.at_turn is None else hours(level.at_turn)]
    return [
        _name(level),
        format_percent(Fraction(level.share), 1),
        hours(level.usage_gpu_hours),
        "share 0" if level.virtual_time is None else hours(level.virtual_time),
        *turn,
        _few(level.behind, names),
        _few(level.ahead_of, names),
    ]


def _few(labels: tuple[str, ...], names: int) -> str:
    if not names:
        return str(len(labels))
    short = [label.rpartition("/")[2].removeprefix("~") for label in labels[:names]]
    more = [f"+{len(labels) - names}"] if len(labels) > names else []
    return ", ".join([*short, *more]) or "-"
