"""What the type hints of the nouns mean as JSON: the table that the writer and the reader share."""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Iterator, Mapping
from typing import Any

from policyctl.model.policy import (
    CalendarWindow,
    Freeze,
    ProtectionGrant,
    ShareGrant,
    SlidingWindow,
    Suspension,
)

__all__ = ["TAG", "TAGS", "alternatives", "each", "fields", "literal", "optional", "values"]

TAG = "is"
"""The member that says which of several nouns an object is."""

TAGS: Mapping[type, str] = {
    CalendarWindow: "calendar",
    Freeze: "freeze",
    ProtectionGrant: "protection",
    ShareGrant: "share",
    SlidingWindow: "sliding",
    Suspension: "suspend",
}


def fields(noun: type[Any]) -> Iterator[tuple[str, object]]:
    """Yield the name and the resolved type hint of each field of a dataclass."""
    hints = typing.get_type_hints(noun)
    for one in dataclasses.fields(noun):
        yield one.name, hints[one.name]


def optional(hint: object) -> object | None:
    """Return what a hint allows beside None, or None where it does not allow None."""
    members = _members(hint)
    if types.NoneType not in members:
        return None
    rest = [member for member in members if member is not types.NoneType]
    assert len(rest) == 1, f"{hint} has no form: None beside several nouns"
    return rest[0]


def alternatives(hint: object) -> Mapping[str, type[Any]]:
    """Return the nouns of a union by their tag; empty for any other hint."""
    return {TAGS[member]: member for member in _members(hint) if isinstance(member, type)}


def each(hint: object) -> object | None:
    """Return the hint of the items of `tuple[X, ...]`, or None for any other hint."""
    return typing.get_args(hint)[0] if typing.get_origin(hint) is tuple else None


def values(hint: object) -> object | None:
    """Return the hint of the values of `Mapping[str, X]`, or None for any other hint."""
    return typing.get_args(hint)[1] if typing.get_origin(hint) is Mapping else None


def literal(hint: object) -> tuple[Any, ...]:
    """Return the values that a `Literal` allows; empty for any other hint."""
    return typing.get_args(hint) if typing.get_origin(hint) is typing.Literal else ()


def _members(hint: object) -> tuple[object, ...]:
    return typing.get_args(hint) if typing.get_origin(hint) in {types.UnionType, typing.Union} else ()
