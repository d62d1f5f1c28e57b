"""Single comparisons of a rule, as the set of values that they let through: the ground on which conditions compare.

An atom says of one subject (a field, an accessor of one, a text predicate) that its value lies in an interval, or is
or is not one of some constants. Everything else is opaque: it is equal to itself and to nothing else.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

__all__ = ["Among", "Atom", "Between", "Opaque", "atom_of", "follows", "known_of", "opposite"]

Number = Fraction | None
_CONSTANTS = {"bool", "int", "double", "string", "duration", "timestamp"}
_FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
_LOWERED = {"bool": bool, "string": str}


@dataclass(frozen=True, slots=True, kw_only=True)
class Between:
    """The subject is a number (seconds for times) within bounds; None is no bound, `strict` leaves the bound out."""

    subject: str
    low: Number = None
    low_strict: bool = False
    high: Number = None
    high_strict: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Among:
    """The subject is (or, `inside` False, is not) one of some constants."""

    subject: str
    values: frozenset[Any]
    inside: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Opaque:
    """A condition of which nothing is known but its text, and whether it is negated."""

    subject: str
    inside: bool = True


Atom = Between | Among | Opaque


def atom_of(tree: list[Any]) -> Atom:
    """Read one comparison of a lowered tree that has no logic in it."""
    match tree:
        case [("==" | "!=" | "<" | "<=" | ">" | ">=") as op, left, right]:
            if left[0] in _CONSTANTS and right[0] not in _CONSTANTS:
                op, left, right = _FLIPPED[op], right, left
            if right[0] in _CONSTANTS and left[0] not in _CONSTANTS:
                return _compared(op, _key(left), _value(right))
        case ["in", left, *items] if left[0] not in _CONSTANTS and all(one[0] in _CONSTANTS for one in items):
            return Among(subject=_key(left), values=frozenset(_value(one) for one in items))
        case ["field", _, _] | ["has", _, _]:
            return Among(subject=_key(tree), values=frozenset({True}))
        case _:
            pass
    return Opaque(subject=_key(tree))


def _key(tree: list[Any]) -> str:
    return json.dumps(tree)


def _value(constant: list[Any]) -> Any:
    kind, value = constant
    return value if kind in _LOWERED else Fraction(value)


def _compared(op: str, subject: str, value: Any) -> Atom:
    if op in {"==", "!="}:
        if isinstance(value, bool):
            return Among(subject=subject, values=frozenset({value is (op == "==")}))
        return Among(subject=subject, values=frozenset({value}), inside=op == "==")
    if not isinstance(value, Fraction):  # texts have an order too, but no rule is read by it
        return Opaque(subject=json.dumps([op, subject, value]))
    if op in {"<", "<="}:
        return Between(subject=subject, high=value, high_strict=op == "<")
    return Between(subject=subject, low=value, low_strict=op == ">")


def opposite(atom: Atom) -> Atom | None:
    """Return the atom that holds exactly where this one does not; None if that takes more than one atom."""
    match atom:
        case Among(values=values) if values <= {True, False} and len(values) == 1 and _boolean(values):
            return Among(subject=atom.subject, values=frozenset({not next(iter(values))}))
        case Among():
            return Among(subject=atom.subject, values=atom.values, inside=not atom.inside)
        case Opaque():
            return Opaque(subject=atom.subject, inside=not atom.inside)
        case Between(low=None, high=high) if high is not None:
            return Between(subject=atom.subject, low=high, low_strict=not atom.high_strict)
        case Between(low=low, high=None) if low is not None:
            return Between(subject=atom.subject, high=low, high_strict=not atom.low_strict)
        case Between():
            return None  # bounded on both sides, as only what is known of a subject is


def _boolean(values: frozenset[Any]) -> bool:
    return all(isinstance(value, bool) for value in values)


def follows(known: Atom, asked: Atom) -> bool:
    """Say whether `asked` certainly holds where `known` does."""
    if known == asked:
        return True
    if known.subject != asked.subject:
        return False
    match known, asked:
        case Among(inside=True, values=values), Among():
            return (values <= asked.values) if asked.inside else not (values & asked.values)
        case Among(inside=False), Among(inside=False):
            return asked.values <= known.values
        case Among(inside=True, values=values), Between():
            return bool(values) and all(_within(value, asked) for value in values)
        case Between(), Among(inside=False):
            return not any(_within(value, known) for value in asked.values)
        case Between(), Between():
            return _above(known, asked) and _below(known, asked)
        case _:
            return False


def _within(value: Any, between: Between) -> bool:
    if not isinstance(value, Fraction):
        return False
    point = Between(subject=between.subject, low=value, high=value)
    return _above(point, between) and _below(point, between)


def _above(known: Between, asked: Between) -> bool:
    if asked.low is None:
        return True
    if known.low is None:
        return False
    return known.low > asked.low or (known.low == asked.low and (known.low_strict or not asked.low_strict))


def _below(known: Between, asked: Between) -> bool:
    if asked.high is None:
        return True
    if known.high is None:
        return False
    return known.high < asked.high or (
        known.high == asked.high and (known.high_strict or not asked.high_strict)
    )


# What every job, victim and account is, whatever a rule says.
_LEAST_ZERO = {
    "gpus",
    "min_runtime",
    "time_limit",
    "running_for",
    "work_at_risk",
    "share",
    "usage",
    "entitled",
}
_WORDS = {"kind": ("batch", "interactive"), "class": ("funded", "opportunistic")}
_RANGES = {
    "getHours": (0, 23),
    "getMinutes": (0, 59),
    "getSeconds": (0, 59),
    "getDayOfWeek": (0, 6),
    "getDayOfMonth": (0, 30),
    "getDate": (1, 31),
    "getDayOfYear": (0, 365),
    "getMonth": (0, 11),
}


def known_of(subject: str) -> Atom | None:
    """Return what always holds of a subject, as CEL and the job's nouns define it; None if nothing does."""
    match json.loads(subject):
        case ["field", _, str(name)] if name in _LEAST_ZERO:
            return Between(subject=subject, low=Fraction(0))
        case ["field", _, "nodes"]:
            return Between(subject=subject, low=Fraction(1))
        case ["field", _, str(name)] if name in _WORDS:
            return Among(subject=subject, values=frozenset(_WORDS[name]))
        case [str(part), _, str()] if part in _RANGES:  # a duration's accessors have no zone and no bound
            low, high = _RANGES[part]
            return Between(subject=subject, low=Fraction(low), high=Fraction(high))
        case ["size", _]:
            return Between(subject=subject, low=Fraction(0))
        case _:
            return None
