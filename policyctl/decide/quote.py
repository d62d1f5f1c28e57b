"""What a submission would buy, before it is submitted: class, protection, cost and rank, and what others would get."""

from __future__ import annotations

from dataclasses import replace

from policyctl.decide.claim import entitled_hours
from policyctl.decide.rank import order_pool
from policyctl.decide.reasons import capped_by, class_reasons
from policyctl.decide.situation import PoolSituation, Situation, requeue
from policyctl.decide.table import table_of
from policyctl.model.decisions import Quote, QuoteAlternative
from policyctl.model.jobs import Job
from policyctl.units import Seconds

__all__ = ["quote"]


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
    alternatives = () if failed else tuple(_alternatives(pool, job, others, protected))
    return Quote(
        job=job.id,
        pool=job.pool,
        account=job.account,
        user=job.user,
        klass=None if failed else "funded" if classes.funded[row] else "opportunistic",
        declared=job.min_runtime,
        protected=protected,
        capped_by=None if failed else capped_by(view, classes, table, row),
        cost_gpu_hours=view.rates.gpu_hours(ticks * view.rates.protected),
        unused_cost_gpu_hours=view.rates.gpu_hours(ticks * view.rates.unused_protection),
        entitled_gpu_hours=entitled_hours(view, view.book.nodes[user.parent].absolute),
        used_gpu_hours=view.rates.gpu_hours(int(view.book.usage[account])),
        rank=asked.rank,
        of=len(table),
        alternatives=alternatives,
        reasons=class_reasons(view, classes, table, row),
    )


class _Asked:
    """A pool with one job more in its queue."""

    __slots__ = ("rank", "row", "view")

    def __init__(self, pool: PoolSituation, job: Job, others: list[Job]) -> None:
        waiting = sorted([*others, replace(job, start=None)], key=lambda one: one.id)
        self.view = requeue(pool, table_of(waiting))
        self.row = next(row for row, one in enumerate(waiting) if one.id == job.id)
        self.rank = order_pool(self.view).rank_of(self.row)


def _alternatives(pool: PoolSituation, job: Job, others: list[Job], protected: int) -> list[QuoteAlternative]:
    """Quote the same job with no protection and with half of what it would get."""
    shorter = sorted({Seconds(0), Seconds(protected // 2)} - {job.min_runtime})
    quoted = []
    for declared in shorter:
        asked = _Asked(pool, replace(job, min_runtime=declared), others)
        classes = asked.view.waiting
        seconds = Seconds(int(classes.seconds[asked.row]))
        if asked.rank is not None:
            quoted.append(
                QuoteAlternative(
                    declared=declared,
                    klass="funded" if classes.funded[asked.row] else "opportunistic",
                    protected=seconds,
                    cost_gpu_hours=asked.view.rates.gpu_hours(
                        job.gpus * seconds * asked.view.rates.protected
                    ),
                    rank=asked.rank,
                )
            )
    return quoted
