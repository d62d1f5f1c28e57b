"""The claim of a pending job on running ones: what it would be charged, and whether its branch would still be behind."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from policyctl.decide.book import Book
from policyctl.decide.situation import PoolSituation

__all__ = [
    "Ahead",
    "Behind",
    "Branches",
    "Claim",
    "branches",
    "compare_ahead",
    "credit_floor",
    "entitled_hours",
]


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
    """The comparison of rule 4: ticks and shares of both branches, and whether the asking one may take.

    `paid` is the usage of the asking branch with the charge of the job.
    """

    holds: bool
    paid: int
    share: Fraction
    used: int
    other_share: Fraction
    floor: Fraction | None

    @property
    def after(self) -> Fraction:
        """The asking branch's virtual time after paying, not less than the floor."""
        value = self.paid / self.share
        return value if self.floor is None else max(value, self.floor)

    @property
    def other(self) -> Fraction | None:
        """The other branch's virtual time, not less than the floor; None where its share is 0: ahead of every other."""
        if self.other_share <= 0:
            return None
        value = self.used / self.other_share
        return value if self.floor is None else max(value, self.floor)


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
        share, other_share = book.nodes[mine].share, book.nodes[other].share
        before, used = book.used(mine), book.used(other)
        paid = before + self.charge
        floor = self._floor(book.nodes[mine].parent)
        holds = other_share <= 0 or self._holds(before, share, used, other_share, floor)
        return Behind(holds=holds, paid=paid, share=share, used=used, other_share=other_share, floor=floor)

    def _holds(
        self, before: int, share: Fraction, used: int, other_share: Fraction, floor: Fraction | None
    ) -> bool:
        margin = 1 + self.situation.policy.preemption.hysteresis
        # Both sides of `U(A) / s(A) < U(B) / s(B)`, multiplied by what makes them whole.
        weight = other_share.numerator * share.denominator
        against = used * share.numerator * other_share.denominator
        if before * weight >= against:
            return False
        plain = (before + self.charge) * weight * margin.numerator <= against * margin.denominator
        if floor is None:
            return plain
        after = max((before + self.charge) / share, floor) * margin
        raised = max(used / other_share, floor)
        return after < raised or (after == raised and plain)

    def _floor(self, parent: int) -> Fraction | None:
        """Return `U(parent) - T * C * S(parent)`, below which no child's virtual time is taken."""
        return credit_floor(self.situation, parent)

    def ahead(self, found: Branches) -> Ahead:
        """Return how far ahead the victim's branch is: its usage over its absolute share."""
        if found.other is None:
            return (-1, 0, 1)
        book = self.situation.book
        absolute = book.nodes[found.other].absolute
        used = book.used(found.other)
        return (1, used, 1) if absolute <= 0 else (0, used * absolute.denominator, absolute.numerator)


Ahead = tuple[int, int, int]
"""How far ahead a branch is: the asking job's own account (-1), a share (0) or none (1), and a ratio of whole numbers."""


def compare_ahead(one: Ahead, other: Ahead) -> int:
    """Return 1, 0 or -1 as the first branch is further ahead than the second, as far, or less far."""
    if one[0] != other[0]:
        return 1 if one[0] > other[0] else -1
    left, right = one[1] * other[2], other[1] * one[2]
    return (left > right) - (left < right)


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
    return situation.book.used(parent) - limit * rate * max(node.absolute, Fraction(0))


def entitled_hours(situation: PoolSituation, absolute: Fraction) -> float:
    """Return the GPU-hours to which an absolute share is entitled over the window, at the pool's charge rate."""
    return float(situation.rates.exact_gpu_hours(situation.entitled(absolute)))
