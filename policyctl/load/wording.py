"""User text inside a message: short, on one line, and without characters that a terminal would obey."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["one_of", "quoted"]

_LONGEST = 60


def quoted(text: str) -> str:
    """Put text into backticks; control characters are escaped, and the middle of a long text is left out."""
    shown = "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode() for char in text[:200]
    )
    if len(text) > _LONGEST:
        shown = f"{shown[: _LONGEST - 3]}..."
    return f"`{shown.replace('`', chr(39))}`"


def one_of(words: Iterable[str]) -> str:
    """Write a choice: `a`, `b` or `c`."""
    *most, last = (f"`{word}`" for word in words)
    return f"{', '.join(most)} or {last}" if most else last
