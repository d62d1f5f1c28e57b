"""Predicates and look-ups on dictionary-encoded columns: each distinct text, set or pair is asked once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from policyctl.expr.columns import Codes, Labels, Mask, Numbers, Texts

__all__ = ["has_label", "label", "per_pair", "per_text", "size"]

_T = TypeVar("_T")
_A = TypeVar("_A")
_B = TypeVar("_B")


def per_text(column: Texts, ask: Callable[[str], bool]) -> Mask:
    """Ask each distinct text, and spread the answers over the rows."""
    table, codes = _used(column.table, column.codes)
    return np.fromiter((ask(text) for text in table), dtype=np.bool_, count=len(table))[codes]


def per_pair(left: Texts, right: Texts, ask: Callable[[str, str], bool]) -> Mask:
    """Ask each distinct pair of texts that occurs in a row."""
    pairs, codes = _pairs(left.table, left.codes, right.table, right.codes)
    return np.fromiter((ask(*pair) for pair in pairs), dtype=np.bool_, count=len(pairs))[codes]


def label(column: Labels, key: Texts) -> tuple[Texts, Mask]:
    """Look up `column[key]`: the values, and the rows that have no such label."""
    pairs, codes = _pairs(column.sets, column.codes, key.table, key.codes)
    table: dict[str, int] = {}
    found = [table.setdefault(labels[name], len(table)) if name in labels else -1 for labels, name in pairs]
    per_row = np.array(found, dtype=np.int32)[codes]
    return Texts(codes=np.maximum(per_row, 0), table=tuple(table) or ("",)), per_row < 0


def has_label(column: Labels, key: Texts) -> Mask:
    """Say for each row whether it has a label of this name."""
    pairs, codes = _pairs(column.sets, column.codes, key.table, key.codes)
    return np.fromiter((name in labels for labels, name in pairs), dtype=np.bool_, count=len(pairs))[codes]


def size(column: Texts | Labels) -> Numbers:
    """Count the characters of texts, or the labels of sets."""
    values: tuple[str, ...] | tuple[Mapping[str, str], ...]
    values = column.table if isinstance(column, Texts) else column.sets
    table, codes = _used(values, column.codes)
    return Numbers(
        values=np.fromiter((len(value) for value in table), dtype=np.int64, count=len(table))[codes]
    )


def _used(table: tuple[_T, ...], codes: Codes) -> tuple[tuple[_T, ...], Codes | NDArray[np.intp]]:
    """Leave out table entries that no row uses, where that saves work."""
    if len(table) <= 2 * len(codes):
        return table, codes
    used, inverse = np.unique(codes, return_inverse=True)
    return tuple(table[int(code)] for code in used), inverse


def _pairs(
    left: tuple[_A, ...], left_codes: Codes, right: tuple[_B, ...], right_codes: Codes
) -> tuple[list[tuple[_A, _B]], NDArray[np.intp] | Codes]:
    """Return the distinct pairs that occur, and for each row which pair it is."""
    if len(right_codes) == 1:
        other = right[int(right_codes[0])]
        some, codes = _used(left, left_codes)
        return [(one, other) for one in some], codes
    combined = left_codes.astype(np.int64) * len(right) + right_codes
    distinct, inverse = np.unique(combined, return_inverse=True)
    pairs = [(left[int(one) // len(right)], right[int(one) % len(right)]) for one in distinct]
    return pairs, inverse
