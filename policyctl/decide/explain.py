"""Why a job stands where it does: level by level, its branch beside its siblings."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import numpy.typing as npt

from policyctl.decide.book import virtual_key
from policyctl.decide.claim import credit_floor
from policyctl.decide.classify import Classes
from policyctl.decide.fitting import Fitting
from policyctl.decide.rank import Order, order_pool
from policyctl.decide.reasons import class_reasons, written
from policyctl.decide.situation import PoolSituation, Situation
from policyctl.decide.table import JobTable
from policyctl.model.decisions import Class, Explanation, Level, Reason
from policyctl.units import Instant, format_instant

__all__ = ["explain"]

Ints = npt.NDArray[np.int64]


def explain(situation: Situation, identity: str) -> Explanation:
    """Explain a pending or running job of the state."""
    job = situation.job(identity)
    pool = situation.pool(job.pool)
    order = order_pool(pool)
    if job.start is not None:
        return _running(pool, order, pool.running, identity)
    table = pool.pending
    row = next(row for row, known in enumerate(table.ids) if known == identity)
    rank = order.rank_of(row)
    before = order.rows[: rank - 1] if rank is not None else order.rows[:0]
    failed = row in pool.waiting.protection.faults
    return Explanation(
        job=identity,
        pool=job.pool,
        account=job.account,
        user=job.user,
        running=False,
        rank=rank,
        of=len(table),
        klass=None if failed else _class(pool.waiting, row),
        protected_until=None,
        path=_levels(pool, order, int(order.user[row]), before),
        reasons=(
            *Fitting(pool).reasons(table, row),
            *class_reasons(pool, pool.waiting, table, row),
            *(() if rank is None else (_own_place(pool, order, row, before),)),
        ),
    )


def _running(pool: PoolSituation, order: Order, table: JobTable, identity: str) -> Explanation:
    row = next(row for row, known in enumerate(table.ids) if known == identity)
    funded = bool(pool.held.funded[row])
    failed = row in pool.held.protection.faults
    start = int(table.start[row])
    until = start + int(pool.held.seconds[row])
    protected = funded and not failed and pool.now < until
    facts = {
        "start": format_instant(start),
        "protected_until": format_instant(until) if funded and not failed else None,
        "protected": protected,
    }
    return Explanation(
        job=identity,
        pool=pool.pool.name,
        account=table.account[row],
        user=table.user[row],
        running=True,
        rank=None,
        of=len(pool.pending),
        klass=None if failed else _class(pool.held, row),
        protected_until=Instant(until) if funded and not failed else None,
        path=_levels(pool, order, int(pool.user_nodes(table)[row]), order.rows[:0]),
        reasons=(Reason("running", facts), *class_reasons(pool, pool.held, table, row)),
    )


def _class(classes: Classes, row: int) -> Class:
    return "funded" if classes.funded[row] else "opportunistic"


def _own_place(pool: PoolSituation, order: Order, row: int, before: Ints) -> Reason:
    """Say how the job stands among the jobs of its own user: by class, priority, submit time, id."""
    mine = order.user[before] == order.user[row]
    return Reason(
        "own_order",
        {
            "user": pool.pending.user[row],
            "own_jobs_before": int(mine.sum()),
            "priority": int(pool.pending.priority[row]),
            "submit": format_instant(int(pool.pending.submit[row])),
        },
    )


def _levels(pool: PoolSituation, order: Order, user: int, before: Ints) -> tuple[Level, ...]:
    return tuple(_level(pool, order, number, before) for number in pool.book.chain(user))


def _level(pool: PoolSituation, order: Order, number: int, before: Ints) -> Level:
    book, hours = pool.book, pool.rates.exact_gpu_hours
    node = book.nodes[number]
    above = _at_depth(pool, order.user[before], node.depth)
    siblings = [sibling for sibling in book.children(node.parent).tolist() if sibling != number]
    projected = int(order.charge[before][above == number].sum())
    counted = {book.nodes[other].label: int((above == other).sum()) for other in siblings}
    standing = _standing(pool, number)
    ahead_of = [other for other in siblings if (_standing(pool, other), other) > (standing, number)]
    virtual = _raised(pool, number, 0)
    turn = _raised(pool, number, projected)
    return Level(
        account=node.path,
        user=node.user,
        share=str(node.share),
        usage_gpu_hours=float(hours(int(book.usage[number]))),
        virtual_time=None if virtual is None else float(hours(virtual)),
        projected_gpu_hours=float(hours(projected)),
        at_turn=None if turn is None else float(hours(turn)),
        jobs_before={label: count for label, count in sorted(counted.items()) if count},
        ahead_of=tuple(sorted(book.nodes[other].label for other in ahead_of)),
        behind=tuple(sorted(book.nodes[other].label for other in siblings if other not in ahead_of)),
        written=written(node.account.place) if node.account else None,
    )


def _at_depth(pool: PoolSituation, nodes: Ints, depth: int) -> Ints:
    """Return the ancestor of each node at a depth, or the node itself where it lies higher."""
    climbing = nodes.copy()
    for _ in range(int(pool.book.depth.max(initial=0))):
        deeper = pool.book.depth[climbing] > depth
        climbing[deeper] = pool.book.parent[climbing[deeper]]
    return climbing


def _raised(pool: PoolSituation, number: int, extra: int) -> Fraction | None:
    value = pool.book.virtual_time(number, extra)
    floor = credit_floor(pool, pool.book.nodes[number].parent)
    return value if value is None or floor is None else max(value, floor)


def _standing(pool: PoolSituation, number: int) -> tuple[int, Fraction]:
    value = pool.book.virtual_time(number)
    if value is None:
        return (1, Fraction(int(pool.book.usage[number])))
    return virtual_key(value)
