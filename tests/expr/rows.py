"""Rows of jobs as plain dicts, and the columns that hold them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from policyctl.expr.columns import Column, Columns, Flags, Numbers, Spans, Texts, Times, labels, texts
from policyctl.expr.scope import JOB_SCOPE, Scope, Type
from policyctl.expr.times import read_timestamp

NOW = read_timestamp("2026-09-01T12:00:00Z")

JOB: dict[str, Any] = {
    "id": "17",
    "account": "/vision/detection",
    "user": "r01",
    "pool": "h100",
    "gpus": 8.0,
    "nodes": 2,
    "kind": "batch",
    "interactive": False,
    "resumable": True,
    "priority": 3,
    "labels": {"tier": "gold", "team": "r01"},
    "min_runtime": 7_200,
    "time_limit": 14_400,
    "submit": NOW - 5_400,
}
"""A job; durations and instants are seconds, an optional field may be left out."""
VICTIM: dict[str, Any] = {
    **JOB,
    "running_for": 3_600,
    "protected": False,
    "class": "funded",
    "work_at_risk": 2.5,
}
ACCOUNT: dict[str, Any] = {"path": "/vision", "share": 0.25, "usage": 10.0, "entitled": 20.0}


def column(kind: Type, values: Sequence[Any]) -> Column:
    """Make one column; None is an absent value."""
    if kind is Type.STRING:
        return texts(values)
    if kind is Type.LABELS:
        return labels(values)
    present = (
        None if None not in values else np.array([value is not None for value in values], dtype=np.bool_)
    )
    filled = [0 if value is None else value for value in values]
    match kind:
        case Type.BOOL:
            return Flags(values=np.array(filled, dtype=np.bool_), present=present)
        case Type.DOUBLE:
            return Numbers(values=np.array(filled, dtype=np.float64), present=present)
        case Type.INT:
            return Numbers(values=np.array(filled, dtype=np.int64), present=present)
        case Type.DURATION:
            return Spans(values=np.array(filled, dtype=np.int64), present=present)
        case _:
            return Times(values=np.array(filled, dtype=np.int64), present=present)


def columns(rows: Sequence[Mapping[str, Any]], *, now: int = NOW, scope: Scope = JOB_SCOPE) -> Columns:
    """Make the table of some rows, each with a dict per record of the scope (`{"job": {...}}`)."""
    roots: dict[str, Mapping[str, Column] | Column] = {"now": Times(values=np.array([now], dtype=np.int64))}
    for root, record in scope.records.items():
        roots[root] = {
            name: column(field.type, [row[root].get(name) for row in rows]) for name, field in record.items()
        }
    return Columns(size=len(rows), roots=roots)


def job(**changed: Any) -> dict[str, Any]:
    """Make the row of one job; a field set to None is left out."""
    return {"job": {name: value for name, value in {**JOB, **changed}.items() if value is not None}}


def texts_of(column: Texts) -> list[str]:
    """Decode a column of texts."""
    return [column.table[code] for code in column.codes]
