"""The jobs of one state whose rank, class or protection differs between two policies.

Each policy is taken as if it had held all along: a job that runs is classed as that policy stood when the job started.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from policyctl.decide.classify import Classes
from policyctl.decide.rank import order_pool
from policyctl.decide.situation import PoolSituation, Situation
from policyctl.decide.table import JobTable
from policyctl.model.change import JobMove
from policyctl.units import Seconds

__all__ = ["job_moves"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stands:
    """How a job stands under one policy: `rank` is None while it runs, or where a rule fails on it."""

    account: str
    user: str
    running: bool
    declared: int
    rank: int | None
    klass: str
    seconds: int
    protected: bool


def job_moves(base: Situation, head: Situation) -> tuple[JobMove, ...]:
    """Return the jobs that stand differently, by pool, running ones first, then by rank; pools of both sides only.

    Of the running jobs those come first that may be preempted from now on, or no longer.
    """
    found: list[JobMove] = []
    for pool in sorted({*base.pools()} & {*head.pools()}):
        before, after = _standings(base.pool(pool)), _standings(head.pool(pool))
        moves = [move for job in sorted(before) if (move := _move(job, pool, before[job], after[job]))]
        found += sorted(moves, key=_urgency)
    return tuple(found)


def _urgency(move: JobMove) -> tuple[bool, bool, int, str]:
    """Put first what a preemption could end today, then other running jobs, then the queue."""
    at_once = {"becomes_preemptible", "ceases_to_be_preemptible"} & {*move.what}
    return (not move.running, not at_once, move.rank_after or 0, move.job)


def _standings(pool: PoolSituation) -> dict[str, _Stands]:
    ranks = {row: place for place, row in enumerate(order_pool(pool).rows.tolist(), start=1)}
    found = dict(_of(pool, pool.pending, pool.waiting, ranks, running=False))
    found.update(_of(pool, pool.running, pool.held, {}, running=True))
    return found


def _of(
    pool: PoolSituation, table: JobTable, classes: Classes, ranks: dict[int, int], *, running: bool
) -> Iterator[tuple[str, _Stands]]:
    for row, job in enumerate(table.ids):
        seconds = int(classes.seconds[row])
        yield (
            job,
            _Stands(
                account=table.account[row],
                user=table.user[row],
                running=running,
                declared=int(table.min_runtime[row]),
                rank=ranks.get(row),
                klass="funded" if classes.funded[row] else "opportunistic",
                seconds=seconds,
                protected=running and int(table.start[row]) + seconds > pool.now,
            ),
        )


def _move(job: str, pool: str, before: _Stands, after: _Stands) -> JobMove | None:
    what = tuple(_what(before, after))
    if not what:
        return None
    return JobMove(
        job=job,
        pool=pool,
        account=after.account,
        user=after.user,
        running=after.running,
        what=what,
        rank_before=before.rank,
        rank_after=after.rank,
        class_before=before.klass,
        class_after=after.klass,
        protection_before=Seconds(before.seconds),
        protection_after=Seconds(after.seconds),
    )


def _what(before: _Stands, after: _Stands) -> Iterator[str]:
    if before.rank != after.rank:
        yield "rank"
    if before.klass != after.klass:
        yield "class"
    if before.protected and not after.protected:
        yield "becomes_preemptible"
    if after.protected and not before.protected:
        yield "ceases_to_be_preemptible"
    if before.klass == after.klass and after.seconds < min(before.seconds, after.declared):
        yield "hits_cap"
