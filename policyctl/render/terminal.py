"""What a character becomes on a terminal: harmless where it would steer the screen, and as wide as it is drawn."""

from __future__ import annotations

import unicodedata

__all__ = ["cell", "painted", "visible", "width"]

# Cc and Cf hold escapes, bidirectional overrides and zero-width joiners; Cs, Co and Cn have no agreed picture;
# Zl and Zp break lines. Text that a person reviews shows all of them as numbers.
_HIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
_NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_COLOURS = {"red": "31", "yellow": "33", "blue": "34", "cyan": "36", "green": "32"}


def visible(text: str) -> str:
    r"""Return the text with every character that is not plainly printed written as an escape: `\x1b`, `\u202e`."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_shown, text))


def _shown(char: str) -> str:
    if unicodedata.category(char) not in _HIDDEN:
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
