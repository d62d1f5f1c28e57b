"""What a character becomes on a terminal: harmless where it would steer the screen, and as wide as it is drawn."""

from __future__ import annotations

import unicodedata

__all__ = ["cell", "painted", "visible", "width"]

_NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_COLOURS = {"red": "31", "yellow": "33", "blue": "34", "cyan": "36", "green": "32"}


def visible(text: str) -> str:
    r"""Return the text with every character that is not plainly printed written as an escape: `\x1b`, `\u202e`."""
    return text if text.isprintable() else "".join(map(_shown, text))


def _shown(char: str) -> str:
    # Not printable are escapes, bidirectional overrides, zero-width joiners, line separators, spaces that only look
    # like one, and characters without an agreed picture: a person who reviews a policy should see that they are there.
    if char.isprintable():
        return char
    if char in _NAMED:
        return _NAMED[char]
    number = ord(char)
    if number <= 0xFF:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number <= 0xFFFF else f"\\U{number:08x}"


def width(text: str) -> int:
    """Return how many columns of a terminal printable text takes: wide characters two, combining marks none."""
    return len(text) if text.isascii() else sum(map(_columns, text))


def _columns(char: str) -> int:
    if unicodedata.category(char) in {"Mn", "Me"}:
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def cell(char: str, at: int, *, tab: int = 4) -> str:
    """Return what one character of a source line shows when it begins in column `at`, counted from 0."""
    return " " * (tab - at % tab) if char == "\t" else _shown(char)


def painted(text: str, colour: str, *, on: bool, bold: bool = False) -> str:
    """Return the text in a colour, or unchanged where colours are off."""
    return f"\x1b[{'1;' if bold else ''}{_COLOURS[colour]}m{text}\x1b[0m" if on and text else text
