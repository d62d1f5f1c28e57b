"""Text of others on one line: control characters out, length bounded, so that it can stand in a message or an id."""

from __future__ import annotations

__all__ = ["printable", "shortened"]

_LONGEST = 60


def printable(text: str) -> str:
    """Replace what does not print, line breaks too; nearly every text is returned as it is."""
    return text if text.isprintable() else "".join(one if one.isprintable() else "\ufffd" for one in text)


def shortened(text: str) -> str:
    """Return printable text of at most 60 characters, cut with an ellipsis."""
    return printable(text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…")
