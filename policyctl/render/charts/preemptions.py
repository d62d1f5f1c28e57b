"""Preemptions over time: how many jobs had to leave each pool, and how much work of each day was lost by it."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from policyctl.model.measures import Measures, PreemptionDay
from policyctl.render.charts.axes import along_time, amounts, time_unit
from policyctl.render.charts.bins import FINE, coarse
from policyctl.render.charts.chart import Key, Kind
from policyctl.render.charts.drawing import Sheet
from policyctl.render.charts.ink import placeholder, series, variable
from policyctl.render.charts.scene import Scene, Table
from policyctl.render.quantity_text import brief
from policyctl.render.table_text import hours
from policyctl.units import format_instant

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["PREEMPTIONS"]

_DAY = 86_400
_HEIGHT = 290


def _legend(scene: Scene) -> tuple[Key, ...]:
    return tuple(Key(variable(series(at)), "area", pool) for at, pool in enumerate(scene.pools))


def _height(_: Scene, one: Measures) -> int:
    return _HEIGHT if any(day.preemptions for day in one.preemption_days) else 0


def _draw(scene: Scene, one: Measures, sheet: Sheet) -> None:
    counts, lost = sheet.panels(2)
    counts.set_title("jobs preempted")
    lost.set_title("GPU-hours of work lost, by day")
    along_time(counts, scene, words=False)
    along_time(lost, scene, words=True)
    amounts(counts, max((max(_totals(scene, each)[1], default=0) for each in scene.contestants), default=0))
    amounts(lost, max((max(_lost_by_day(each).values(), default=0) for each in scene.contestants), default=0))
    _count(sheet, counts, scene, one)
    _lose(sheet, lost, scene, one)


def _totals(scene: Scene, one: Measures) -> tuple[list[float], list[float]]:
    """Return the edges of the bins in seconds, and the preemptions of all pools in each of them."""
    edges: list[float] = []
    totals: list[float] = []
    for pool in one.series:
        bins = coarse(pool, FINE, one.end)
        found = bins.total(pool.preemptions)
        edges = [edge - scene.start for edge in bins.edges]
        totals = [a + b for a, b in zip(totals or [0.0] * len(found), found, strict=True)]
    return edges, totals


def _lost_by_day(one: Measures) -> dict[int, float]:
    lost: dict[int, float] = defaultdict(float)
    for day in one.preemption_days:
        lost[day.day] += day.lost
    return lost


def _count(sheet: Sheet, axes: Axes, scene: Scene, one: Measures) -> None:
    unit, _ = time_unit(scene)
    floor: list[float] = []
    for pool in one.series:
        bins = coarse(pool, FINE, one.end)
        edges = [(edge - scene.start) / unit for edge in bins.edges]
        found = bins.total(pool.preemptions)
        floor = floor or [0.0] * len(found)
        top = [low + more for low, more in zip(floor, found, strict=True)]
        mark = sheet.steps(axes, edges, top, floor, ink=series(scene.pools.index(pool.pool)))
        sheet.tell(mark, f"{pool.pool}: {brief(sum(found))} preemptions")
        floor = top


def _lose(sheet: Sheet, axes: Axes, scene: Scene, one: Measures) -> None:
    unit, _ = time_unit(scene)
    floor: dict[int, float] = defaultdict(float)
    for day in sorted(one.preemption_days, key=lambda day: (day.pool, day.day)):
        if day.lost:
            start = one.start - scene.start + day.day * _DAY
            ink = placeholder(series(scene.pools.index(day.pool)))
            (bar,) = axes.bar(
                (start + 0.1 * _DAY) / unit,
                day.lost,
                0.8 * _DAY / unit,
                bottom=floor[day.day],
                align="edge",
                color=ink,
            )
            sheet.tell(bar, _day(day))
            floor[day.day] += day.lost


def _day(day: PreemptionDay) -> str:
    return f"{day.pool}, day {day.day}: {day.preemptions:,} preemptions, {hours(day.lost)} GPU-hours lost"


def _describe(_: Scene, one: Measures) -> str:
    lost = sum(day.lost for day in one.preemption_days)
    total = sum(day.preemptions for day in one.preemption_days)
    busiest = max(one.preemption_days, key=lambda day: (day.preemptions, -day.day), default=None)
    worst = f" Most on one day: {_day(busiest)}." if busiest and busiest.preemptions else ""
    return f"{total:,} preemptions, which lost {hours(lost)} GPU-hours.{worst}"


def _table(_: Scene, one: Measures) -> Table:
    return Table(
        header=("pool", "day", "from", "preemptions", "GPU-hours lost"),
        texts=frozenset({0, 1, 2}),
        rows=tuple(
            (
                day.pool,
                str(day.day),
                format_instant(one.start + day.day * _DAY),
                f"{day.preemptions:,}",
                hours(day.lost),
            )
            for day in one.preemption_days
        ),
    )


PREEMPTIONS = Kind(
    name="preemptions",
    title="Preemptions over time",
    about="Jobs that had to leave before they were done, and the work that has to be done again because of it.",
    legend=_legend,
    height=_height,
    draw=_draw,
    describe=_describe,
    table=_table,
    nothing="no job was preempted",
)
