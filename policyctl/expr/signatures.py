"""Which operators and functions take which types, and what comes out: one table for compiler and reader."""

from __future__ import annotations

from policyctl.expr.scope import Type

__all__ = [
    "ARITHMETIC",
    "COMPARISONS",
    "DURATION_PARTS",
    "EQUALITY",
    "NEGATABLE",
    "TEXT_PREDICATES",
    "TIMESTAMP_PARTS",
    "binary_type",
    "comparable",
]

EQUALITY = ("==", "!=")
COMPARISONS = (*EQUALITY, "<", "<=", ">", ">=")
TEXT_PREDICATES = ("contains", "endsWith", "startsWith")
TIMESTAMP_PARTS = (
    "getDate",
    "getDayOfMonth",
    "getDayOfWeek",
    "getDayOfYear",
    "getFullYear",
    "getHours",
    "getMinutes",
    "getMonth",
    "getSeconds",
)
DURATION_PARTS = ("getHours", "getMinutes", "getSeconds")
NEGATABLE = {Type.INT, Type.DOUBLE}

_I, _D, _SPAN, _TIME = Type.INT, Type.DOUBLE, Type.DURATION, Type.TIMESTAMP
ARITHMETIC: dict[str, dict[tuple[Type, Type], Type]] = {
    "+": {(_I, _I): _I, (_D, _D): _D, (_SPAN, _SPAN): _SPAN, (_TIME, _SPAN): _TIME, (_SPAN, _TIME): _TIME},
    "-": {(_I, _I): _I, (_D, _D): _D, (_SPAN, _SPAN): _SPAN, (_TIME, _SPAN): _TIME, (_TIME, _TIME): _SPAN},
    "*": {(_I, _I): _I, (_D, _D): _D},
    "/": {(_I, _I): _I, (_D, _D): _D},
    "%": {(_I, _I): _I},
}


def comparable(left: Type, right: Type) -> bool:
    """Say whether two types compare: numbers with each other, and everything else but maps with its own type."""
    if left.numeric and right.numeric:
        return True
    return left == right and left not in {Type.LABELS, Type.LIST}


def binary_type(op: str, left: Type, right: Type) -> Type | None:
    """Return the type of `left op right`, or None if CEL has no such operation."""
    if op in COMPARISONS:
        return Type.BOOL if comparable(left, right) else None
    return ARITHMETIC[op].get((left, right))
