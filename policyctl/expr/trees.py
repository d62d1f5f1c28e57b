"""Lowered expressions: their forms, and the check that a tree from an untrusted bundle is one of them.

A tree is plain JSON: a list whose first item says which form it is.

    ["bool", true]  ["int", 64]  ["double", 1.5]  ["string", "x"]     constants
    ["duration", 3600]  ["timestamp", 1788264000]                     constants, in seconds
    ["field", "job", "gpus"]  ["name", "now"]                         variables
    ["has", "job", "time_limit"]                                      is the field there
    ["label", MAP, KEY]  ["has_label", MAP, KEY]                      `MAP[KEY]`, `KEY in MAP`
    ["&&", A, B, …]  ["||", A, B, …]  ["!", A]  ["?:", C, A, B]       logic
    ["==", A, B] and != < <= > >=,  ["in", A, ITEM, …]                comparison
    ["+", A, B] and - * / %,  ["neg", A]                              arithmetic
    ["startsWith", A, B] and endsWith contains,  ["size", A]          texts
    ["matches", A, "pattern"]
    ["getHours", TIMESTAMP, "UTC"]  ["getHours", DURATION]            and the other accessors
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from policyctl.expr.automaton import automaton
from policyctl.expr.literals import INT_MAX, INT_MIN, MAX_TEXT
from policyctl.expr.patterns import BadPattern
from policyctl.expr.scope import Scope, Type, article
from policyctl.expr.signatures import (
    ARITHMETIC,
    COMPARISONS,
    DURATION_PARTS,
    NEGATABLE,
    TEXT_PREDICATES,
    TIMESTAMP_PARTS,
    binary_type,
    comparable,
)
from policyctl.expr.times import MAX_SPAN, MAX_TIME, MIN_TIME
from policyctl.expr.zones import read_zone

__all__ = ["MAX_DEPTH", "MAX_NODES", "Tree", "check_tree"]

MAX_DEPTH = 48
"""Deepest nesting of an expression."""
MAX_NODES = 2_000
"""Most parts of one expression."""

Tree = list[Any]


class _Malformed(Exception):
    pass


def check_tree(tree: object, scope: Scope) -> str | None:
    """Say what is wrong with a lowered condition, or None if `evaluate` can take it.

    Checks forms, arities, names, types, constants and sizes, so that evaluation can only fault, never crash.
    """
    try:
        found = _Check(scope).type_of(tree, 0)
    except _Malformed as error:
        return str(error)
    return None if found is Type.BOOL else f"the expression is {article(found)}, not a bool"


def _whole(low: int, high: int) -> Callable[[object], bool]:
    return lambda value: type(value) is int and low <= value <= high


def _is_text(value: object) -> bool:
    return isinstance(value, str) and len(value) <= MAX_TEXT


def _is_double(value: object) -> bool:
    return type(value) is float and math.isfinite(value)


_CONSTANTS: dict[str, tuple[Type, Callable[[object], bool]]] = {
    "bool": (Type.BOOL, lambda value: isinstance(value, bool)),
    "int": (Type.INT, _whole(INT_MIN, INT_MAX)),
    "double": (Type.DOUBLE, _is_double),
    "string": (Type.STRING, _is_text),
    "duration": (Type.DURATION, _whole(-MAX_SPAN, MAX_SPAN)),
    "timestamp": (Type.TIMESTAMP, _whole(MIN_TIME, MAX_TIME)),
}


class _Check:
    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.nodes = 0

    def type_of(self, tree: object, depth: int) -> Type:
        self.nodes += 1
        if depth > MAX_DEPTH or self.nodes > MAX_NODES:
            raise _Malformed("the expression is too deep or has too many parts")
        if not isinstance(tree, list) or not tree or not isinstance(tree[0], str):
            raise _Malformed("a part of the expression has no operator")
        op, *parts = tree
        if op in _CONSTANTS:
            return self._constant(op, parts)
        if op in {"field", "name", "has"}:
            return self._variable(op, parts)
        if op == "matches" or op in TIMESTAMP_PARTS:
            return self._with_text(op, parts, depth)
        return self._operator(op, [self.type_of(part, depth + 1) for part in parts])

    def _constant(self, op: str, parts: list[Any]) -> Type:
        found, accepts = _CONSTANTS[op]
        if len(parts) != 1 or not accepts(parts[0]):
            raise _Malformed(f"a constant is not a {op}")
        return found

    def _variable(self, op: str, parts: list[Any]) -> Type:
        if not all(isinstance(part, str) for part in parts) or len(parts) != (1 if op == "name" else 2):
            raise _Malformed(f"`{op}` does not name one variable")
        if op == "name":
            found = self.scope.variables.get(parts[0])
        else:
            field = self.scope.records.get(parts[0], {}).get(parts[1])
            found = field.type if field else None
        if found is None:
            raise _Malformed(f"there is no variable {'.'.join(part[:60] for part in parts)!r} here")
        return Type.BOOL if op == "has" else found

    def _with_text(self, op: str, parts: list[Any], depth: int) -> Type:
        types = [self.type_of(part, depth + 1) for part in parts[:1]]
        match types, parts[1:]:
            case [Type.STRING], [str(pattern)] if op == "matches":
                try:
                    automaton(pattern)
                except BadPattern as error:
                    raise _Malformed(f"a pattern is not accepted: {error}") from None
                return Type.BOOL
            case [Type.TIMESTAMP], [str(zone)] if op in TIMESTAMP_PARTS:
                if read_zone(zone) is None:
                    raise _Malformed(f"there is no time zone {zone[:60]!r}")
                return Type.INT
            case [Type.DURATION], [] if op in DURATION_PARTS:
                return Type.INT
        raise _Malformed(f"`{op}` does not take these operands")

    def _operator(self, op: str, types: list[Type]) -> Type:  # noqa: C901 - one case per form
        match op, types:
            case "&&" | "||", [_, _, *_] if set(types) == {Type.BOOL}:
                return Type.BOOL
            case "!", [Type.BOOL]:
                return Type.BOOL
            case "?:", [Type.BOOL, left, right] if left == right:
                return left
            case "in", [left, *items] if left is not Type.LABELS and all(
                comparable(left, one) for one in items
            ):
                return Type.BOOL
            case "label" | "has_label", [Type.LABELS, Type.STRING]:
                return Type.STRING if op == "label" else Type.BOOL
            case "neg", [one] if one in NEGATABLE:
                return one
            case "size", [Type.STRING | Type.LABELS]:
                return Type.INT
            case _, [Type.STRING, Type.STRING] if op in TEXT_PREDICATES:
                return Type.BOOL
            case _, [left, right] if op in COMPARISONS or op in ARITHMETIC:
                if found := binary_type(op, left, right):
                    return found
        raise _Malformed(f"{op[:60]!a} is no operator for these operands")
