"""Occupancy over time: how many GPUs of each pool each program held, stacked, under the line of what was on offer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from policyctl.model.measures import Measures, PoolSeries
from policyctl.render.charts.axes import along_time, amounts, time_unit
from policyctl.render.charts.bins import FINE, ROWS, Coarse, coarse
from policyctl.render.charts.chart import Key, Kind
from policyctl.render.charts.drawing import Sheet, shortened
from policyctl.render.charts.ink import placeholder, series, variable
from policyctl.render.charts.scene import Scene, Table
from policyctl.render.quantity_text import brief, ratio
from policyctl.units import format_instant

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["OCCUPANCY", "programs_legend"]

_PANEL, _ELSE = 118, 56


def programs_legend(scene: Scene, *, form: str = "area") -> tuple[Key, ...]:
    """Return one entry for each program with an ink of its own, and one for all others."""
    keys = [Key(variable(series(at)), form, path) for at, path in enumerate(scene.programs)]
    if scene.others:
        keys.append(Key(variable("s-rest"), form, f"{len(scene.others)} others"))
    return tuple(keys)


def _legend(scene: Scene) -> tuple[Key, ...]:
    return (*programs_legend(scene), Key(variable("text"), "line", "on offer"))


def _height(scene: Scene, _: Measures) -> int:
    return _PANEL * len(scene.pools) + _ELSE if scene.pools else 0


def _draw(scene: Scene, one: Measures, sheet: Sheet) -> None:
    of_pool = {pool.pool: pool for pool in one.series}
    panels = sheet.panels(len(scene.pools))
    for axes, pool in zip(panels, scene.pools, strict=True):
        axes.set_title(shortened(f"{pool}, GPUs", 40))
        amounts(axes, _most(scene, pool))
        along_time(axes, scene, words=axes is panels[-1])
        if pool in of_pool:
            _stack(sheet, axes, scene, of_pool[pool], coarse(of_pool[pool], FINE, one.end))


def _most(scene: Scene, pool: str) -> float:
    return max(
        (
            max(one.offered, default=0)
            for each in scene.contestants
            for one in each.series
            if one.pool == pool
        ),
        default=0,
    )


def _stack(sheet: Sheet, axes: Axes, scene: Scene, pool: PoolSeries, bins: Coarse) -> None:
    unit, _ = time_unit(scene)
    edges = [(edge - scene.start) / unit for edge in bins.edges]
    floor = [0.0] * (len(edges) - 1)
    for ink, path, held in _layers(scene, pool, bins):
        top = [low + more for low, more in zip(floor, held, strict=True)]
        mark = sheet.steps(axes, edges, top, floor, ink=ink)
        sheet.tell(mark, f"{path}: {brief(sum(held) / max(1, len(held)))} GPUs of {pool.pool} on average")
        floor = top
    axes.stairs(bins.mean(pool.offered), edges, baseline=None, color=placeholder("text"), linewidth=1)


def _layers(scene: Scene, pool: PoolSeries, bins: Coarse) -> list[tuple[str, str, list[float]]]:
    held = {program.account: bins.mean(program.occupied) for program in pool.programs}
    layers = [(series(at), path, held[path]) for at, path in enumerate(scene.programs) if path in held]
    others = [held[path] for path in scene.others if path in held]
    if others:
        layers.append(
            ("s-rest", f"{len(others)} others", [sum(values) for values in zip(*others, strict=True)])
        )
    return layers


def _describe(_: Scene, one: Measures) -> str:
    pools = "; ".join(f"{pool.pool} {ratio(pool.occupancy)}" for pool in one.pools)
    return f"Jobs held {ratio(one.occupancy)} of the GPU time on offer. By pool: {pools}."


def _table(scene: Scene, one: Measures) -> Table:
    rows: list[tuple[str, ...]] = []
    for pool in one.series:
        bins = coarse(pool, ROWS, one.end)
        columns = {program.account: bins.mean(program.occupied) for program in pool.programs}
        offered = bins.mean(pool.offered)
        rows += [
            (pool.pool, format_instant(start), *_numbers(scene, columns, at), brief(offered[at]))
            for at, start in enumerate(bins.edges[:-1])
        ]
    header = ("pool", "from", *(name for name, _ in scene.listed), "on offer")
    return Table(header=header, rows=tuple(rows), texts=frozenset({0, 1}))


def _numbers(scene: Scene, columns: dict[str, list[float]], at: int) -> Iterator[str]:
    for _, paths in scene.listed:
        held = [columns[path][at] for path in paths if path in columns]
        yield brief(sum(held)) if held else "–"


OCCUPANCY = Kind(
    name="occupancy",
    title="Occupancy by program",
    about="GPUs held by each program over time, stacked, under the line of GPUs on offer. A gap below the line is idle.",
    legend=_legend,
    height=_height,
    draw=_draw,
    describe=_describe,
    table=_table,
    nothing="no pool was simulated",
)
