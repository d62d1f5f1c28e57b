"""A chart as a page needs it: a drawing, the words that stand for it, its legend, and its figures as a table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from policyctl.model.measures import Measures
from policyctl.render.charts.drawing import WIDTH, Sheet, drawn
from policyctl.render.charts.scene import Scene, Table

__all__ = ["Chart", "Key", "Kind", "Panel", "charts_of"]


@dataclass(frozen=True, slots=True)
class Key:
    """One entry of a legend: the CSS colour, the form of its mark (`area`, `line`, `dashed`, `dot`, `ring`, `tick`), what it means."""

    ink: str
    form: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A kind of chart: what it is called, how it is read, and the functions that make one contestant's.

    `height` gives the units it is tall, 0 where there is nothing to draw; `describe` the sentence a screen reader says.
    """

    name: str
    title: str
    about: str
    legend: Callable[[Scene], tuple[Key, ...]]
    height: Callable[[Scene, Measures], int]
    draw: Callable[[Scene, Measures, Sheet], None]
    describe: Callable[[Scene, Measures], str]
    table: Callable[[Scene, Measures], Table]
    nothing: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """One contestant's drawing: `svg` is what stands inside of it, empty where there is nothing to draw."""

    name: str
    contestant: str
    width: int
    height: int
    svg: str
    description: str
    table: Table


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """One kind of chart for every contestant, on the same scales."""

    name: str
    title: str
    about: str
    nothing: str
    legend: tuple[Key, ...]
    panels: tuple[Panel, ...]


def charts_of(kind: Kind, scene: Scene) -> Chart:
    """Draw a kind of chart for every contestant."""
    return Chart(
        name=kind.name,
        title=kind.title,
        about=kind.about,
        nothing=kind.nothing,
        legend=kind.legend(scene),
        panels=tuple(_panel(kind, scene, number) for number in range(len(scene.contestants))),
    )


def _panel(kind: Kind, scene: Scene, number: int) -> Panel:
    one = scene.contestants[number]
    name = f"{kind.name}-{number}"
    height = kind.height(scene, one)
    return Panel(
        name=name,
        contestant=scene.labels[number],
        width=WIDTH,
        height=height,
        svg=drawn(name, height, lambda sheet: kind.draw(scene, one, sheet)) if height else "",
        description=kind.describe(scene, one),
        table=kind.table(scene, one),
    )
