"""Waits by size of job on a logarithm: a bar from the median to the longest, with marks at nine in ten and 99 in 100."""

from __future__ import annotations

from typing import TYPE_CHECKING

from policyctl.model.measures import CLASSES, SIZES, Measures, WaitStatistics
from policyctl.render.charts.axes import durations, place
from policyctl.render.charts.chart import Key, Kind
from policyctl.render.charts.drawing import Sheet
from policyctl.render.charts.ink import placeholder, variable
from policyctl.render.charts.scene import Scene, Table
from policyctl.render.quantity_text import span

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["WAITS"]

_ROW, _ELSE = 44, 62
_INKS = dict(zip(CLASSES, ("s0", "s1"), strict=True))


def _legend(_: Scene) -> tuple[Key, ...]:
    classes = [Key(variable(_INKS[klass]), "area", klass) for klass in CLASSES]
    marks = (
        ("dot", "median"),
        ("tick", "9 in 10 waited less"),
        ("ring", "99 in 100 waited less"),
        ("line", "to the longest"),
    )
    return (*classes, *(Key(variable("soft"), form, text) for form, text in marks))


def _sizes(scene: Scene) -> list[str]:
    return [
        size
        for size in SIZES
        if any(one.wait(size=size, klass=klass) for one in scene.contestants for klass in CLASSES)
    ]


def _height(scene: Scene, _: Measures) -> int:
    return _ROW * len(sizes) + _ELSE if (sizes := _sizes(scene)) else 0


def _draw(scene: Scene, one: Measures, sheet: Sheet) -> None:
    (axes,) = sheet.panels(1, left=54)
    sizes = _sizes(scene)
    longest = max(
        (line.waits.longest for each in scene.contestants for line in each.waits if line.size in sizes),
        default=0,
    )
    durations(axes, longest)
    axes.set_ylim(len(sizes) - 0.45, -0.55)
    axes.set_yticks(range(len(sizes)), [size.replace("<=", "≤") for size in sizes])
    axes.grid(visible=False, axis="y")
    axes.set_title("GPUs of a job")
    axes.set_xlabel("wait until the first start")
    for row, size in enumerate(sizes):
        for klass, shift in zip(CLASSES, (-0.17, 0.17), strict=True):
            found = one.wait(size=size, klass=klass)
            if found is not None:
                _bar(sheet, axes, row + shift, found, (size, klass))


def _bar(sheet: Sheet, axes: Axes, row: float, waits: WaitStatistics, of: tuple[str, str]) -> None:
    size, klass = of
    ink = placeholder(_INKS[klass])
    median, p90, p99, longest = (
        place(value) for value in (waits.median, waits.p90, waits.p99, waits.longest)
    )
    axes.plot([median, longest], [row, row], color=ink, linewidth=1.4, solid_capstyle="butt")
    axes.plot([p90], [row], color=ink, marker="|", markersize=11, markeredgewidth=2.2, linestyle="none")
    axes.plot(
        [p99],
        [row],
        color=ink,
        marker="o",
        markersize=5,
        markerfacecolor=placeholder("page"),
        linestyle="none",
    )
    (dot,) = axes.plot([median], [row], color=ink, marker="o", markersize=7, linestyle="none")
    sheet.tell(dot, f"{size} GPUs, {klass}: {_sentence(waits)}")


def _sentence(waits: WaitStatistics) -> str:
    return (
        f"median {span(waits.median)}, 9 in 10 below {span(waits.p90)}, 99 in 100 below {span(waits.p99)}, "
        f"longest {span(waits.longest)}, {waits.jobs:,} jobs"
    )


def _describe(scene: Scene, one: Measures) -> str:
    said = []
    for size in _sizes(scene):
        for klass in CLASSES:
            found = one.wait(size=size, klass=klass)
            if found is not None:
                said.append(f"{klass} jobs of {size} GPUs: {_sentence(found)}")
    return ". ".join(said) + "." if said else "No job waited."


def _table(scene: Scene, one: Measures) -> Table:
    rows = []
    for size in _sizes(scene):
        for klass in CLASSES:
            found = one.wait(size=size, klass=klass)
            if found is not None:
                rows.append(
                    (
                        size,
                        klass,
                        f"{found.jobs:,}",
                        f"{found.never_started:,}",
                        *(span(value) for value in (found.median, found.p90, found.p99, found.longest)),
                    )
                )
    return Table(
        header=("GPUs", "class", "jobs", "never started", "median", "p90", "p99", "longest"),
        rows=tuple(rows),
        texts=frozenset({0, 1}),
    )


WAITS = Kind(
    name="waits",
    title="Waits by size of job",
    about="From submission to the first start, on a logarithmic scale; a job that never started counts with its wait so far.",
    legend=_legend,
    height=_height,
    draw=_draw,
    describe=_describe,
    table=_table,
    nothing="no job was submitted",
)
