"""One line of a source with a span underlined: aligned for tabs and wide characters, cut to what fits."""

from __future__ import annotations

import re
from dataclasses import dataclass

from policyctl.diagnostics import Place
from policyctl.render.terminal import cell, width

__all__ = ["Excerpt", "excerpt", "source_line"]

_BREAK = re.compile(r"\r\n|\n|\r")
_LIMIT = 100
_BEFORE = 30
_CUT = "…"


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """The line as shown, and below it how many columns to skip and how many to underline."""

    line: str
    skip: int
    marks: int


def source_line(text: str, number: int) -> str | None:
    """Return a line of a text, counted from 1, without its line break; None beyond the end."""
    start = 0
    for _ in range(number - 1):
        found = _BREAK.search(text, start)
        if found is None:
            return None
        start = found.end()
    end = _BREAK.search(text, start)
    return text[start : end.start() if end else len(text)]


def excerpt(text: str, place: Place) -> Excerpt | None:
    """Show the line of a place with its span, at most about a hundred columns of it; None if there is no such line.

    A span of several lines is underlined to the end of its first, an empty one at the character where it stands.
    """
    line = source_line(text, place.line)
    if line is None:
        return None
    start = min(max(place.column - 1, 0), len(line))
    end = place.end_column - 1 if place.end_line == place.line else len(line.rstrip())
    end = min(max(end, start + 1), max(len(line), start + 1))
    cells = _cells(line)
    first, last = _window([width(one) for one in cells], start)
    shown = "".join(cells[first:last]).rstrip()
    head, tail = _CUT if first else "", _CUT if last < len(cells) else ""
    return Excerpt(
        line=f"{head}{shown}{tail}",
        skip=width(head) + sum(map(width, cells[first:start])),
        marks=max(1, sum(map(width, cells[start : min(end, last)]))),
    )


def _cells(line: str) -> list[str]:
    cells: list[str] = []
    at = 0
    for char in line:
        shown = cell(char, at)
        cells.append(shown)
        at += width(shown)
    return cells


def _window(widths: list[int], start: int) -> tuple[int, int]:
    """Return the part of a line that fits, as `[first, last)`: from its beginning where the span allows."""
    if sum(widths) <= _LIMIT:
        return 0, len(widths)
    first = start
    before = 0
    while first and before + widths[first - 1] <= _BEFORE:
        first -= 1
        before += widths[first]
    if sum(widths[: start + 1]) <= _LIMIT // 2:
        first = 0
    last = first
    total = 0
    while last < len(widths) and total + widths[last] <= _LIMIT:
        total += widths[last]
        last += 1
    return first, last
