"""Contestants side by side: the figures that tell them apart, each with its difference from the first contestant's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Literal

from policyctl.model.measures import Group, Measures
from policyctl.render.quantity_text import ratio, span
from policyctl.render.table_text import hours

__all__ = ["Cell", "Line", "comparison"]

Verdict = Literal["better", "worse", "same", "neither"]


class _Style(Enum):
    """How a figure and the difference of two of them are written."""

    PART = "a part of one; differences in percentage points"
    HOURS = "GPU-hours; differences in percent"
    SPAN = "seconds; differences as a factor"
    COUNT = "a number; differences as they are"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One contestant's figure, how it differs from the first contestant's (empty: not at all), and what that means."""

    text: str
    difference: str = ""
    verdict: Verdict = "same"


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One figure of every contestant."""

    label: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class _Figure:
    label: str
    style: _Style
    good: Literal[1, 0, -1]
    read: Callable[[Measures], float | None]


def _lowest_program(one: Measures) -> float | None:
    return min((part for group in one.programs if (part := group.delivery_ratio) is not None), default=None)


def _wait(
    which: Literal["median", "p90", "p99", "longest"], klass: str = "all"
) -> Callable[[Measures], float | None]:
    def read(one: Measures) -> float | None:
        found = one.wait(klass=klass)
        return None if found is None else float(getattr(found, which))

    return read


def _never_started(one: Measures) -> float | None:
    found = one.wait()
    return None if found is None else found.never_started


def _days(one: Measures) -> float:
    return max(1.0, (one.end - one.start) / 86_400)


def _overall(read: Callable[[Group], float | None]) -> Callable[[Measures], float | None]:
    return lambda one: read(one.overall)


def _slowest_return(one: Measures) -> float | None:
    return max((back.seconds for back in one.recoveries if back.seconds is not None), default=None)


_FIGURES: tuple[_Figure, ...] = (
    _Figure("delivered of owed", _Style.PART, 1, _overall(lambda group: group.delivery_ratio)),
    _Figure(
        "the same without lost work", _Style.PART, 1, _overall(lambda group: group.useful_delivery_ratio)
    ),
    _Figure("lowest of any program", _Style.PART, 1, _lowest_program),
    _Figure("occupancy", _Style.PART, 1, lambda one: one.occupancy),
    _Figure("GPU-hours delivered", _Style.HOURS, 1, _overall(lambda group: group.delivered)),
    _Figure("opportunistic part of them", _Style.PART, 0, _overall(lambda group: group.opportunistic_share)),
    _Figure("jobs completed", _Style.COUNT, 1, _overall(lambda group: group.completed)),
    _Figure("median wait", _Style.SPAN, -1, _wait("median")),
    _Figure("median wait, funded", _Style.SPAN, -1, _wait("median", "funded")),
    _Figure("wait, 9 in 10 below", _Style.SPAN, -1, _wait("p90")),
    _Figure("wait, 99 in 100 below", _Style.SPAN, -1, _wait("p99")),
    _Figure("longest wait", _Style.SPAN, -1, _wait("longest")),
    _Figure("jobs never started", _Style.COUNT, -1, _never_started),
    _Figure("preemptions", _Style.COUNT, -1, _overall(lambda group: group.preemptions)),
    _Figure("preemptions per day", _Style.COUNT, -1, lambda one: one.overall.preemptions / _days(one)),
    _Figure("most of one job", _Style.COUNT, -1, _overall(lambda group: group.most_preemptions)),
    _Figure("GPU-hours of work lost", _Style.HOURS, -1, _overall(lambda group: group.lost)),
    _Figure("restarts that succeeded", _Style.PART, 1, _overall(lambda group: group.restart_success)),
    _Figure(
        "GPU-hours lost to fragmentation",
        _Style.HOURS,
        -1,
        lambda one: sum(p.fragmentation for p in one.pools),
    ),
    _Figure(
        "GPU-hours held for a job to come", _Style.HOURS, -1, lambda one: sum(p.claimed for p in one.pools)
    ),
    _Figure("protection bought, GPU-hours", _Style.HOURS, 0, _overall(lambda group: group.protection_bought)),
    _Figure(
        "of it left unused, GPU-hours", _Style.HOURS, -1, _overall(lambda group: group.protection_unused)
    ),
    _Figure("interactive sessions cut", _Style.COUNT, -1, lambda one: one.interactive.cut),
    _Figure("slowest return to a share", _Style.SPAN, -1, _slowest_return),
    _Figure(
        "returns without reaching it",
        _Style.COUNT,
        -1,
        lambda one: sum(b.seconds is None for b in one.recoveries),
    ),
    _Figure("jobs that can never fit", _Style.COUNT, 0, lambda one: len(one.impossible)),
)


def comparison(contestants: tuple[Measures, ...]) -> tuple[Line, ...]:
    """Return a line for each figure, with a cell for each contestant; the first is what the others differ from."""
    lines = []
    for figure in _FIGURES:
        values = [figure.read(one) for one in contestants]
        cells = [Cell(text=_text(values[0], figure.style))] if values else []
        cells += [_cell(figure, value, values[0]) for value in values[1:]]
        lines.append(Line(label=figure.label, cells=tuple(cells)))
    return tuple(lines)


def _cell(figure: _Figure, value: float | None, first: float | None) -> Cell:
    text = _text(value, figure.style)
    if value is None or first is None or text == _text(first, figure.style):
        return Cell(text=text)
    gain = (value - first) * figure.good
    return Cell(
        text=text,
        difference=_difference(value, first, figure.style).replace("-", "−"),
        verdict="better" if gain > 0 else "worse" if gain < 0 else "neither",
    )


def _text(value: float | None, style: _Style) -> str:
    if value is None:
        return "–"
    match style:
        case _Style.PART:
            return ratio(value)
        case _Style.HOURS:
            return hours(value)
        case _Style.SPAN:
            return span(value)
        case _Style.COUNT:
            return f"{value:,.0f}" if value == int(value) else f"{value:,.1f}"


def _difference(value: float, first: float, style: _Style) -> str:
    match style:
        case _Style.PART:
            return f"{100 * (value - first):+.1f} points"
        case _Style.HOURS:
            return f"{value / first - 1:+.1%}" if first > 0 else f"+{hours(value)}"
        case _Style.SPAN:
            return _factor(value, first)
        case _Style.COUNT:
            change = value - first
            return f"{change:+,.0f}" if change == int(change) else f"{change:+,.1f}"


def _factor(value: float, first: float) -> str:
    if first < 1 or value < 1:  # nothing is a multiple of no wait at all
        return f"+{span(value - first)}" if value > first else f"-{span(first - value)}"
    factor = value / first
    return (
        f"{factor:.2g} ×"
        if 0.1 <= factor < 10
        else f"{factor:,.0f} ×"
        if factor >= 10
        else f"1/{1 / factor:,.0f} ×"
    )
