"""How long jobs waited, by pool, program, size and class; the longest waits; what became of interactive sessions.

A job's wait is the time from its submission to its first start; one that never started counts with its wait so far, so
that a policy gains nothing by starving somebody. Quantiles are nearest ranks: the value at place ceil(q * n) of n.
The class of a job is what the policy says of it at its submission, whoever decides, so that contestants are cut alike.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from policyctl.decide.classify import classify
from policyctl.decide.standing import Timeline
from policyctl.decide.table import table_of
from policyctl.model.jobs import Outcome
from policyctl.model.measures import (
    ALL,
    CLASSES,
    SIZES,
    Interactive,
    LongestWait,
    WaitLine,
    WaitStatistics,
)
from policyctl.model.policy import Policy
from policyctl.sim.measure_columns import PoolColumns

__all__ = ["FirstWaits", "first_waits", "interactive", "longest_waits", "size_codes", "wait_lines"]

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
_LARGEST = (1, 8, 32, 128)


def size_codes(gpus: Ints) -> Ints:
    """Return for each number of GPUs (thousandths) its place in SIZES."""
    return np.searchsorted(np.array(_LARGEST) * 1000, gpus, side="left")


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstWaits:
    """First waits of the jobs of a pool: seconds, whether the job started, its size, class and program as codes."""

    columns: PoolColumns
    rows: Ints
    seconds: Ints
    started: Bools
    size: Ints
    klass: Ints


def first_waits(columns: PoolColumns, policy: Policy) -> FirstWaits:
    """Collect the first wait of every job that came and could run at all."""
    started_at = np.full(len(columns.tasks), -1)
    first = columns.runs.attempt == 1
    started_at[columns.runs.row[first]] = columns.runs.start[first]
    rows = np.flatnonzero(columns.submitted)
    began = started_at[rows]
    until = np.where(began >= 0, began, columns.now)
    return FirstWaits(
        columns=columns,
        rows=rows,
        seconds=until - columns.submit[rows],
        started=began >= 0,
        size=size_codes(columns.gpus[rows]),
        klass=np.where(_funded(columns, policy, rows), 0, 1),
    )


def _funded(columns: PoolColumns, policy: Policy, rows: Ints) -> Bools:
    table = table_of([columns.tasks[row].job for row in rows.tolist()])
    classes = classify(
        Timeline(policy, columns.pool.name),
        table,
        np.arange(len(rows)),
        started=columns.submit[rows],
        now=columns.now,
        overdrawn=frozenset(),
    )
    return classes.funded


def wait_lines(pools: Sequence[FirstWaits]) -> Iterator[WaitLine]:
    """Cut the waits every way, leaving out cuts without a job."""
    programs = tuple(sorted({name for one in pools for name in one.columns.programs}))
    everything = _Cuts.over(pools, programs)
    for pool_code, pool in enumerate((ALL, *(one.columns.pool.name for one in pools))):
        in_pool = everything.where(everything.pool == pool_code - 1) if pool_code else everything
        for code, account in enumerate(("/", *programs)):
            here = in_pool.where(in_pool.program == code - 1) if code else in_pool
            for size in (ALL, *SIZES):
                for klass in (ALL, *CLASSES):
                    waits = here.statistics(size, klass)
                    if waits is not None:
                        yield WaitLine(pool=pool, account=account, size=size, klass=klass, waits=waits)


@dataclass(frozen=True, slots=True)
class _Cuts:
    """The waits of several pools in one column each; pools, programs, sizes and classes are codes."""

    pool: Ints
    program: Ints
    seconds: Ints
    started: Bools
    size: Ints
    klass: Ints

    @classmethod
    def over(cls, pools: Sequence[FirstWaits], programs: Sequence[str]) -> _Cuts:
        place = {name: code for code, name in enumerate(programs)}
        codes = [np.array([*(place[name] for name in one.columns.programs), -1]) for one in pools]
        return cls(
            np.concatenate([np.full(len(one.rows), code) for code, one in enumerate(pools)]),
            np.concatenate(
                [mine[one.columns.program[one.rows]] for mine, one in zip(codes, pools, strict=True)]
            ),
            np.concatenate([one.seconds for one in pools]),
            np.concatenate([one.started for one in pools]),
            np.concatenate([one.size for one in pools]),
            np.concatenate([one.klass for one in pools]),
        )

    def where(self, chosen: Bools) -> _Cuts:
        return _Cuts(
            self.pool[chosen],
            self.program[chosen],
            self.seconds[chosen],
            self.started[chosen],
            self.size[chosen],
            self.klass[chosen],
        )

    def statistics(self, size: str, klass: str) -> WaitStatistics | None:
        if not len(self.seconds):
            return None
        chosen = np.ones(len(self.seconds), np.bool_)
        if size != ALL:
            chosen &= self.size == SIZES.index(size)
        if klass != ALL:
            chosen &= self.klass == CLASSES.index(klass)
        return _statistics(self.seconds[chosen], self.started[chosen])


def _statistics(seconds: Ints, started: Bools) -> WaitStatistics | None:
    if not len(seconds):
        return None
    ordered = np.sort(seconds)
    return WaitStatistics(
        jobs=len(ordered),
        never_started=int((~started).sum()),
        median=_quantile(ordered, 50),
        p90=_quantile(ordered, 90),
        p99=_quantile(ordered, 99),
        longest=int(ordered[-1]),
    )


def _quantile(ordered: Ints, percent: int) -> int:
    """Return the nearest rank: the value at place ceil(percent / 100 * n), counted from 1."""
    return int(ordered[-(-percent * len(ordered) // 100) - 1])


def longest_waits(pools: Sequence[PoolColumns]) -> Iterator[LongestWait]:
    """Return for each size the longest single wait, first or after a preemption; ties go to the smaller job id."""
    for code, size in enumerate(SIZES):
        found = [best for columns in pools if (best := _longest(columns, code, size)) is not None]
        if found:
            yield min(found, key=lambda one: (-one.seconds, one.job))


def _longest(columns: PoolColumns, code: int, size: str) -> LongestWait | None:
    waits = columns.waits
    mine = np.flatnonzero(size_codes(columns.gpus[waits.row]) == code)
    if not len(mine):
        return None
    seconds = waits.until[mine] - waits.since[mine]
    longest = mine[seconds == seconds.max()].tolist()
    place = min(longest, key=lambda one: (columns.tasks[int(waits.row[one])].job.id, int(waits.since[one])))
    job = columns.tasks[int(waits.row[place])].job
    return LongestWait(
        size=size,
        job=job.id,
        pool=columns.pool.name,
        account=job.account,
        since=int(waits.since[place]),
        seconds=int(seconds.max()),
        still_waiting=bool(waits.open[place]),
    )


def interactive(pools: Sequence[PoolColumns], waits: Sequence[FirstWaits]) -> Interactive:
    """Report on interactive sessions: how many came, started, ended by themselves, or were cut, and how suddenly."""
    live = [_sessions(columns) for columns in pools]
    taken = [np.isin(one.rows, np.flatnonzero(mine)) for one, mine in zip(waits, live, strict=True)]
    seconds = np.concatenate([one.seconds[keep] for one, keep in zip(waits, taken, strict=True)])
    started = np.concatenate([one.started[keep] for one, keep in zip(waits, taken, strict=True)])
    warnings = np.sort(np.array([warning for one in pools for warning in _warnings(one)], dtype=np.int64))
    ends = [_ends(columns, mine) for columns, mine in zip(pools, live, strict=True)]
    return Interactive(
        sessions=len(seconds),
        started=int(started.sum()),
        completed=sum(completed for completed, _, _ in ends),
        cut=sum(cut for _, cut, _ in ends),
        cut_protected=sum(protected for _, _, protected in ends),
        waits=_statistics(seconds, started),
        shortest_warning=int(warnings[0]) if len(warnings) else None,
        median_warning=_quantile(warnings, 50) if len(warnings) else None,
    )


def _sessions(columns: PoolColumns) -> Bools:
    return np.array([task.job.kind == "interactive" for task in columns.tasks], np.bool_) & columns.submitted


def _ends(columns: PoolColumns, mine: Bools) -> tuple[int, int, int]:
    """Return how many sessions ended by themselves, were cut, and were cut while protected."""
    runs = columns.runs
    here = mine[runs.row]
    completed = here & runs.ended(Outcome.COMPLETED, Outcome.TIMEOUT)
    cut = here & runs.ended(Outcome.PREEMPTED, Outcome.NODE_FAIL)
    protected = cut & runs.funded & (runs.end < runs.start + runs.protection)
    return int(completed.sum()), int(cut.sum()), int(protected.sum())


def _warnings(columns: PoolColumns) -> Iterator[int]:
    """Yield for every cut session the seconds between its notice and its end; 0 where its node failed unannounced."""
    notices: dict[int, list[int]] = {}
    for eviction in columns.record.evictions:
        for row in eviction.victims:
            notices.setdefault(row, []).append(eviction.at)
    for run in columns.record.runs:
        if run.outcome in {Outcome.PREEMPTED, Outcome.NODE_FAIL} and _is_session(columns, run.row):
            given = [at for at in notices.get(run.row, []) if run.start <= at <= run.end]
            yield run.end - given[-1] if given else 0


def _is_session(columns: PoolColumns, row: int) -> bool:
    return columns.tasks[row].job.kind == "interactive"
