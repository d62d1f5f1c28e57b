"""Why a job stands where it does, for people: a table with one line for each account on the way down to it."""

from __future__ import annotations

from fractions import Fraction

from policyctl.model.decisions import Explanation, Level
from policyctl.render.reasons_text import sentence
from policyctl.render.table_text import hours, table
from policyctl.render.terminal import painted, visible
from policyctl.units import Instant, format_instant, format_percent

__all__ = ["render"]

_HEADER = ("account", "share", "usage", "usage/share", "at its turn", "stands behind", "stands ahead of")
_NAMES = 3


def render(answer: Explanation, *, bundle: str, now: Instant, colour: bool) -> str:
    """Write the place, the reasons, then the comparison with the siblings on every level."""
    lines = [painted(visible(_verdict(answer)), "cyan", on=colour, bold=True)]
    lines += [f"  {visible(sentence(reason))}" for reason in answer.reasons]
    lines += ["", "at each account the child with the smallest usage/share goes next (GPU-hours):"]
    lines += table(_HEADER, [_row(level) for level in answer.path], right=frozenset({1, 2, 3, 4}))
    for level in answer.path:
        if level.jobs_before:
            before = ", ".join(f"{name} {count:,}" for name, count in level.jobs_before.items())
            lines.append(visible(f"jobs taken before it from the siblings of {_name(level)}: {before}"))
    lines.append(f"as of {format_instant(now)}, policy {bundle[:19]}")
    return "\n".join(lines) + "\n"


def _verdict(answer: Explanation) -> str:
    if answer.running:
        return f"`{answer.job}` runs in pool `{answer.pool}`, {answer.klass or 'in no class'}"
    if answer.rank is None:
        return f"`{answer.job}` waits in pool `{answer.pool}` and has no rank"
    return f"`{answer.job}` is {answer.rank} of {answer.of} in pool `{answer.pool}`, {answer.klass}"


def _name(level: Level) -> str:
    return level.account if level.user is None else f"user {level.user}"


def _row(level: Level) -> tuple[str, ...]:
    return (
        _name(level),
        format_percent(Fraction(level.share), 1),
        hours(level.usage_gpu_hours),
        "share 0" if level.virtual_time is None else hours(level.virtual_time),
        "share 0" if level.at_turn is None else hours(level.at_turn),
        _few(level.behind),
        _few(level.ahead_of),
    )


def _few(names: tuple[str, ...]) -> str:
    short = [name.rpartition("/")[2].removeprefix("~") for name in names[:_NAMES]]
    more = [f"+{len(names) - _NAMES}"] if len(names) > _NAMES else []
    return ", ".join([*short, *more]) or "-"
