"""Axes that read well: time in days or hours, amounts in short, waits on a logarithm of seconds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from policyctl.render.charts.scene import Scene
from policyctl.render.quantity_text import brief, span
from policyctl.units import format_instant

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["along_time", "amounts", "durations", "place", "time_unit"]

_DAY, _HOUR = 86_400, 3_600
_MARKS = (1, 10, 60, 600, _HOUR, 10 * _HOUR, 4 * _DAY, 40 * _DAY, 400 * _DAY)
_SHORTEST = 1.0


def time_unit(scene: Scene) -> tuple[int, str]:
    """Return how many seconds the unit of the axis of time has, and its name."""
    return (_DAY, "day") if scene.end - scene.start > 3 * _DAY else (_HOUR, "hour")


def along_time(axes: Axes, scene: Scene, *, words: bool) -> None:
    """Make an axis of time from the start of the scene to its end, in units since the start."""
    from matplotlib.ticker import MaxNLocator  # noqa: PLC0415 - only where something is drawn

    unit, word = time_unit(scene)
    axes.set_xlim(0, max(1e-9, (scene.end - scene.start) / unit))
    axes.xaxis.set_major_locator(MaxNLocator(nbins=8, integer=True, steps=[1, 2, 5, 10]))
    axes.grid(visible=False, axis="x")
    if words:
        axes.set_xlabel(f"{word}s since {format_instant(scene.start)}")


def amounts(axes: Axes, most: float, *, parts: bool = False, nbins: int = 4) -> None:
    """Make a y axis from nothing to `most`, with short numbers, or with percentages of one."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator  # noqa: PLC0415 - as above

    axes.set_ylim(0, most * 1.04 if most > 0 else 1)
    axes.yaxis.set_major_locator(MaxNLocator(nbins=nbins, min_n_ticks=2, steps=[1, 2, 2.5, 5, 10]))
    axes.yaxis.set_major_formatter(
        FuncFormatter(lambda value, _: f"{brief(100 * value)}%" if parts else brief(value))
    )


def durations(axes: Axes, longest: float) -> None:
    """Make an x axis of seconds on a logarithm, with marks at lengths of time that people know."""
    from matplotlib.ticker import FixedFormatter, FixedLocator, NullLocator  # noqa: PLC0415 - as above

    end = max(float(_HOUR), longest) * 1.6
    axes.set_xscale("log")
    axes.set_xlim(_SHORTEST * 0.8, end)
    marks = [mark for mark in _MARKS if mark <= end]
    axes.xaxis.set_major_locator(FixedLocator(marks))
    axes.xaxis.set_major_formatter(
        FixedFormatter([("≤" if mark == 1 else "") + span(mark) for mark in marks])
    )
    axes.xaxis.set_minor_locator(NullLocator())


def place(seconds: float) -> float:
    """Return where a wait stands on an axis of durations; none at all stands where one second does."""
    return max(_SHORTEST, seconds)
