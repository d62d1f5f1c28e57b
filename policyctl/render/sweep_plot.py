"""Volatility against recovery as plain characters: where each option lies, for a terminal."""

from __future__ import annotations

from policyctl.model.sweep import SweepReport
from policyctl.render.quantity_text import ratio, span
from policyctl.render.sweep_words import letter

__all__ = ["against", "plot"]

_WIDE, _HIGH = 56, 12


def against(report: SweepReport) -> tuple[str, str]:
    """Return the figure on the axis across, and what it is called: recovery, or waits where nobody returned."""
    measured = all(row.mean("recovery") is not None for row in report.rows)
    return ("recovery", "recovery") if measured else ("wait_p90", "wait of 9 in 10")


def plot(report: SweepReport) -> list[str]:
    """Return the lines of the chart; none where there are not two points to set apart."""
    figure, title = against(report)
    points = [
        (x, y, letter(report.options.index(row.point.option)))
        for row in report.rows
        if (x := row.mean(figure)) is not None and (y := row.mean("volatility")) is not None
    ]
    if len(points) < 2:
        return []
    left, right = min(x for x, _, _ in points), max(x for x, _, _ in points)
    low, high = min(y for _, y, _ in points), max(y for _, y, _ in points)
    grid = [[" "] * _WIDE for _ in range(_HIGH)]
    for x, y, mark in reversed(points):
        column = _place(x, left, right, _WIDE - len(mark))
        row = _HIGH - 1 - _place(y, low, high, _HIGH - 1)
        grid[row][column : column + len(mark)] = mark
    sides = [ratio(high), *[""] * (_HIGH - 2), ratio(low)]
    gutter = max(map(len, sides))
    lines = [
        f"{side:>{gutter}} |{''.join(cells).rstrip()}".rstrip()
        for side, cells in zip(sides, grid, strict=True)
    ]
    foot = f"{span(left)}{span(right):>{_WIDE - len(span(left))}}"
    return [
        f"part of the GPUs that moves per day (up) against {title} (across)",
        *lines,
        f"{'':>{gutter}} +{'-' * _WIDE}",
        f"{'':>{gutter}}  {foot}",
    ]


def _place(value: float, low: float, high: float, steps: int) -> int:
    return round((value - low) / (high - low) * steps) if high > low else 0
