"""Allocation beside measured consumption: what every account is entitled to, was charged, and is still owed.

`entitled` is the absolute share of the pool's charge rate over the whole window; `owed` is the smaller of that and the
account's demand, which is what it was charged, has committed and has queued as funded work; `remaining` is what it can
still be charged before it has had its entitlement.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from policyctl.decide.book import Node
from policyctl.decide.situation import PoolSituation
from policyctl.model.decisions import AccountUsage, PoolUsage
from policyctl.units import Instant, Seconds

__all__ = ["pool_usage"]


def pool_usage(situation: PoolSituation) -> PoolUsage:
    """Report on every account of a pool, parents first, in path order."""
    queued = _queued(situation)
    book = situation.book
    numbers = sorted(book.of_account.items(), key=lambda item: item[0].strip("/").split("/"))
    return PoolUsage(
        pool=situation.pool.name,
        capacity_gpu_hours=float(situation.pool.gpus * Fraction(situation.window.seconds) / 3600),
        charge_rate=str(situation.pool.charge_rate),
        unassigned_share=str(_unassigned(situation, 0)),
        window_start=Instant(situation.window.start),
        window_end=Instant(situation.window.end),
        half_life=None if situation.window.half_life is None else Seconds(situation.window.half_life),
        accounts=tuple(
            _account(situation, number, book.nodes[number], queued[number]) for _, number in numbers
        ),
    )


def _queued(situation: PoolSituation) -> list[int]:
    """Return per node the ticks that its pending funded jobs ask for."""
    book = situation.book
    queued = [0] * len(book.nodes)
    users = situation.user_nodes(situation.pending)
    asked = np.where(situation.waiting.funded, situation.projected(), 0)
    for user, ticks in zip(users.tolist(), asked.tolist(), strict=True):
        queued[user] += ticks
    for number in range(len(queued) - 1, 0, -1):
        queued[book.nodes[number].parent] += queued[number]
    return queued


def _unassigned(situation: PoolSituation, number: int) -> Fraction:
    """Return the part of an account that its budget gives to nobody; 0 for a leaf."""
    book = situation.book
    node = book.nodes[number]
    if node.account is None or node.account.leaf:
        return Fraction(0)
    return 1 - sum((book.nodes[child].share for child in book.children(number).tolist()), Fraction(0))


def _account(situation: PoolSituation, number: int, node: Node, queued: int) -> AccountUsage:
    book, hours = situation.book, situation.rates.exact_gpu_hours
    entitled = situation.entitled(node.absolute)
    charged, committed = int(book.charged[number]), int(book.committed[number])
    used = charged + committed
    return AccountUsage(
        account=node.path,
        share=str(node.share),
        absolute_share=str(node.absolute),
        unassigned_share=str(_unassigned(situation, number)),
        entitled_gpu_hours=float(hours(entitled)),
        charged_gpu_hours=float(hours(charged)),
        committed_gpu_hours=float(hours(committed)),
        opportunistic_gpu_hours=float(hours(int(book.opportunistic[number]))),
        queued_gpu_hours=float(hours(queued)),
        owed_gpu_hours=float(hours(min(entitled, Fraction(used + queued)))),
        remaining_gpu_hours=float(hours(max(entitled - used, Fraction(0)))),
        known=node.account is not None,
    )
