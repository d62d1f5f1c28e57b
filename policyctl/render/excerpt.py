"""One line of a source with a span underlined: aligned for tabs and wide characters, cut to what fits."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from policyctl.diagnostics import Place
from policyctl.render.terminal import cell, width

__all__ = ["Excerpt", "excerpt", "source_lines"]

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


def source_lines(text: str) -> list[str]:
    """Return the lines of a text without their line breaks, which are those of YAML 1.2."""
    return _BREAK.split(text)


def excerpt(lines: Sequence[str], place: Place) -> Excerpt | None:
    """Show the line of a place in a text with its span, at most about a hundred columns of it; None if there is no such line.

    A span of several lines is underlined to the end of its first, an empty one at the character where it stands.
    """
    if place.line > len(lines):
        return None
    line = lines[place.line - 1]
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
