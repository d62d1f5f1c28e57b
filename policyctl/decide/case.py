"""A waiting job before the running ones of its pool: what it needs, what it may claim, and who is there."""

from __future__ import annotations

from dataclasses import dataclass

from policyctl.decide.claim import Claim
from policyctl.decide.judge import lost_in_last_hour
from policyctl.decide.marks import Mark
from policyctl.decide.place import Capacity, Demand, capacity_of
from policyctl.decide.reasons import fault_reason
from policyctl.decide.situation import PoolSituation, Situation
from policyctl.model.decisions import Reason
from policyctl.model.jobs import Job
from policyctl.units import format_instant

__all__ = ["Bench", "Case", "bench_of", "open_case"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One pending job before the bench: the pool, its row, what it needs, and its claim (None: it has none)."""

    situation: PoolSituation
    job: Job
    row: int
    demand: Demand
    claim: Claim | None
    objection: Mark | None


@dataclass(frozen=True, slots=True)
class Bench:
    """The running jobs of a pool, by row and by id, and where they are; `lost` as `lost_in_last_hour` gives it."""

    jobs: tuple[Job, ...]
    row_of: dict[str, int]
    pending_row_of: dict[str, int]
    capacity: Capacity
    lost: tuple[tuple[int, int], ...]


def bench_of(situation: Situation, pool: PoolSituation) -> Bench:
    """Seat the running jobs of a pool."""
    running = tuple(situation.jobs(pool.pool.name, running=True))
    capacity = pool.capacity
    return Bench(
        running,
        {job.id: row for row, job in enumerate(running)},
        {identity: row for row, identity in enumerate(pool.pending.ids)},
        capacity_of(pool.pool, situation.state.nodes, running) if capacity is None else capacity,
        tuple(lost_in_last_hour(pool)),
    )


def open_case(pool: PoolSituation, job: Job, row: int) -> Case:
    """Put a job before the bench; `row` is its row among the pending ones, or -1 if it runs."""
    objection = _objection(pool, job, row)
    claim = None
    if objection is None:
        charge = int(pool.pending.gpus[row]) * int(pool.waiting.seconds[row]) * pool.rates.protected
        claim = Claim(situation=pool, user=pool.book.of_user[job.account, job.user], charge=charge)
    return Case(situation=pool, job=job, row=row, demand=Demand.of(job), claim=claim, objection=objection)


def _objection(pool: PoolSituation, job: Job, row: int) -> Mark | None:
    """Return what keeps a job from preempting anybody: it runs already, it is opportunistic, a rule failed on it."""
    if job.start is not None:
        return Mark(reason=Reason("preemptor_not_pending", {"start": format_instant(job.start)}))
    failed = fault_reason(pool.waiting, row)
    if failed is not None:
        return Mark(reason=failed, fault=True)
    if not pool.waiting.funded[row]:
        return Mark(reason=Reason("preemptor_opportunistic", {"why": list(pool.waiting.reasons(row))}))
    return None
