"""The table of a sweep: a row for each point, means over the seeds, and half of what lies between the extremes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from policyctl.model.sweep import Row, SweepReport
from policyctl.render.quantity_text import ratio, span
from policyctl.render.sweep_words import letter, point_name

__all__ = ["HEADER", "TEXTS", "rows"]


@dataclass(frozen=True, slots=True)
class _Column:
    title: str
    figure: str
    write: Callable[[float], str]
    spread: bool = True


def _per_day(value: float) -> str:
    return f"{value:.1%}"


_COLUMNS = (
    _Column("moved per day", "volatility", _per_day),
    _Column("recovery", "recovery", span),
    _Column("median wait", "wait_median", span, spread=False),
    _Column("9 in 10 wait", "wait_p90", span),
    _Column("work lost", "lost_part", ratio),
    _Column("preemptions", "preemptions", lambda value: f"{value:,.0f}", spread=False),
    _Column("occupancy", "occupancy", ratio, spread=False),
    _Column("delivered of owed", "delivery_ratio", ratio, spread=False),
)
HEADER = ("", "option", "cost", *(column.title for column in _COLUMNS), "returned")
TEXTS = frozenset({0, 1})
"""The columns that hold words."""


def rows(report: SweepReport) -> list[tuple[str, ...]]:
    """Return a row for each point; the chosen option is marked by `*`."""
    several = len({row.point.load for row in report.rows}) > 1
    made = []
    for row in report.rows:
        place = report.options.index(row.point.option)
        mark = letter(place) + ("*" if place == report.choice.option else "")
        name = point_name(row.point, loads=several)
        cells = [_cell(row, column) for column in _COLUMNS]
        made.append((mark, name, f"{report.choice.costs[place]:.2f}", *cells, _returned(row)))
    return made


def _cell(row: Row, column: _Column) -> str:
    mean = row.mean(column.figure)
    if mean is None:
        return "–"
    values = row.values(column.figure)
    half = column.write((max(values) - min(values)) / 2)
    told = column.spread and half != column.write(0)
    return f"{column.write(mean)} ±{half}" if told else column.write(mean)


def _returned(row: Row) -> str:
    returns = sum(score.returns for score in row.scores)
    recovered = sum(score.recovered for score in row.scores)
    return f"{recovered} of {returns}" if returns else "–"
