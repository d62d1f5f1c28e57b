"""The record of one pool as columns: runs, waits and jobs up to the instant at which the simulation stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from policyctl.model.jobs import Outcome
from policyctl.model.policy import Pool
from policyctl.model.tree import ancestors
from policyctl.model.workload import Task
from policyctl.sim.kernel import Simulation
from policyctl.sim.record import Record

__all__ = ["GPU_HOUR", "OUTCOMES", "PoolColumns", "Runs", "Waits", "columns_of"]

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
GPU_HOUR = 3_600_000
"""Thousandths of a GPU times seconds in one GPU-hour."""
OUTCOMES = tuple(Outcome)
"""Outcomes by their code in a column; a run that goes on has code -1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Runs:
    """Runs in the order in which they ended: `row` of the job, `[start, end)`, `end` now for those that go on.

    A run first spends `overhead` seconds on restarting, then `computed` on work that is kept, then `redone` on work
    that has to be done again.
    """

    row: Ints
    attempt: Ints
    start: Ints
    end: Ints
    outcome: Ints
    funded: Bools
    protection: Ints
    overhead: Ints
    computed: Ints
    redone: Ints

    @property
    def lost(self) -> Ints:
        """Seconds that did not count: restart overhead, and work that has to be done again."""
        return self.overhead + self.redone

    def ended(self, *outcomes: Outcome) -> Bools:
        """Mark the runs that ended in one of these ways."""
        return np.isin(self.outcome, [OUTCOMES.index(one) for one in outcomes])


@dataclass(frozen=True, slots=True, kw_only=True)
class Waits:
    """Waits: `row` of the job, `[since, until)`, `until` now for those that are `open`."""

    row: Ints
    since: Ints
    until: Ints
    open: Bools


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolColumns:
    """One pool from `start` until `now`: its tasks by row and what the record says of them.

    `submitted` marks the rows that came and could run at all, at the instants `submit`. `program` and `project` are
    places in `programs` and `projects`: accounts one and two steps below `/`, -1 for jobs that are not so deep.
    """

    pool: Pool
    start: int
    now: int
    tasks: Sequence[Task]
    record: Record
    runs: Runs
    waits: Waits
    gpus: Ints
    work: Ints
    limit: Ints
    submitted: Bools
    submit: Ints
    programs: tuple[str, ...]
    projects: tuple[str, ...]
    program: Ints
    project: Ints


NO_LIMIT = 2**60


def columns_of(simulation: Simulation, pool: Pool) -> PoolColumns:
    """Read the record of a pool."""
    tasks, now = simulation.tasks(pool.name), simulation.now
    record = simulation.pools[pool.name].record_at(now)
    submitted = np.zeros(len(tasks), np.bool_)
    submit = np.zeros(len(tasks), np.int64)
    for row, at in record.submitted.items():
        submitted[row], submit[row] = True, at
    submitted[record.impossible] = False
    programs, program = _at_depth(tasks, 1)
    projects, project = _at_depth(tasks, 2)
    return PoolColumns(
        pool=pool,
        start=int(simulation.workload.start),
        now=now,
        tasks=tasks,
        record=record,
        runs=_runs(record, tasks),
        waits=_waits(record, now),
        gpus=_ints(task.job.gpus for task in tasks),
        work=_ints(task.work for task in tasks),
        limit=_ints(NO_LIMIT if task.job.time_limit is None else task.job.time_limit for task in tasks),
        submitted=submitted,
        submit=submit,
        programs=programs,
        projects=projects,
        program=program,
        project=project,
    )


def _ints(values: object) -> Ints:
    return np.array(list(values), dtype=np.int64)  # type: ignore[call-overload]


def _at_depth(tasks: Sequence[Task], depth: int) -> tuple[tuple[str, ...], Ints]:
    above = {path: _ancestor(path, depth) for path in {task.job.account for task in tasks}}
    names = tuple(sorted({path for path in above.values() if path is not None}))
    place = {name: number for number, name in enumerate(names)}
    codes = {path: -1 if name is None else place[name] for path, name in above.items()}
    return names, _ints(codes[task.job.account] for task in tasks)


def _ancestor(path: str, depth: int) -> str | None:
    lineage = ancestors(path)
    return lineage[depth] if len(lineage) > depth else None


def _runs(record: Record, tasks: Sequence[Task]) -> Runs:
    code = {outcome: number for number, outcome in enumerate(OUTCOMES)}
    table = np.array(
        [
            (
                run.row,
                run.attempt,
                run.start,
                run.end,
                -1 if run.outcome is None else code[run.outcome],
                run.funded,
                run.protection,
                run.computed,
                run.lost,
                min(tasks[run.row].restart_overhead, run.end - run.start) if run.attempt > 1 else 0,
            )
            for run in record.runs
        ],
        dtype=np.int64,
    ).reshape(-1, 10)
    return Runs(
        row=table[:, 0],
        attempt=table[:, 1],
        start=table[:, 2],
        end=table[:, 3],
        outcome=table[:, 4],
        funded=table[:, 5] > 0,
        protection=table[:, 6],
        computed=table[:, 7],
        overhead=table[:, 9],
        redone=table[:, 8] - table[:, 9],
    )


def _waits(record: Record, now: int) -> Waits:
    table = np.array(
        [(row, since, now if until is None else until, until is None) for row, since, until in record.waits],
        dtype=np.int64,
    ).reshape(-1, 4)
    return Waits(row=table[:, 0], since=table[:, 1], until=table[:, 2], open=table[:, 3] > 0)
