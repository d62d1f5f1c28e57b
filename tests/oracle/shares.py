"""Shares at an instant, as a superposition: what the budgets say, plus what every exception in force moves."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from policyctl.model.policy import Budget, Period, Policy, ShareGrant

__all__ = ["Standing", "active", "lineage", "shares_at"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """One account at one instant: `stated` says whether a budget in effect names it among its shares."""

    share: Fraction
    absolute: Fraction
    leaf: bool
    stated: bool


def active(period: Period, at: int) -> bool:
    """Say whether `at` lies in the half-open period."""
    if period.start is not None and at < period.start:
        return False
    return period.end is None or at < period.end


def lineage(path: str) -> list[str]:
    """Return the path and all accounts above it, the root last."""
    found = [path]
    while found[-1] != "/":
        found.append(found[-1].rpartition("/")[0] or "/")
    return found


def _division(policy: Policy, pool: str, at: int) -> dict[str, Budget]:
    general = {b.account: b for b in policy.budgets if b.pool is None and active(b.period, at)}
    own = {b.account: b for b in policy.budgets if b.pool == pool and active(b.period, at)}
    return {**general, **own}


def shares_at(policy: Policy, pool: str, at: int) -> dict[str, Standing]:
    """Return every account that the policy names for the pool, with its share at the instant."""
    division = _division(policy, pool, at)
    stated = {budget.child(one): one.share for budget in division.values() for one in budget.shares}
    moves = [
        one.grant for one in policy.exceptions if isinstance(one.grant, ShareGrant) and active(one.period, at)
    ]
    named = {"/"}
    for budget in policy.budgets:
        if budget.pool in {None, pool}:
            for path in (budget.account, *(budget.child(one) for one in budget.shares)):
                named.update(lineage(path))
    for move in moves:
        named.update(lineage(move.to), lineage(move.source))

    def part(top: str, path: str) -> Fraction:
        """Return what a point given to `top` leaves for `path` below it."""
        if path == top:
            return Fraction(1)
        return stated.get(path, Fraction(0)) * part(top, lineage(path)[1])

    def flow(end: str, other: str, path: str) -> Fraction:
        """Return how much of one point that arrives at `end` (and leaves `other`) passes or reaches `path`."""
        if end in lineage(other) or path in lineage(other):
            return Fraction(0)
        if path in lineage(end):
            return Fraction(1)
        return part(end, path) if end in lineage(path) else Fraction(0)

    absolute = {
        path: part("/", path)
        + sum(
            (
                move.add * (flow(move.to, move.source, path) - flow(move.source, move.to, path))
                for move in moves
            ),
            Fraction(0),
        )
        for path in named
    }
    found = {}
    for path in sorted(named):
        above = absolute[lineage(path)[1]] if path != "/" else Fraction(1)
        share = Fraction(1) if path == "/" else stated.get(path, Fraction(0))
        found[path] = Standing(
            share=absolute[path] / above if above else share,
            absolute=absolute[path],
            leaf=path not in division,
            stated=path == "/" or path in stated,
        )
    return found
