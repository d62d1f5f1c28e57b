"""Comparison of whole columns, exact across int and double, by code point for texts."""

from __future__ import annotations

import operator
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from policyctl.expr.columns import Codes, Column, Flags, Mask, Numbers, Spans, Texts, Times
from policyctl.expr.lookups import per_text

__all__ = ["compare", "contained"]

_OPERATORS: dict[str, Callable[..., Mask]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_MIRRORED = {"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_EXACT = 2**53


def compare(op: str, left: Column, right: Column) -> Mask:
    """Compute `left op right` for columns of types that compare; TypeError for others."""
    if isinstance(left, Numbers) and isinstance(right, Numbers):
        return _numbers(op, left, right)
    if isinstance(left, Texts) and isinstance(right, Texts):
        return _texts(op, left, right)
    if isinstance(left, Flags | Times | Spans) and isinstance(right, type(left)):
        return _OPERATORS[op](left.values, right.values)
    raise TypeError(f"no {op!r} between {type(left).__name__} and {type(right).__name__}")


def contained(needle: Column, items: list[Column]) -> Mask:
    """Say for each row whether the needle equals any item."""
    found = np.zeros(1, dtype=np.bool_)
    members: set[str] = set()
    for item in items:
        if isinstance(item, Texts) and len(item.codes) == 1:
            members.add(item.table[int(item.codes[0])])
        else:
            found = found | compare("==", needle, item)
    return found | per_text(needle, members.__contains__) if isinstance(needle, Texts) else found


def _numbers(op: str, left: Numbers, right: Numbers) -> Mask:
    if left.values.dtype == right.values.dtype:
        return _OPERATORS[op](left.values, right.values)
    if left.values.dtype == np.float64:
        return _numbers(_MIRRORED[op], right, left)
    whole, real = left.values.astype(np.int64), right.values.astype(np.float64)
    if not whole.size or max(abs(int(whole.min())), abs(int(whole.max()))) <= _EXACT:
        return _OPERATORS[op](whole.astype(np.float64), real)
    return _OPERATORS[op](_order(whole, real), 0)


def _order(whole: NDArray[np.int64], real: NDArray[np.float64]) -> NDArray[np.int8]:
    """Return -1, 0 or 1 as the integer is below, equal to or above the double, without rounding either."""
    too_big, too_small = real >= 2.0**63, real < -(2.0**63)
    floor = np.floor(np.where(too_big | too_small, 0.0, real))
    floor_int = floor.astype(np.int64)
    inside = np.where(whole < floor_int, -1, np.where(whole > floor_int, 1, np.where(real > floor, -1, 0)))
    return np.where(too_big, -1, np.where(too_small, 1, inside)).astype(np.int8)


def _texts(op: str, left: Texts, right: Texts) -> Mask:
    if len(right.codes) == 1:
        other = right.table[int(right.codes[0])]
        return per_text(left, lambda text: bool(_OPERATORS[op](text, other)))
    if len(left.codes) == 1:
        return _texts(_MIRRORED[op], right, left)
    known = {text: rank for rank, text in enumerate(sorted({*left.table, *right.table}))}
    return _OPERATORS[op](_ranks(left, known), _ranks(right, known))


def _ranks(column: Texts, known: dict[str, int]) -> Codes:
    return np.array([known[text] for text in column.table], dtype=np.int32)[column.codes]
