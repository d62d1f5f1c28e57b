"""Bytes of a policy file to text: UTF-8, one kind of line end, and no character that a reviewer cannot see."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from policyctl.catalogue import finding
from policyctl.diagnostics import Finding, Place
from policyctl.load.limits import FINDINGS_PER_FILE

__all__ = ["decode", "hidden", "is_composed"]

# Control characters, characters that break lines elsewhere than people see, that reverse the direction of text, or
# that take no room: with them a reviewer approves something else than the machine reads.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ufffe\uffff\U000e0000-\U000e007f]"
)
# Undecodable bytes, and the sign that an earlier conversion left where it met some.
_LOST = re.compile("[\udc80-\udcff\ufffd]")
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


def decode(file: str, data: bytes) -> tuple[str, tuple[Finding, ...]]:
    """Return the text with LF line ends, one replacement character for each refused one, and what was refused."""
    if data.startswith(_UTF16):
        place = Place(file=file)
        return "", (finding("Y003", "the file is UTF-16, not UTF-8", place, help="save it as UTF-8"),)
    raw = data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", errors="surrogateescape")
    text = raw.replace("\r\n", "\n").replace("\r", "\n")
    found = (*_undecodable(file, text), *_concealed(file, text), *_decomposed(file, text))
    return _HIDDEN.sub("\ufffd", _LOST.sub("\ufffd", text)), found


def hidden(text: str) -> str | None:
    """Return the first character of a value that must not be in a policy, or None; a line break is allowed."""
    found = _HIDDEN.search(text)
    return found[0] if found else None


def is_composed(text: str) -> bool:
    """Say whether the text is in normal form C, so that equal looking names are equal."""
    return text.isascii() or unicodedata.is_normalized("NFC", text)


def _undecodable(file: str, text: str) -> Iterator[Finding]:
    for place, char in _places(file, text, _LOST):
        if char == "\ufffd":
            message = "a replacement character: what stood here was lost in an earlier conversion"
            yield finding("Y003", message, place, help="type the text again, and save the file as UTF-8")
        else:
            message = f"byte 0x{ord(char) - 0xDC00:02x} is not valid UTF-8 here"
            yield finding("Y003", message, place, help="save the file as UTF-8")


def _concealed(file: str, text: str) -> Iterator[Finding]:
    for place, char in _places(file, text, _HIDDEN):
        name = unicodedata.name(char, "a control character").lower()
        yield finding(
            "Y004",
            f"invisible character U+{ord(char):04X} ({name})",
            place,
            help="delete it; what a policy says must be visible in review",
        )


def _places(file: str, text: str, pattern: re.Pattern[str]) -> Iterator[tuple[Place, str]]:
    line, start = 1, 0
    for count, found in enumerate(pattern.finditer(text)):
        if count == FINDINGS_PER_FILE:
            return
        line += text.count("\n", start, found.start())
        start = found.start()
        column = start - text.rfind("\n", 0, start)
        yield Place(file=file, line=line, column=column, end_line=line, end_column=column + 1), found[0]


def _decomposed(file: str, text: str) -> Iterator[Finding]:
    if is_composed(text):
        return
    count = 0
    for number, line in enumerate(text.split("\n"), start=1):
        composed = unicodedata.normalize("NFC", line)
        if line == composed:
            continue
        pairs = enumerate(zip(line, composed, strict=False))
        column = next((index for index, (a, b) in pairs if a != b), min(len(line), len(composed))) + 1
        place = Place(file=file, line=number, column=column, end_line=number, end_column=column + 1)
        yield finding(
            "Y005",
            "a character is written as several code points that look like one",
            place,
            help="save the text in Unicode normal form C, so that equal looking names are equal",
        )
        count += 1
        if count == FINDINGS_PER_FILE:
            return
