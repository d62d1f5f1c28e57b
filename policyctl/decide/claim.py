"""The claim of a pending job on running ones: what it would be charged, and whether its branch would still be behind."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from policyctl.decide.book import Book, virtual_key
from policyctl.decide.situation import PoolSituation

__all__ = ["Behind", "Branches", "Claim", "branches", "credit_floor", "entitled_hours"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Branches:
    """The children of the lowest common ancestor of two users: `mine` is None where both share one account."""

    below: int
    mine: int | None
    other: int | None
    same_user: bool


def branches(book: Book, mine: int, other: int) -> Branches:
    """Find where the ways down to two users part."""
    one, two = book.chain(mine), book.chain(other)
    shared = 0
    while shared < min(len(one), len(two)) and one[shared] == two[shared]:
        shared += 1
    same_account = book.nodes[mine].path == book.nodes[other].path
    below = one[shared - 1] if shared else 0
    if same_account:
        return Branches(below=below, mine=None, other=None, same_user=mine == other)
    return Branches(below=below, mine=one[shared], other=two[shared], same_user=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Behind:
    """The comparison of rule 4, exactly: ticks per share, None where a share is 0 (ahead of every other)."""

    holds: bool
    after: Fraction
    other: Fraction | None
    floor: Fraction | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A funded pending job: its user's node and the ticks that its protection would be charged."""

    situation: PoolSituation
    user: int
    charge: int

    def behind(self, mine: int, other: int) -> Behind:
        """Say whether branch `mine`, after paying for the job, would still be behind branch `other`.

        `v'(A) * (1 + hysteresis) <= v(B)`. Both are raised to the credit limit's floor where the policy has one; a
        tie that the floor makes is decided by the values without it, so that two branches below it cannot take from
        each other in turn. For the same reason `mine` has to be behind before it pays: a job that costs nothing (capped
        to no protection, or free GPU time) would else preempt across a tie in both directions.
        """
        book = self.situation.book
        margin = 1 + self.situation.policy.preemption.hysteresis
        after = book.virtual_time(mine, self.charge)
        assert after is not None, "a funded job has a share on every level"
        against = book.virtual_time(other)
        floor = self._floor(book.nodes[mine].parent)
        raised_after = after if floor is None else max(after, floor)
        raised_against = against if floor is None or against is None else max(against, floor)
        left, right = virtual_key(raised_after * margin), virtual_key(raised_against)
        plain = virtual_key(after * margin) <= virtual_key(against)
        now_behind = virtual_key(book.virtual_time(mine)) < virtual_key(against)
        holds = now_behind and (left < right or (left == right and plain))
        return Behind(holds=holds, after=raised_after, other=raised_against, floor=floor)

    def _floor(self, parent: int) -> Fraction | None:
        """Return `U(parent) - T * C * S(parent)`, below which no child's virtual time is taken."""
        return credit_floor(self.situation, parent)

    def ahead(self, found: Branches) -> tuple[int, Fraction]:
        """Return how far ahead the victim's branch is: its usage over its absolute share, share 0 furthest."""
        if found.other is None:
            return (-1, Fraction(0))
        book = self.situation.book
        absolute = book.nodes[found.other].absolute
        if absolute <= 0:
            return (1, Fraction(int(book.usage[found.other])))
        return (0, Fraction(int(book.usage[found.other])) / absolute)


def credit_floor(situation: PoolSituation, parent: int) -> Fraction | None:
    """Return the least virtual time that a child of `parent` is taken to have, None without a credit limit.

    In ranking, where ties that the floor makes go by the values without it, it leaves the order as it is; it bounds
    how far behind a returning account may count when it asks to preempt.
    """
    limit = situation.policy.accounting.credit_limit
    if limit is None:
        return None
    node = situation.book.nodes[parent]
    rate = situation.pool.gpus * 1000 * situation.rates.protected
    return int(situation.book.usage[parent]) - limit * rate * max(node.absolute, Fraction(0))


def entitled_hours(situation: PoolSituation, absolute: Fraction) -> float:
    """Return the GPU-hours to which an absolute share is entitled over the window, at the pool's charge rate."""
    return float(situation.rates.exact_gpu_hours(situation.entitled(absolute)))
