"""Columns that line up: a table as text, with widths that follow what is in it, and text that keeps within a width."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from policyctl.render.terminal import visible, width

__all__ = ["fitting", "hours", "table", "wrapped"]


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


def fitting(lines: Sequence[str], columns: int | None) -> bool:
    """Say whether every line keeps within so many columns; None is as wide as it takes."""
    return columns is None or all(width(line) <= columns for line in lines)


def wrapped(text: str, columns: int | None) -> list[str]:
    """Return the text in lines of at most so many columns, broken between words; the next ones are indented."""
    if columns is None or width(text) <= columns:
        return [text]
    return textwrap.wrap(
        text, max(columns, 20), subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
    )


def hours(value: float) -> str:
    """Write GPU-hours to read at a glance: one decimal below 100, none above, with thousands marked."""
    return f"{value:,.1f}" if abs(value) < 100 else f"{value:,.0f}"
