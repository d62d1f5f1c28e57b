"""JSON values to nouns, field by field, as their type hints say; the way back of `policyctl.bundle.writing`."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache
from typing import Any, TypeVar

from policyctl.bundle.canonical import Unsound, shallow
from policyctl.bundle.forms import TAG, alternatives, each, fields, literal, optional, values
from policyctl.bundle.writing import MOST_DIGITS
from policyctl.diagnostics import Place
from policyctl.units import BadQuantity, Instant, Seconds, parse_duration, parse_instant

__all__ = ["members", "read"]

Read = Callable[[Any, str], Any]
Noun = TypeVar("Noun")


def read(noun: type[Noun], value: object, where: str) -> Noun:
    """Return the noun that a JSON value says; `where` names it in messages, such as `policy`.

    Raises Unsound for a wrong type, a missing or unknown field, or text that is not the quantity it should be.
    """
    hint: object = noun
    made = _by(hint)(value, where)
    assert isinstance(made, noun)
    return made


def members(value: object, names: frozenset[str], where: str) -> Mapping[str, Any]:
    """Return an object that has exactly these members; raises Unsound for any other value."""
    if not isinstance(value, dict):
        raise Unsound(f"{where} is not an object")
    if value.keys() != names:
        if unknown := sorted(value.keys() - names):
            raise Unsound(f"{where} has the unknown field {unknown[0][:60]!a}")
        raise Unsound(f"{where} lacks the field `{min(names - value.keys())}`")
    return value


def _text(value: object, where: str) -> str:
    if not isinstance(value, str):
        raise Unsound(f"{where} is not a text")
    return value


def _whole(value: object, where: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise Unsound(f"{where} is not a whole number")
    return value


def _flag(value: object, where: str) -> bool:
    if not isinstance(value, bool):
        raise Unsound(f"{where} is neither true nor false")
    return value


def _data(value: object, where: str) -> object:
    if not shallow(value):
        raise Unsound(f"{where} is nested too deeply")
    return value


def _ratio(value: object, where: str) -> Fraction:
    upper, slash, lower = _text(value, where).partition("/")
    if not _digits(upper.removeprefix("-")) or (slash and not _digits(lower)) or not int(lower or 1):
        raise Unsound(f"{where} is not an exact number")
    return Fraction(int(upper), int(lower or 1))


def _digits(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS


def _instant(value: object, where: str) -> Instant:
    try:
        return parse_instant(_text(value, where))
    except BadQuantity:
        raise Unsound(f"{where} is not an instant") from None


def _duration(value: object, where: str) -> Seconds:
    try:
        return parse_duration(_text(value, where))
    except BadQuantity:
        raise Unsound(f"{where} is not a duration") from None


def _place(value: object, where: str) -> Place:
    file, line, column = ["", "", *_text(value, where).rsplit(":", 2)][-3:]
    if not all(_digits(part) and len(part) <= 9 and int(part) for part in (line, column)):
        raise Unsound(f"{where} is not a place")
    if file.startswith("/") or ".." in file.split("/"):
        raise Unsound(f"{where} is not below the policy root")
    at, beside = int(line), int(column)
    return Place(file=file, line=at, column=beside, end_line=at, end_column=beside)


_PLAIN: dict[object, Read] = {
    str: _text,
    int: _whole,
    bool: _flag,
    Any: _data,
    Fraction: _ratio,
    Instant: _instant,
    Seconds: _duration,
    Place: _place,
}


@cache
def _by(hint: object) -> Read:
    if hint in _PLAIN:
        return _PLAIN[hint]
    if words := literal(hint):
        return _word(words)
    if (present := optional(hint)) is not None:
        one = _by(present)
        return lambda value, where: None if value is None else one(value, where)
    if nouns := alternatives(hint):
        return _one_of({tag: _noun(noun) for tag, noun in nouns.items()})
    if (item := each(hint)) is not None:
        return _items(_by(item))
    if (member := values(hint)) is not None:
        return _mapping(_by(member))
    assert isinstance(hint, type), f"{hint} has no form in a bundle"
    return _noun(hint)


def _word(words: tuple[Any, ...]) -> Read:
    def one(value: object, where: str) -> object:
        if not isinstance(value, str) or value not in words:
            raise Unsound(f"{where} is none of {', '.join(words)}")
        return value

    return one


def _one_of(nouns: Mapping[str, Read]) -> Read:
    def one(value: object, where: str) -> object:
        tag = value.get(TAG) if isinstance(value, dict) else None
        if not isinstance(value, dict) or not isinstance(tag, str) or tag not in nouns:
            raise Unsound(f"{where} is none of {', '.join(sorted(nouns))}")
        return nouns[tag]({key: value[key] for key in value if key != TAG}, where)

    return one


def _items(item: Read) -> Read:
    def all_of(value: object, where: str) -> tuple[object, ...]:
        if not isinstance(value, list):
            raise Unsound(f"{where} is not a list")
        return tuple(item(one, f"{where}[{at}]") for at, one in enumerate(value))

    return all_of


def _mapping(member: Read) -> Read:
    def all_of(value: object, where: str) -> dict[str, object]:
        if not isinstance(value, dict):
            raise Unsound(f"{where} is not an object")
        return {key: member(value[key], f"{where}[{key[:60]!a}]") for key in value}

    return all_of


def _noun(noun: type[Any]) -> Read:
    assert dataclasses.is_dataclass(noun), f"{noun} has no form in a bundle"
    parts = {name: _by(hint) for name, hint in fields(noun)}
    names = frozenset(parts)

    def one(value: object, where: str) -> object:
        found = members(value, names, where)
        return noun(**{name: part(found[name], f"{where}.{name}") for name, part in parts.items()})

    return one
