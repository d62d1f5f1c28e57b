r"""Regular expressions of `matches`: the part of RE2's syntax that is understood here, as a structure.

Everything accepted means exactly what it means in RE2 (unanchored search, `$` only at the very end, `.` without
newline, `\d \w \s` for ASCII). What RE2 has beyond that (word boundaries, Unicode classes, flags other than a leading `(?i)`)
and what RE2 itself lacks (backreferences, lookaround, possessive repetition) is refused.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from policyctl.expr.problems import quoted

__all__ = [
    "MAX_PATTERN",
    "MAX_STATES",
    "BadPattern",
    "Begin",
    "Chars",
    "Choice",
    "End",
    "Part",
    "Repeat",
    "Sequence",
    "read_pattern",
]

MAX_PATTERN = 500
"""Longest pattern, in characters."""
MAX_STATES = 1_000
"""Largest pattern after its counted repetitions are written out, in characters to match."""
_MAX_GROUPS = 20
_LAST = 0x10FFFF
_ASCII_ONLY = "`(?i)` is only supported with ASCII characters"

Ranges = tuple[tuple[int, int], ...]


class BadPattern(ValueError):
    """A pattern that is not accepted: `start` and `end` are character offsets into it, `help` the way out."""

    def __init__(self, message: str, start: int, end: int, *, help: str | None = None) -> None:  # noqa: A002 - the word of every finding
        super().__init__(message)
        self.start = start
        self.end = end
        self.help = help


@dataclass(frozen=True, slots=True)
class Chars:
    """One character out of sorted, disjoint, inclusive ranges of code points."""

    ranges: Ranges


@dataclass(frozen=True, slots=True)
class Begin:
    """The very beginning of the text."""


@dataclass(frozen=True, slots=True)
class End:
    """The very end of the text."""


@dataclass(frozen=True, slots=True)
class Sequence:
    """One part after the other."""

    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """Any one of the parts."""

    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """At least `low` and at most `high` (None: any number) times the part."""

    part: Part
    low: int
    high: int | None


Part = Chars | Begin | End | Sequence | Choice | Repeat

_CLASSES: dict[str, Ranges] = {
    "d": ((48, 57),),
    "w": ((48, 57), (65, 90), (95, 95), (97, 122)),
    "s": ((9, 10), (12, 13), (32, 32)),
}
_CONTROLS = {"a": 7, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11}
_COUNT = re.compile(r"\{(\d{1,4})(,(\d{0,4}))?\}", re.ASCII)
_HEX = re.compile(r"x(?:([0-9a-fA-F]{2})|\{([0-9a-fA-F]{1,6})\})")
_INSTEAD = {
    "b": "RE2 knows word boundaries, policyctl does not: write out what stands beside the word",
    "B": "RE2 knows word boundaries, policyctl does not: write out what stands beside the word",
    "Z": "write `$` or `\\z` for the end of the text",
    "p": "write the characters or ranges out: `[a-zà-ÿ]`",
    "P": "write the characters or ranges out: `[a-zà-ÿ]`",
}


def read_pattern(text: str) -> Part:
    """Read a pattern; raises BadPattern where it is not one, or not one that is understood here."""
    if len(text) > MAX_PATTERN:
        raise BadPattern(
            f"the pattern has more than {MAX_PATTERN} characters", 0, len(text), help="use `in` with a list"
        )
    fold = text.startswith("(?i)")
    if (
        fold
        and (strange := next((at for at, char in enumerate(text) if not char.isascii()), None)) is not None
    ):
        raise BadPattern(_ASCII_ONLY, strange, strange + 1, help="write both cases out: `[äÄ]`")
    reader = _Reader(text, 4 if fold else 0, fold=fold)
    part = reader.choice(0)
    if reader.at < len(text):
        raise BadPattern("`)` closes nothing", reader.at, reader.at + 1, help="write `\\)` for the character")
    if _size(part) > MAX_STATES:
        message = f"the pattern stands for more than {MAX_STATES} characters"
        raise BadPattern(message, 0, len(text), help="repeat less often: `{1,100}`")
    return part


def _size(part: Part) -> int:
    match part:
        case Sequence(parts) | Choice(parts):
            return 1 + sum(_size(one) for one in parts)
        case Repeat(inner, low, high):
            return 1 + _size(inner) * max(1, low if high is None else high)
        case _:
            return 1


class _Reader:
    def __init__(self, text: str, at: int, *, fold: bool) -> None:
        self.text = text
        self.at = at
        self.fold = fold

    def peek(self, width: int = 1) -> str:
        return self.text[self.at : self.at + width]

    def bad(self, message: str, width: int = 1, hint: str | None = None) -> BadPattern:
        return BadPattern(message, self.at, min(self.at + width, len(self.text)), help=hint)

    def choice(self, depth: int) -> Part:
        parts = [self.sequence(depth)]
        while self.peek() == "|":
            self.at += 1
            parts.append(self.sequence(depth))
        return parts[0] if len(parts) == 1 else Choice(tuple(parts))

    def sequence(self, depth: int) -> Part:
        parts: list[Part] = []
        while self.peek() not in {"", "|", ")"}:
            parts.append(self.repeated(self.atom(depth)))
        return parts[0] if len(parts) == 1 else Sequence(tuple(parts))

    def repeated(self, part: Part) -> Part:
        bounds = self.bounds()
        if bounds is None:
            return part
        if isinstance(part, Begin | End):
            self.at -= 1
            raise self.bad("an anchor cannot be repeated")
        if self.peek() == "?":
            self.at += 1  # lazy: which match is found first does not matter to whether there is one
        if self.peek() in {"*", "+", "?"} or _COUNT.match(self.text, self.at):
            hint = "RE2 has no possessive or double repetition: put the first one into a group `(?:…)`"
            raise self.bad("a repetition cannot be repeated", hint=hint)
        return Repeat(part, *bounds)

    def bounds(self) -> tuple[int, int | None] | None:
        simple: dict[str, tuple[int, int | None]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}
        if bounds := simple.get(self.peek()):
            self.at += 1
            return bounds
        if self.peek() != "{":
            return None
        found = _COUNT.match(self.text, self.at)
        if found is None:
            raise self.bad("`{` starts no repetition", hint="write `{2,5}`, or `\\{` for the character")
        low = int(found[1])
        high = low if found[2] is None else int(found[3]) if found[3] else None
        if max(low, high or 0) > MAX_STATES or (high is not None and high < low):
            raise self.bad(f"{quoted(found[0])} is not a possible repetition", len(found[0]))
        self.at = found.end()
        return low, high

    def atom(self, depth: int) -> Part:
        char = self.peek()
        if char in "*+?{":
            raise self.bad(
                f"there is nothing to repeat before `{char}`", hint=f"write `\\{char}` for the character"
            )
        if char == "(":
            return self.group(depth)
        if char == "[":
            return self.char_class()
        if char == "\\":
            return self.escape()
        self.at += 1
        if char == ".":
            return Chars(((0, 9), (11, _LAST)))
        if char in "^$":
            return Begin() if char == "^" else End()
        return Chars(_union(self.folded(ord(char), ord(char))))

    def group(self, depth: int) -> Part:
        start = self.at
        if depth >= _MAX_GROUPS:
            raise self.bad(f"groups are nested more than {_MAX_GROUPS} deep")
        if self.peek(3) == "(?:":
            self.at += 3
        elif self.peek(2) == "(?":
            hint = "write `(?:…)` for a group, and `(?i)` only at the very start to ignore case"
            raise self.bad(f"{quoted(self.peek(4))} is not supported", 4, hint)
        else:
            self.at += 1
        inner = self.choice(depth + 1)
        if self.peek() != ")":
            raise BadPattern("`(` is never closed", start, start + 1, help="write `\\(` for the character")
        self.at += 1
        return inner

    def escape(self) -> Part:
        letter = self.text[self.at + 1 : self.at + 2]
        if letter in {"A", "z"}:
            self.at += 2
            return Begin() if letter == "A" else End()
        return Chars(_union(self.escaped()))

    def escaped(self) -> Ranges:
        letter = self.text[self.at + 1 : self.at + 2]
        if letter and letter in "dwsDWS":
            self.at += 2
            ranges = _union(tuple(pair for one in _CLASSES[letter.lower()] for pair in self.folded(*one)))
            return ranges if letter.islower() else _complement(ranges)
        code = self.escaped_code()
        return self.folded(code, code)

    def escaped_code(self) -> int:
        letter = self.text[self.at + 1 : self.at + 2]
        if found := _HEX.match(self.text, self.at + 1):
            code = int(found[1] or found[2], 16)
            if code <= _LAST:
                self.at = found.end()
                return code
        elif letter in _CONTROLS:
            self.at += 2
            return _CONTROLS[letter]
        elif letter and letter.isascii() and not (letter.isalnum() or letter == "_"):
            self.at += 2
            return ord(letter)
        if not letter:
            raise self.bad("the pattern ends with a backslash", hint="write `\\\\` for the character")
        message = f"`\\{letter}` is a backreference" if letter.isdigit() else f"`\\{letter}` is not supported"
        hint = "RE2 has no backreferences" if letter.isdigit() else _INSTEAD.get(letter)
        raise self.bad(message, 2, hint)

    def char_class(self) -> Part:
        start = self.at
        self.at += 1
        negated = self.peek() == "^"
        self.at += negated
        first = self.at
        ranges: list[tuple[int, int]] = []
        while self.peek() != "]" or self.at == first:
            if not self.peek():
                raise BadPattern(
                    "`[` is never closed", start, start + 1, help="write `\\[` for the character"
                )
            ranges += self.class_item(first)
        self.at += 1
        union = _union(tuple(ranges))
        return Chars(_complement(union) if negated else union)

    def class_item(self, first: int) -> Ranges:
        if self.peek(2) == "[:":
            raise self.bad(
                "`[:` is not supported", 2, "write the ranges out: `a-zA-Z` for letters, `0-9` for digits"
            )
        if self.peek() == "]":
            raise self.bad("a class starts with `]`", hint="write `\\]` for the character")
        if self.peek() == "-" and self.at != first and self.peek(2) != "-]":
            raise self.bad("`-` stands between no two characters", hint="write `\\-` for the character")
        if self.peek() == "\\" and self.text[self.at + 1 : self.at + 2] in set("dwsDWS"):
            return self.escaped()
        begin = self.at
        low = self.class_char()
        if self.peek() != "-" or self.peek(2) in {"-]", "-"}:
            return self.folded(low, low)
        self.at += 1
        high = self.class_char()
        if high < low:
            raise BadPattern(
                "the range runs backwards", begin, self.at, help="write the smaller character first"
            )
        return self.folded(low, high)

    def class_char(self) -> int:
        if self.peek() == "\\":
            return self.escaped_code()
        self.at += 1
        return ord(self.text[self.at - 1])

    def folded(self, low: int, high: int) -> Ranges:
        """Return a range, with the other case of its letters where the pattern ignores case."""
        if not self.fold:
            return ((low, high),)
        if high >= 128:
            raise BadPattern(_ASCII_ONLY, 0, len(self.text), help="write both cases out: `[äÄ]`")
        others = [low_or_up for code in range(low, high + 1) for low_or_up in _other_cases(code)]
        return ((low, high), *((code, code) for code in others))


def _other_cases(code: int) -> tuple[int, ...]:
    """Return what RE2 takes for the same letter; two letters outside of ASCII fold to `k` and `s`."""
    if not chr(code).isalpha():
        return ()
    return (code ^ 32, *{107: (0x212A,), 115: (0x17F,)}.get(code | 32, ()))


def _union(ranges: Ranges) -> Ranges:
    merged: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if merged and low <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(high, merged[-1][1]))
        else:
            merged.append((low, high))
    return tuple(merged)


def _complement(ranges: Ranges) -> Ranges:
    edges = [-1, *(edge for low, high in ranges for edge in (low - 1, high)), _LAST]
    pairs = [(low + 1, high) for low, high in zip(edges[::2], edges[1::2], strict=True)]
    return tuple((low, high) for low, high in pairs if low <= high)
