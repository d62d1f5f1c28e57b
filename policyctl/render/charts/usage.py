"""Usage against share over time: what part of a pool each program used, as the window weighs it, beside its share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from policyctl.model.measures import Measures, PoolSeries
from policyctl.render.charts.axes import along_time, amounts, time_unit
from policyctl.render.charts.bins import FINE, ROWS, coarse
from policyctl.render.charts.chart import Key, Kind
from policyctl.render.charts.drawing import Sheet, shortened
from policyctl.render.charts.ink import placeholder, series, variable
from policyctl.render.charts.occupancy import programs_legend
from policyctl.render.charts.scene import Scene, Table
from policyctl.render.quantity_text import ratio
from policyctl.units import format_instant

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["USAGE"]

_PANEL, _ELSE = 150, 56


def _legend(scene: Scene) -> tuple[Key, ...]:
    return (
        *programs_legend(scene, form="line")[: len(scene.programs)],
        Key(variable("soft"), "dashed", "its share, in the same colour"),
    )


def _height(scene: Scene, _: Measures) -> int:
    return _PANEL * len(scene.pools) + _ELSE if scene.pools else 0


def _draw(scene: Scene, one: Measures, sheet: Sheet) -> None:
    of_pool = {pool.pool: pool for pool in one.series}
    panels = sheet.panels(len(scene.pools))
    for axes, pool in zip(panels, scene.pools, strict=True):
        axes.set_title(shortened(f"{pool}, part of its GPU time", 40))
        amounts(axes, _most(scene, pool), parts=True)
        along_time(axes, scene, words=axes is panels[-1])
        if pool in of_pool:
            _lines(sheet, axes, scene, of_pool[pool], one.end)


def _most(scene: Scene, pool: str) -> float:
    return max(
        (
            value
            for one in scene.contestants
            for each in one.series
            if each.pool == pool
            for program in each.programs
            for value in (*program.usage, *program.share)
        ),
        default=0,
    )


def _lines(sheet: Sheet, axes: Axes, scene: Scene, pool: PoolSeries, end: int) -> None:
    unit, _ = time_unit(scene)
    bins = coarse(pool, FINE, end)
    at = [(edge - scene.start) / unit for edge in bins.edges[1:]]
    number = {path: place for place, path in enumerate(scene.programs)}
    for program in pool.programs:
        if program.account in number:
            ink = placeholder(series(number[program.account]))
            share = bins.last(program.share)
            axes.plot(at, share, color=ink, linewidth=1, dashes=(3, 2), drawstyle="steps-pre")
            (line,) = axes.plot(at, bins.last(program.usage), color=ink)
            sheet.tell(line, f"{program.account} in {pool.pool}: {_last(program.usage, program.share)}")


def _last(usage: tuple[float, ...], share: tuple[float, ...]) -> str:
    return f"{ratio(usage[-1])} used of a share of {ratio(share[-1])} at the end" if usage else "nothing"


def _describe(scene: Scene, one: Measures) -> str:
    said = [
        f"{pool.pool}: "
        + ", ".join(
            f"{program.account} {_last(program.usage, program.share)}"
            for program in pool.programs
            if program.account in scene.programs
        )
        for pool in one.series
    ]
    return ". ".join(said) + "." if said else "Nothing was used."


def _table(scene: Scene, one: Measures) -> Table:
    rows: list[tuple[str, ...]] = []
    for pool in one.series:
        bins = coarse(pool, ROWS, one.end)
        pairs = {
            program.account: (bins.last(program.usage), bins.last(program.share)) for program in pool.programs
        }
        rows += [
            (pool.pool, format_instant(until), *_parts(scene, pairs, at))
            for at, until in enumerate(bins.edges[1:])
        ]
    header = ("pool", "at", *(name for name, _ in scene.listed))
    return Table(header=header, rows=tuple(rows), texts=frozenset({0, 1}))


def _parts(scene: Scene, pairs: dict[str, tuple[list[float], list[float]]], at: int) -> Iterator[str]:
    for _, paths in scene.listed:
        known = [pairs[path] for path in paths if path in pairs]
        used, share = (sum(pair[which][at] for pair in known) for which in (0, 1))
        yield f"{ratio(used)} of {ratio(share)}" if known else "–"


USAGE = Kind(
    name="usage",
    title="Usage against share",
    about="The part of each pool's GPU time that a program used, as the accounting window weighs it. The dashed line is its share.",
    legend=_legend,
    height=_height,
    draw=_draw,
    describe=_describe,
    table=_table,
    nothing="no pool was simulated",
)
