"""Jobs as columns: the form in which the evaluator classifies, charges and orders a million of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from policyctl.expr.columns import Column, Columns, Flags, Labels, Numbers, Spans, Texts, Times
from policyctl.model.jobs import Job

__all__ = ["NEVER", "Coded", "JobFields", "JobTable", "coded", "rule_columns", "table_of"]

Ints = npt.NDArray[np.int64]
Codes = npt.NDArray[np.int32]
Bools = npt.NDArray[np.bool_]
NEVER = np.iinfo(np.int64).min
"""Stands for an instant or a duration that a job does not have."""


@dataclass(frozen=True, slots=True)
class Coded:
    """A column of strings, each row an index into the sorted table of the distinct ones."""

    codes: Codes
    table: tuple[str, ...]

    def take(self, rows: Ints) -> Coded:
        """Return the column of some rows, over the same table."""
        return Coded(self.codes[rows], self.table)

    def __getitem__(self, row: int) -> str:
        return self.table[int(self.codes[row])]


def coded(values: Sequence[str]) -> Coded:
    """Encode strings as indices into the sorted table of the distinct ones."""
    table = tuple(sorted(set(values)))
    place = {value: code for code, value in enumerate(table)}
    return Coded(np.fromiter((place[value] for value in values), np.int32, len(values)), table)


@dataclass(frozen=True, slots=True, kw_only=True)
class JobTable:
    """Columns of jobs: GPUs in thousandths, instants and durations in seconds, NEVER where a job has none.

    `block` says which jobs ask to stay in one block of nodes.
    """

    ids: Sequence[str]
    account: Coded
    user: Coded
    pool: Coded
    kind: Coded
    gpus: Ints
    nodes: Ints
    submit: Ints
    start: Ints
    min_runtime: Ints
    time_limit: Ints
    priority: Ints
    resumable: Bools
    last_checkpoint: Ints
    labels: Codes
    label_sets: tuple[Mapping[str, str], ...]
    block: Bools

    def __len__(self) -> int:
        return len(self.ids)


def table_of(jobs: Sequence[Job]) -> JobTable:
    """Turn jobs into columns, in the order given."""
    sets: dict[tuple[tuple[str, str], ...], int] = {}
    labels = np.fromiter(
        (sets.setdefault(tuple(sorted(job.labels.items())), len(sets)) for job in jobs), np.int32, len(jobs)
    )
    return JobTable(
        ids=[job.id for job in jobs],
        account=coded([job.account for job in jobs]),
        user=coded([job.user for job in jobs]),
        pool=coded([job.pool for job in jobs]),
        kind=coded([job.kind for job in jobs]),
        gpus=_ints(job.gpus for job in jobs),
        nodes=_ints(job.nodes for job in jobs),
        submit=_ints(job.submit for job in jobs),
        start=_ints(NEVER if job.start is None else job.start for job in jobs),
        min_runtime=_ints(job.min_runtime for job in jobs),
        time_limit=_ints(NEVER if job.time_limit is None else job.time_limit for job in jobs),
        priority=_ints(job.priority for job in jobs),
        resumable=np.fromiter((job.resumable for job in jobs), np.bool_, len(jobs)),
        last_checkpoint=_ints(NEVER if job.last_checkpoint is None else job.last_checkpoint for job in jobs),
        labels=labels,
        label_sets=tuple(dict(items) for items in sets),
        block=np.fromiter((job.topology == "block" for job in jobs), np.bool_, len(jobs)),
    )


def _ints(values: Iterable[int]) -> Ints:
    return np.array(list(values), dtype=np.int64)


class JobFields(Mapping[str, Column]):
    """The fields of some rows under the names that rules use, each made when a rule first reads it."""

    def __init__(self, table: JobTable, rows: Ints) -> None:
        self._table = table
        self._rows = rows
        self._made: dict[str, Column] = {}

    def __getitem__(self, name: str) -> Column:
        """Return a column; KeyError for a name that no rule may use."""
        if name not in self._made:
            self._made[name] = _FIELDS[name](self._table, self._rows)
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names."""
        return iter(_FIELDS)

    def __len__(self) -> int:
        """Return how many fields a job has."""
        return len(_FIELDS)


def _ids(table: JobTable, rows: Ints) -> Texts:
    column = coded([table.ids[row] for row in rows.tolist()])
    return Texts(codes=column.codes, table=column.table)


def _texts(column: Coded, rows: Ints) -> Texts:
    return Texts(codes=column.codes[rows], table=column.table)


def _limit(table: JobTable, rows: Ints) -> Spans:
    limit = table.time_limit[rows]
    return Spans(values=limit, present=limit != NEVER)


def _equals(column: Coded, value: str, rows: Ints) -> Bools:
    return np.asarray([entry == value for entry in column.table], dtype=np.bool_)[column.codes[rows]]


_FIELDS: dict[str, Callable[[JobTable, Ints], Column]] = {
    "id": _ids,
    "account": lambda table, rows: _texts(table.account, rows),
    "user": lambda table, rows: _texts(table.user, rows),
    "pool": lambda table, rows: _texts(table.pool, rows),
    "kind": lambda table, rows: _texts(table.kind, rows),
    "gpus": lambda table, rows: Numbers(values=table.gpus[rows] / 1000),
    "nodes": lambda table, rows: Numbers(values=table.nodes[rows]),
    "interactive": lambda table, rows: Flags(values=_equals(table.kind, "interactive", rows)),
    "resumable": lambda table, rows: Flags(values=table.resumable[rows]),
    "priority": lambda table, rows: Numbers(values=table.priority[rows]),
    "labels": lambda table, rows: Labels(codes=table.labels[rows], sets=table.label_sets),
    "min_runtime": lambda table, rows: Spans(values=table.min_runtime[rows]),
    "time_limit": _limit,
    "submit": lambda table, rows: Times(values=table.submit[rows]),
}


def rule_columns(table: JobTable, rows: Ints, at: Ints) -> Columns:
    """Return what a job rule may read for some rows, with `now` being `at` (one instant, or one for each row)."""
    return Columns(size=len(rows), roots={"job": JobFields(table, rows), "now": Times(values=at)})
