"""What tables on a comparison's page are made of: cells, and whole rows up to what a page can hold, the rest counted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from markupsafe import escape

from policyctl.render.terminal import visible

__all__ = ["MOST_LINES", "Bar", "Cell", "Listing", "Row", "listing", "many", "signed", "text"]

MOST_LINES = 12
"""Lines of one cell."""
_MOST_ROWS = 500
_MOST_AT_ONCE = 20
_FEW = 5
_MOST_BYTES = 240_000
_MARKUP = 90
_MARKUP_OF_LINE = 30
_MARKUP_OF_BAR = 160
_LONGEST = 1_000


def many(rows: Sequence[object]) -> bool:
    """Say whether there are too many rows to show them all at once; a few more than usual are not folded."""
    return len(rows) > _MOST_AT_ONCE + _FEW


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """Two parts of one, in percent of the longest bar of their table."""

    before: str
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """Lines of text, with a smaller line below them, a colour by the name of a class, or a bar above them.

    `quoting` says that backticks in the lines are ours, around names.
    """

    lines: tuple[str, ...]
    quoting: bool = False
    below: str = ""
    kind: str = ""
    bar: Bar | None = None


Row = tuple[Cell, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """Rows that a page has room for, and how many it has not; a column that is in `numbers` is flush right."""

    header: tuple[str, ...]
    rows: tuple[Row, ...]
    hidden: int = 0
    numbers: frozenset[int] = frozenset()

    @property
    def first(self) -> tuple[Row, ...]:
        """The rows that are shown at once."""
        return self.rows[:_MOST_AT_ONCE] if many(self.rows) else self.rows

    @property
    def rest(self) -> tuple[Row, ...]:
        """The rows that are shown when they are asked for."""
        return self.rows[len(self.first) :]


def listing(
    header: tuple[str, ...], rows: Iterable[Row], *, numbers: frozenset[int] = frozenset()
) -> Listing:
    """Keep whole rows from the first on while there is room."""
    kept: list[Row] = []
    room = _MOST_BYTES
    hidden = 0
    for row in rows:
        room -= sum(_weight(cell) for cell in row) if not hidden else 0
        if hidden or room < 0 or len(kept) == _MOST_ROWS:
            hidden += 1
        else:
            kept.append(row)
    return Listing(header=header, rows=tuple(kept), hidden=hidden, numbers=numbers)


def _weight(cell: Cell) -> int:
    lines = (len(escape(visible(one)).encode()) + _MARKUP_OF_LINE for one in (*cell.lines, cell.below) if one)
    return _MARKUP + (0 if cell.bar is None else _MARKUP_OF_BAR) + sum(lines)


def text(*lines: str, below: str = "", kind: str = "", quoting: bool = False) -> Cell:
    """Return a cell of so many lines, the first ones of them, each cut where it is too long to read."""
    shown = [one if len(one) <= _LONGEST else f"{one[:_LONGEST]}…" for one in lines[:MOST_LINES]]
    more = [f"and {len(lines) - MOST_LINES:,} more"] if lines[MOST_LINES:] else []
    return Cell(lines=(*shown, *more), quoting=quoting, below=below, kind=kind)


def signed(amount: str) -> str:
    """Return an amount with a minus sign that is as wide as its plus."""
    return amount.replace("-", "−")
