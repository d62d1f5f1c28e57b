"""Who runs next: funded jobs, then opportunistic ones, each class by hierarchical fair share.

Jobs on which a rule cannot be evaluated have no place in the order; they are listed beside it with the rule.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from policyctl.decide.fitting import Fitting
from policyctl.decide.merge import Queue, merge_order
from policyctl.decide.reasons import class_reasons
from policyctl.decide.situation import PoolSituation
from policyctl.decide.table import JobTable
from policyctl.model.decisions import PoolRanking, RankedJob, Reason, UnrankedJob

__all__ = ["Order", "order_pool", "own_order", "rank_pool"]

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """`rows` of the pending table, best first; `faulted` rows have no place; `charge` is per row of the table."""

    rows: Ints
    faulted: tuple[int, ...]
    charge: Ints
    user: Ints

    def rank_of(self, row: int) -> int | None:
        """Return the rank of a row, counted from 1, or None where it has none."""
        found = np.flatnonzero(self.rows == row)
        return int(found[0]) + 1 if len(found) else None


def own_order(table: JobTable, user: Ints) -> Ints:
    """Return rows in each user's own order: priority (higher first), submit time, id."""
    order = np.lexsort((table.submit, -table.priority, user))
    same = (
        (user[order[1:]] == user[order[:-1]])
        & (table.priority[order[1:]] == table.priority[order[:-1]])
        & (table.submit[order[1:]] == table.submit[order[:-1]])
    )
    edges = np.flatnonzero(~np.r_[False, same, False])
    tied = np.flatnonzero(np.diff(edges) > 1)
    for start, end in zip(edges[tied].tolist(), edges[tied + 1].tolist(), strict=True):
        order[start:end] = sorted(order[start:end].tolist(), key=lambda row: table.ids[row])
    return order


def order_pool(situation: PoolSituation) -> Order:
    """Order the pending jobs of a pool."""
    table = situation.pending
    user = situation.user_nodes(table)
    charge = situation.projected()
    faulted = tuple(sorted(situation.waiting.protection.faults))
    order = own_order(table, user)
    if faulted:
        order = order[~np.isin(order, faulted)]
    late = (~situation.waiting.funded[order]).astype(np.int8)
    merged = merge_order(situation.book, Queue(user=user[order], late=late, charge=charge[order]))
    return Order(rows=order[merged], faulted=faulted, charge=charge, user=user)


def rank_pool(situation: PoolSituation, *, top: int | None = None) -> PoolRanking:
    """Answer with the first `top` jobs of a pool (all where None), each with its reasons."""
    order = order_pool(situation)
    shown = order.rows if top is None else order.rows[:top]
    turns = _virtual_times(situation, order, len(shown))
    table, classes, fitting = situation.pending, situation.waiting, Fitting(situation)
    ranked = tuple(
        RankedJob(
            rank=place,
            job=table.ids[row],
            klass="funded" if classes.funded[row] else "opportunistic",
            account=table.account[row],
            user=table.user[row],
            reasons=(*fitting.reasons(table, row), *class_reasons(situation, classes, table, row), turn),
        )
        for place, (row, turn) in enumerate(zip(shown.tolist(), turns, strict=True), start=1)
    )
    errors = tuple(
        UnrankedJob(
            job=table.ids[row],
            account=table.account[row],
            user=table.user[row],
            reasons=class_reasons(situation, classes, table, row),
        )
        for row in sorted(order.faulted, key=lambda row: table.ids[row])
    )
    return PoolRanking(pool=situation.pool.name, order=ranked, errors=errors, pending=len(table))


def _virtual_times(situation: PoolSituation, order: Order, count: int) -> list[Reason]:
    """Return for the first `count` jobs the virtual time of each account above it at the moment it is taken."""
    book, rates = situation.book, situation.rates
    reached = book.usage.tolist()
    reasons = []
    for row in order.rows[:count].tolist():
        path = []
        for node in book.chain(int(order.user[row])):
            share = book.nodes[node].share
            value = rates.gpu_hours(reached[node]) / float(share) if share > 0 else None
            path.append({"account": book.nodes[node].label, "virtual_time_gpu_hours": value})
            reached[node] += int(order.charge[row])
        reasons.append(Reason("fair_share", {"path": path}))
    return reasons
