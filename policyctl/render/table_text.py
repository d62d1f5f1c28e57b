"""Columns that line up: a table as text, with widths that follow what is in it."""

from __future__ import annotations

from collections.abc import Sequence

from policyctl.render.terminal import visible, width

__all__ = ["hours", "table"]


def table(
    header: Sequence[str], rows: Sequence[Sequence[str]], *, right: frozenset[int] = frozenset()
) -> list[str]:
    """Return the lines of a table: a header, then the rows; columns numbered in `right` are flush right."""
    cells = [[visible(cell) for cell in row] for row in [list(header), *map(list, rows)]]
    widths = [max(width(row[column]) for row in cells) for column in range(len(header))]
    return [
        "  ".join(
            _padded(cell, widths[column], right=column in right) for column, cell in enumerate(row)
        ).rstrip()
        for row in cells
    ]


def _padded(cell: str, size: int, *, right: bool) -> str:
    gap = " " * (size - width(cell))
    return gap + cell if right else cell + gap


def hours(value: float) -> str:
    """Write GPU-hours to read at a glance: one decimal below 100, none above, with thousands marked."""
    return f"{value:,.1f}" if abs(value) < 100 else f"{value:,.0f}"
