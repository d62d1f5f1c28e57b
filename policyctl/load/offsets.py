"""Characters of a scalar's value back to the lines and columns at which they are written.

YAML folds lines, doubles quotes, and decodes escapes, so a value and its writing differ. But what is written keeps
the order of all characters that are not white space, which is enough to walk through both side by side.
"""

from __future__ import annotations

from bisect import bisect_right

from policyctl.load.values import Scalar, Span

__all__ = ["span_of"]

_ESCAPES = {"x": 4, "u": 6, "U": 10}
_BLANK = " \t\n"


def span_of(scalar: Scalar, lines: list[str], start: int, end: int) -> Span:
    """Return where the characters `start` to `end` (exclusive) of a scalar's text stand in its file's lines."""
    span = scalar.span
    written = "\n".join(
        [lines[span.line - 1][span.column - 1 :], *lines[span.line : span.end_line]]
        if span.line <= len(lines)
        else []
    )
    offsets = _alignment(scalar, written)
    first = offsets[min(start, len(scalar.text))][0]
    last = offsets[min(end, len(scalar.text)) - 1][1] if end > start else first
    breaks = [-1, *(index for index, char in enumerate(written) if char == "\n")]
    line, column = _line_column(breaks, first, span)
    end_line, end_column = _line_column(breaks, last, span)
    return Span(line, column, end_line, end_column)


def _line_column(breaks: list[int], offset: int, span: Span) -> tuple[int, int]:
    row = bisect_right(breaks, offset - 1) - 1
    column = offset - breaks[row]
    return span.line + row, column + (span.column - 1 if row == 0 else 0)


def _alignment(scalar: Scalar, written: str) -> list[tuple[int, int]]:
    """Return for each character of the text where its writing begins and ends; one more for the end."""
    at = _beginning(scalar, written)
    aligned: list[tuple[int, int]] = []
    for char in scalar.text:
        at = _skip_joins(scalar, written, at)
        if char not in _BLANK:
            while at < len(written) and written[at] in _BLANK:
                at = _skip_joins(scalar, written, at + 1)
        width = _width(scalar, written, at, char)
        aligned.append((at, at + width))
        at += width
    aligned.append((at, at))
    return aligned


def _beginning(scalar: Scalar, written: str) -> int:
    if scalar.style in ("literal", "folded"):
        return written.find("\n") + 1
    return 0 if scalar.style == "plain" else 1


def _skip_joins(scalar: Scalar, written: str, at: int) -> int:
    """Step over a backslash at the end of a line, which joins two lines of a double-quoted scalar."""
    while scalar.style == "double" and written.startswith("\\\n", at):
        at += 2
        while at < len(written) and written[at] in " \t":
            at += 1
    return at


def _width(scalar: Scalar, written: str, at: int, char: str) -> int:
    here = written[at : at + 1]
    if scalar.style == "double" and here == "\\":
        return _ESCAPES.get(written[at + 1 : at + 2], 2)
    if scalar.style == "single" and written.startswith("''", at):
        return 2
    return 1 if here == char or char not in _BLANK else 0
