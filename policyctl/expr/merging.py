"""Columns made of columns: one side or the other per row, and a column with its absent rows filled in."""

from __future__ import annotations

import numpy as np

from policyctl.expr.arithmetic import Bad
from policyctl.expr.columns import Codes, Column, Flags, Labels, Mask, Numbers, Spans, Texts, Times

__all__ = ["merge", "present_values"]


def merge(chosen: Mask, left: Column, right: Column) -> Column:
    """Take each row from the left where `chosen`, else from the right; TypeError for columns of two types."""
    match left, right:
        case Numbers(), Numbers():
            return Numbers(values=np.where(chosen, left.values, right.values))
        case Flags(), Flags():
            return Flags(values=np.where(chosen, left.values, right.values))
        case Times(), Times():
            return Times(values=np.where(chosen, left.values, right.values))
        case Spans(), Spans():
            return Spans(values=np.where(chosen, left.values, right.values))
        case Texts(), Texts():
            codes = _codes(chosen, left.codes, right.codes, len(left.table))
            return Texts(codes=codes, table=(*left.table, *right.table))
        case Labels(), Labels():
            return Labels(
                codes=_codes(chosen, left.codes, right.codes, len(left.sets)), sets=(*left.sets, *right.sets)
            )
        case _:
            raise TypeError(f"no choice between {type(left).__name__} and {type(right).__name__}")


def _codes(chosen: Mask, left: Codes, right: Codes, shift: int) -> Codes:
    return np.where(chosen, left, right + np.int32(shift)).astype(np.int32, copy=False)


def present_values(column: Column) -> tuple[Column, Bad]:
    """Return a column without absent rows, and the rows that were absent or hold a double that is not finite.

    Any value may stand in an absent row; what comes out is always one that the operations can take.
    """
    absent: Bad = () if column.present is None else (("missing_field", ~column.present),)
    match column:
        case Numbers():
            return _numbers(column, absent)
        case Texts():
            table = column.table or ("",)
            return Texts(codes=_filled(column.codes, column.present), table=table), absent
        case Labels():
            sets = column.sets or ({},)
            return Labels(codes=_filled(column.codes, column.present), sets=sets), absent
        case _:
            return column, absent


def _filled(codes: Codes, present: Mask | None) -> Codes:
    return codes if present is None else np.where(present, codes, np.int32(0))


def _numbers(column: Numbers, absent: Bad) -> tuple[Numbers, Bad]:
    if column.values.dtype.kind != "f":
        return Numbers(values=column.values.astype(np.int64, copy=False)), absent
    values = column.values.astype(np.float64, copy=False)
    finite = np.isfinite(values)
    if finite.all():
        return Numbers(values=values), absent
    return Numbers(values=np.where(finite, values, 0.0)), (*absent, ("not_finite", ~finite))
