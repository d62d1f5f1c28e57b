"""What a submission would buy, before it is submitted: class, protection, cost and rank, and what others would get."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from policyctl.decide.claim import entitled_hours
from policyctl.decide.fitting import Fitting
from policyctl.decide.protection import most_of, protect
from policyctl.decide.rank import order_pool
from policyctl.decide.reasons import capped_by, class_reasons
from policyctl.decide.situation import PoolSituation, Situation, requeue
from policyctl.decide.table import table_of
from policyctl.model.decisions import Quote, QuoteAlternative
from policyctl.model.jobs import Job
from policyctl.units import MilliGpu, Seconds

__all__ = ["quote"]

_TASTE = Seconds(3600)
"""The protection that is quoted to somebody who asked for none, beside the most that could be had."""


def quote(situation: Situation, job: Job) -> Quote:
    """Quote a job as if it waited now; a pending job of the same id is quoted in place of itself."""
    pool = situation.pool(job.pool)
    others = [one for one in situation.jobs(job.pool, running=False) if one.id != job.id]
    asked = _Asked(pool, job, others)
    view, row = asked.view, asked.row
    classes, table = view.waiting, view.pending
    failed = row in classes.protection.faults
    user = view.book.nodes[view.book.of_user[job.account, job.user]]
    account = view.book.of_account[job.account]
    protected = Seconds(0) if failed else Seconds(int(classes.seconds[row]))
    ticks = int(table.gpus[row]) * protected
    hopeless = Fitting(view).reasons(table, row)
    return Quote(
        job=job.id,
        pool=job.pool,
        account=job.account,
        user=job.user,
        gpus=MilliGpu(job.gpus),
        klass=None if failed else "funded" if classes.funded[row] else "opportunistic",
        declared=job.min_runtime,
        protected=protected,
        capped_by=None if failed else capped_by(view, classes, table, row),
        charge_rate=str(pool.pool.charge_rate * pool.policy.accounting.charge.protected),
        spare_rate=str(pool.pool.charge_rate * pool.policy.accounting.charge.opportunistic),
        cost_gpu_hours=view.rates.gpu_hours(ticks * view.rates.protected),
        unused_cost_gpu_hours=view.rates.gpu_hours(ticks * view.rates.unused_protection),
        entitled_gpu_hours=entitled_hours(view, view.book.nodes[user.parent].absolute),
        used_gpu_hours=view.rates.gpu_hours(int(view.book.usage[account])),
        rank=asked.rank,
        of=len(table),
        alternatives=()
        if hopeless
        else tuple(_alternatives(pool, job, others, _others(asked, job, protected))),
        reasons=(*hopeless, *class_reasons(view, classes, table, row)),
    )


class _Asked:
    """A pool with one job more in its queue."""

    __slots__ = ("rank", "row", "view")

    def __init__(self, pool: PoolSituation, job: Job, others: list[Job]) -> None:
        waiting = sorted([*others, replace(job, start=None)], key=lambda one: one.id)
        self.view = requeue(pool, table_of(waiting))
        self.row = next(row for row, one in enumerate(waiting) if one.id == job.id)
        self.rank = order_pool(self.view).rank_of(self.row)


def _others(asked: _Asked, job: Job, protected: Seconds) -> set[Seconds]:
    """Return the minimum runtimes worth quoting beside the one asked for: less, or some for a job that asked for none.

    A job that is opportunistic for any other reason would stay so, whatever it declared.
    """
    classes, row = asked.view.waiting, asked.row
    if row in classes.protection.faults:
        return set()
    if classes.funded[row]:
        return {Seconds(0), Seconds(protected // 2)} - {job.min_runtime}
    return _some(asked.view, job) if classes.reasons(row) == ("declared_zero",) else set()


def _some(pool: PoolSituation, job: Job) -> set[Seconds]:
    """Return an hour and the most that the caps, an exception and the job's own time limit allow."""
    table = table_of([replace(job, min_runtime=_TASTE)])
    allowed = protect(pool.policy, table, np.array([0]), np.array([pool.now]))
    limits = (job.time_limit, most_of(pool.policy, allowed, 0))
    most = Seconds(min((limit for limit in limits if limit is not None), default=_TASTE))
    return {min(_TASTE, most), most} - {Seconds(0)}


def _alternatives(
    pool: PoolSituation, job: Job, others: list[Job], declared: Iterable[Seconds]
) -> list[QuoteAlternative]:
    """Quote the same job with other minimum runtimes, the shortest first."""
    quoted = []
    for seconds in sorted(declared):
        asked = _Asked(pool, replace(job, min_runtime=seconds), others)
        classes = asked.view.waiting
        protected = Seconds(int(classes.seconds[asked.row]))
        if asked.rank is not None:
            quoted.append(
                QuoteAlternative(
                    declared=seconds,
                    klass="funded" if classes.funded[asked.row] else "opportunistic",
                    protected=protected,
                    cost_gpu_hours=asked.view.rates.gpu_hours(
                        job.gpus * protected * asked.view.rates.protected
                    ),
                    rank=asked.rank,
                )
            )
    return quoted
