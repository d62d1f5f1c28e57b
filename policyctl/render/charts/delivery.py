"""Delivered against owed: for each program and accounting window, what it got beside what it was owed."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from policyctl.model.measures import Measures
from policyctl.render.charts.axes import along_time, amounts, time_unit
from policyctl.render.charts.chart import Key, Kind
from policyctl.render.charts.drawing import Sheet, shortened
from policyctl.render.charts.ink import placeholder, series, variable
from policyctl.render.charts.occupancy import programs_legend
from policyctl.render.charts.scene import Scene, Table
from policyctl.render.quantity_text import ratio
from policyctl.render.table_text import hours
from policyctl.units import format_instant

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["DELIVERY"]

_PANEL, _ELSE = 68, 52
Windows = dict[tuple[int, int], tuple[float, float]]


def windows_of(one: Measures, *accounts: str) -> Windows:
    """Return (delivered, owed) of accounts together in each window, over all pools, in GPU-hours."""
    delivered: dict[tuple[int, int], float] = defaultdict(float)
    owed: dict[tuple[int, int], float] = defaultdict(float)
    for row in one.windows:
        if row.account in accounts:
            delivered[row.start, row.end] += row.delivered
            owed[row.start, row.end] += row.owed
    return {window: (delivered[window], owed[window]) for window in sorted(owed)}


def _legend(scene: Scene) -> tuple[Key, ...]:
    return (*programs_legend(scene)[: len(scene.programs)], Key(variable("text"), "line", "owed"))


def _height(scene: Scene, _: Measures) -> int:
    return _PANEL * len(scene.programs) + _ELSE if scene.programs else 0


def _draw(scene: Scene, one: Measures, sheet: Sheet) -> None:
    panels = sheet.panels(len(scene.programs), gap=22)
    for at, (axes, path) in enumerate(zip(panels, scene.programs, strict=True)):
        axes.set_title(f"{shortened(path)}, GPU-hours")
        amounts(axes, _most(scene, path), nbins=2)
        along_time(axes, scene, words=axes is panels[-1])
        _bars(sheet, axes, scene, windows_of(one, path), (path, series(at)))


def _most(scene: Scene, path: str) -> float:
    every = [pair for one in scene.contestants for pair in windows_of(one, path).values()]
    return max((max(pair) for pair in every), default=0)


def _bars(sheet: Sheet, axes: Axes, scene: Scene, windows: Windows, of: tuple[str, str]) -> None:
    unit, _ = time_unit(scene)
    path, ink = of
    for (start, end), (delivered, owed) in windows.items():
        left, width = (start - scene.start) / unit, (end - start) / unit
        (bar,) = axes.bar(left + 0.12 * width, delivered, 0.76 * width, align="edge", color=placeholder(ink))
        sheet.tell(
            bar,
            f"{path} from {format_instant(start)}: {hours(delivered)} GPU-hours of {hours(owed)} owed",
        )
        for line, thick in (
            ("page", 4.0),
            ("text", 1.6),
        ):  # on a dark page the line is nearly as light as the bars
            ends = [left + 0.05 * width, left + 0.95 * width]
            axes.plot(ends, [owed, owed], color=placeholder(line), linewidth=thick, solid_capstyle="butt")


def _describe(scene: Scene, one: Measures) -> str:
    known = {group.path: group for group in one.programs}
    programs = "; ".join(
        f"{path} {ratio(known[path].delivery_ratio)}" for path in scene.programs if path in known
    )
    return f"Delivered {ratio(one.overall.delivery_ratio)} of what was owed. By program: {programs}."


def _table(scene: Scene, one: Measures) -> Table:
    return Table(
        header=("program", "from", "until", "owed", "delivered", "of owed"),
        texts=frozenset({0, 1, 2}),
        rows=tuple(
            (
                name,
                format_instant(start),
                format_instant(end),
                hours(owed),
                hours(delivered),
                ratio(min(delivered, owed) / owed if owed > 0 else None),
            )
            for name, paths in scene.listed
            for (start, end), (delivered, owed) in windows_of(one, *paths).items()
        ),
    )


DELIVERY = Kind(
    name="delivery",
    title="Delivered against owed",
    about="GPU-hours in each accounting window. The line is what was owed: the smaller of demand and entitlement.",
    legend=_legend,
    height=_height,
    draw=_draw,
    describe=_describe,
    table=_table,
    nothing="no program was owed anything",
)
