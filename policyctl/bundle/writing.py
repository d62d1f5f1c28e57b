"""Nouns to JSON values, field by field, as their type hints say.

Instants become `2026-09-01T12:00:00Z`, durations `1h30m`, rationals `3/5`, places `file:line:column`; a noun
becomes an object with every field, None included; one of several nouns says which it is in `is`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection
from fractions import Fraction
from typing import Any

from policyctl.bundle.canonical import Unsound, canonical
from policyctl.bundle.forms import TAG, TAGS, alternatives, each, fields, literal, optional, values
from policyctl.diagnostics import Place
from policyctl.units import Instant, Seconds, format_duration, format_instant, format_ratio

__all__ = ["MOST_DIGITS", "Writer"]

MOST_DIGITS = 4_000
"""The longest numerator or denominator that a bundle holds; Python refuses to convert longer ones to text."""
_TOO_LONG = 10**MOST_DIGITS

Write = Callable[[Any], Any]


def _ratio(value: Fraction) -> str:
    if abs(value.numerator) >= _TOO_LONG or value.denominator >= _TOO_LONG:
        raise Unsound(f"an exact number has more than {MOST_DIGITS} digits")
    return format_ratio(value)


def _same(value: object) -> object:
    return value


_PLAIN: dict[object, Write] = {
    str: _same,
    int: _same,
    bool: _same,
    Any: _same,
    Fraction: _ratio,
    Instant: format_instant,
    Seconds: format_duration,
    Place: str,
}


class Writer:
    """Writes nouns as JSON values, without some fields and with some tuples sorted, if so told.

    `without` holds pairs of a noun and a field name, and types of fields; `unordered` holds hints of tuples whose
    order means nothing, which are then written in the order of their own JSON text.
    """

    def __init__(
        self, *, without: Collection[object] = frozenset(), unordered: Collection[object] = frozenset()
    ) -> None:
        self._without = without
        self._unordered = unordered
        self._made: dict[object, Write] = {}

    def write(self, noun: object) -> Any:
        """Return the JSON value of a dataclass instance."""
        return self._by(type(noun))(noun)

    def _by(self, hint: object) -> Write:
        if hint not in self._made:
            self._made[hint] = self._make(hint)
        return self._made[hint]

    def _make(self, hint: object) -> Write:
        if hint in _PLAIN:
            return _PLAIN[hint]
        if literal(hint):
            return _same
        if (present := optional(hint)) is not None:
            one = self._by(present)
            return lambda value: None if value is None else one(value)
        if nouns := alternatives(hint):
            by = {noun: self._by(noun) for noun in nouns.values()}
            return lambda value: {TAG: TAGS[type(value)], **by[type(value)](value)}
        if (item := each(hint)) is not None:
            return self._items(hint, self._by(item))
        if (member := values(hint)) is not None:
            inner = self._by(member)
            return lambda value: {key: inner(value[key]) for key in value}
        return self._noun(hint)

    def _items(self, hint: object, item: Write) -> Write:
        if hint in self._unordered:
            return lambda value: sorted((item(one) for one in value), key=canonical)
        return lambda value: [item(one) for one in value]

    def _noun(self, hint: object) -> Write:
        assert isinstance(hint, type), f"{hint} has no form in a bundle"
        assert dataclasses.is_dataclass(hint), f"{hint} has no form in a bundle"
        kept = [
            (name, self._by(field))
            for name, field in fields(hint)
            if (hint, name) not in self._without and field not in self._without
        ]
        return lambda value: {name: write(getattr(value, name)) for name, write in kept}
