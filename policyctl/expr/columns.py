"""Columns of values, one row per job: what `evaluate` reads.

Every array has the length of the table, or length 1 for a value that all rows share. Texts and labels are
dictionary-encoded: a code per row into a table of distinct values, so that a predicate runs once per distinct value.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Codes",
    "Column",
    "Columns",
    "Flags",
    "Labels",
    "Mask",
    "Numbers",
    "Spans",
    "Texts",
    "Times",
    "labels",
    "texts",
]

Mask = NDArray[np.bool_]
Codes = NDArray[np.int32]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Numbers:
    """Numbers: an int64 array for CEL's int, a float64 array for its double. `present` is False where one is absent."""

    values: NDArray[np.int64] | NDArray[np.float64]
    present: Mask | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Flags:
    """Truth values."""

    values: Mask
    present: Mask | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Times:
    """Instants, in seconds since 1970-01-01T00:00:00Z."""

    values: NDArray[np.int64]
    present: Mask | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Spans:
    """Durations, in seconds."""

    values: NDArray[np.int64]
    present: Mask | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Texts:
    """Texts: row `i` is `table[codes[i]]`; where `present` is False the code does not matter."""

    codes: Codes
    table: tuple[str, ...]
    present: Mask | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Labels:
    """Labels of jobs: row `i` is `sets[codes[i]]`."""

    codes: Codes
    sets: tuple[Mapping[str, str], ...]
    present: Mask | None = None


Column = Numbers | Flags | Times | Spans | Texts | Labels


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Columns:
    """A table of `size` rows: per root name a column (`now`) or a record of columns (`job`)."""

    size: int
    roots: Mapping[str, Mapping[str, Column] | Column]


def texts(values: Iterable[str | None]) -> Texts:
    """Encode texts; None is absent. The table is in order of first appearance."""
    table: dict[str, int] = {}
    codes = [-1 if value is None else table.setdefault(value, len(table)) for value in values]
    array = np.array(codes, dtype=np.int32)
    return Texts(codes=array, table=tuple(table), present=array >= 0 if -1 in codes else None)


def labels(values: Iterable[Mapping[str, str]]) -> Labels:
    """Encode the labels of each row; equal sets are stored once, in order of first appearance."""
    known: dict[tuple[tuple[str, str], ...], int] = {}
    sets: list[Mapping[str, str]] = []
    codes = []
    for value in values:
        key = tuple(sorted(value.items()))
        if key not in known:
            known[key] = len(sets)
            sets.append(value)
        codes.append(known[key])
    return Labels(codes=np.array(codes, dtype=np.int32), sets=tuple(sets))
