"""Arithmetic on whole columns as CEL defines it: 64-bit integers that fault instead of wrapping, finite doubles.

Each operation returns its values and the rows where it has none, by fault code; values in those rows are arbitrary.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from policyctl.expr.columns import Column, Mask, Numbers, Spans, Times
from policyctl.expr.literals import INT_MIN
from policyctl.expr.times import MAX_SPAN, MAX_TIME, MIN_TIME

__all__ = ["Bad", "calculate", "negate"]

Ints = NDArray[np.int64]
Doubles = NDArray[np.float64]
Bad = tuple[tuple[str, Mask], ...]


def calculate(op: str, left: Column, right: Column) -> tuple[Column, Bad]:
    """Compute `left op right` for operands whose types go together; TypeError for others."""
    if isinstance(left, Numbers) and isinstance(right, Numbers):
        return _numbers(op, left, right)
    if isinstance(left, Times) and isinstance(right, Times) and op == "-":
        return _bounded(Spans, *_INTS[op](left.values, right.values))
    if isinstance(left, Spans) and isinstance(right, Spans):
        return _bounded(Spans, *_INTS[op](left.values, right.values))
    if isinstance(left, Times | Spans) and isinstance(right, Times | Spans):
        return _bounded(Times, *_INTS[op](left.values, right.values))
    raise TypeError(f"no {op!r} between {type(left).__name__} and {type(right).__name__}")


def negate(operand: Column) -> tuple[Column, Bad]:
    """Compute `-operand` for numbers; TypeError for anything else."""
    if not isinstance(operand, Numbers):
        raise TypeError(f"no negation of {type(operand).__name__}")
    if operand.values.dtype == np.int64:
        return Numbers(values=-operand.values), _bad(overflow=operand.values == INT_MIN)
    return Numbers(values=-operand.values), ()


def _bad(**masks: Mask) -> Bad:
    return tuple((code, mask) for code, mask in masks.items() if mask.any())


def _numbers(op: str, left: Numbers, right: Numbers) -> tuple[Column, Bad]:
    if left.values.dtype == right.values.dtype == np.int64:
        values, bad = _INTS[op](
            left.values.astype(np.int64, copy=False), right.values.astype(np.int64, copy=False)
        )
        return Numbers(values=values), bad
    return _doubles(op, left.values.astype(np.float64), right.values.astype(np.float64))


def _doubles(op: str, left: Doubles, right: Doubles) -> tuple[Column, Bad]:
    operation = {"+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide}[op]
    with np.errstate(all="ignore"):
        values = operation(left, right)
    finite = np.isfinite(values)
    return Numbers(values=np.where(finite, values, 0.0)), _bad(not_finite=~finite)


def _bounded(kind: type[Times | Spans], values: Ints, bad: Bad) -> tuple[Column, Bad]:
    low, high = (-MAX_SPAN, MAX_SPAN) if kind is Spans else (MIN_TIME, MAX_TIME)
    outside = (values < low) | (values > high)
    for _, mask in bad:
        outside |= mask
    return kind(values=values), _bad(overflow=outside)


def _add(left: Ints, right: Ints) -> tuple[Ints, Bad]:
    values = left + right
    return values, _bad(overflow=((left ^ values) & (right ^ values)) < 0)


def _subtract(left: Ints, right: Ints) -> tuple[Ints, Bad]:
    values = left - right
    return values, _bad(overflow=((left ^ right) & (left ^ values)) < 0)


def _multiply(left: Ints, right: Ints) -> tuple[Ints, Bad]:
    values = left * right
    if _largest(left) * _largest(right) < 2**63:
        return values, ()
    # A wrapped product is off by a multiple of 2^64, so dividing it by `left` cannot give `right` back.
    special = (left == 0) | (left == -1)
    wrapped = (left != 0) & (values // np.where(special, 1, left) != right)
    return values, _bad(overflow=np.where(left == -1, right == INT_MIN, wrapped))


def _largest(values: Ints) -> int:
    return max(abs(int(values.min())), abs(int(values.max()))) if values.size else 0


def _divide(left: Ints, right: Ints) -> tuple[Ints, Bad]:
    divisor, bad = _divisor(left, right)
    return (left - np.fmod(left, divisor)) // divisor, bad


def _modulo(left: Ints, right: Ints) -> tuple[Ints, Bad]:
    divisor, bad = _divisor(left, right)
    return np.fmod(left, divisor), bad


def _divisor(left: Ints, right: Ints) -> tuple[Ints, Bad]:
    zero = right == 0
    overflow = (left == INT_MIN) & (right == -1)
    return np.where(zero | overflow, 1, right), _bad(division_by_zero=zero, overflow=overflow)


_INTS: dict[str, Callable[[Ints, Ints], tuple[Ints, Bad]]] = {
    "+": _add,
    "-": _subtract,
    "*": _multiply,
    "/": _divide,
    "%": _modulo,
}
