"""JSON bytes to plain values, strictly: no number loses a digit, no key hides another, every refusal has a place."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from policyctl.errors import NoAnswer

__all__ = ["Doubled", "NumberText", "Spot", "line_and_column", "read_json", "spots"]

_EXACT_DIGITS = 18
_DEEPEST = 64
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{},:]|[^\s\[\]{},:"]+')
_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{}]')


class NumberText(str):
    """A number that is not a short integer, as it was written: `0.46`, `1e3`, `NaN`."""

    __slots__ = ()


class Doubled(dict[str, object]):
    """An object in which keys appear more than once: the last value of each, and the names of the repeated ones."""

    repeated: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """Where a value stands in the text, lines and columns from 1, end exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int


def read_json(data: bytes, *, file: str) -> tuple[str, object]:
    """Return the text and its value; numbers with a fraction, an exponent or many digits stay text.

    Raises NoAnswer with line and column for bytes that are not UTF-8, text that is not JSON, text that ends
    early, text after the end, and nesting deeper than 64.
    """
    text = _decoded(data, file)
    try:
        value: object = json.loads(
            text,
            object_pairs_hook=_object,
            parse_int=_integer,
            parse_float=NumberText,
            parse_constant=NumberText,
        )
    except json.JSONDecodeError as problem:
        raise NoAnswer(
            f"{file}:{problem.lineno}:{problem.colno}: not JSON: {_in_our_words(problem, text)}",
            help="write one JSON document, complete to its last bracket",
        ) from None
    except RecursionError:
        raise _too_deep(text, file) from None
    return text, value


def _decoded(data: bytes, file: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        before = data[: problem.start]
        line = before.count(b"\n") + 1
        column = problem.start - (before.rfind(b"\n") + 1) + 1
        raise NoAnswer(
            f"{file}:{line}:{column}: the bytes are not UTF-8", help="save the file as UTF-8"
        ) from None


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    plain = dict(pairs)
    if len(plain) == len(pairs):
        return plain
    doubled = Doubled(plain)
    names = [name for name, _ in pairs]
    doubled.repeated = tuple(sorted({name for name in names if names.count(name) > 1}))
    return doubled


def _integer(text: str) -> int | NumberText:
    return int(text) if len(text) <= _EXACT_DIGITS else NumberText(text)


def _in_our_words(problem: json.JSONDecodeError, text: str) -> str:
    if problem.pos >= len(text.rstrip()):
        return "the text ends before the document does"
    if problem.msg == "Extra data":
        return "there is more text after the document"
    return problem.msg[:1].lower() + problem.msg[1:]


def _too_deep(text: str, file: str) -> NoAnswer:
    depth = 0
    for found in _BRACKET.finditer(text):
        piece = found[0]
        depth += (piece in "[{") - (piece in "]}")
        if depth > _DEEPEST:
            line, column = line_and_column(text, found.start())
            return NoAnswer(f"{file}:{line}:{column}: nested deeper than {_DEEPEST} levels")
    return NoAnswer(f"{file}:1:1: nested too deeply")


def line_and_column(text: str, offset: int) -> tuple[int, int]:
    """Return line and column, from 1, of an offset."""
    return text.count("\n", 0, offset) + 1, offset - (text.rfind("\n", 0, offset) + 1) + 1


def spots(text: str, wanted: frozenset[str]) -> dict[str, Spot]:
    """Return where the values at the wanted paths (`jobs[12].gpus`) stand; a path that is not there is left out.

    Walks the whole text once, so callers ask only when something is to be reported.
    """
    found: dict[str, Spot] = {}
    line, seen = 1, 0
    for path, start, end in _values(text):
        if path in wanted and path not in found:
            line += text.count("\n", seen, start)
            seen = start
            column = start - (text.rfind("\n", 0, start) + 1) + 1
            found[path] = Spot(line=line, column=column, end_line=line, end_column=column + end - start)
            if len(found) == len(wanted):
                break
    return found


@dataclass(slots=True)
class _Level:
    """One open bracket while walking: its path, and which key or index comes next."""

    path: str
    array: bool
    index: int = 0
    key: str = ""
    after_colon: bool = False

    def child(self) -> str:
        if self.array:
            return f"{self.path}[{self.index}]"
        return f"{self.path}.{self.key}" if self.path else self.key


def _values(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield path, start and end of every value in order; a container ends after its opening bracket."""
    stack: list[_Level] = []
    for found in _TOKEN.finditer(text):
        piece = found[0]
        top = stack[-1] if stack else None
        if piece in "]}":
            if stack:
                stack.pop()
        elif piece == ",":
            if top:
                top.index, top.after_colon = top.index + 1, False
        elif piece == ":":
            if top:
                top.after_colon = True
        elif top and not top.array and not top.after_colon:
            top.key = _key(piece)
        else:
            path = top.child() if top else ""
            yield path, found.start(), found.end()
            if piece in "[{":
                stack.append(_Level(path=path, array=piece == "["))


def _key(piece: str) -> str:
    plain: object = json.loads(piece) if piece.startswith('"') else piece
    return str(plain)
