"""How one account is divided: once at a time, to at most the whole, and not into nothing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction
from itertools import accumulate

from policyctl.catalogue import finding
from policyctl.check.index import Index
from policyctl.check.times import bounds, during, overlap, since
from policyctl.check.wording import amount, in_pools, listed, share_text
from policyctl.diagnostics import Finding, Related
from policyctl.model.policy import Budget, Pool, Share, place_of
from policyctl.units import format_instant

__all__ = ["all_zero", "divided_twice", "nothing_divided", "over_the_whole", "review_outside"]


def divided_twice(index: Index) -> Iterator[Finding]:
    """Find two budgets for the same account and pool whose periods share an instant (A001)."""
    groups: dict[tuple[str, str | None], list[Budget]] = defaultdict(list)
    for budget in index.policy.budgets:
        groups[budget.account, budget.pool].append(budget)
    for (account, pool), budgets in groups.items():
        first, *others = sorted(budgets, key=lambda one: (*bounds(one.period), one.place, one.name))
        longest = first
        for budget in others:
            if budget.period.overlaps(longest.period):
                yield _twice(account, pool, longest, budget)
            longest = max(longest, budget, key=lambda one: bounds(one.period)[1])


def _twice(account: str, pool: str | None, first: Budget, second: Budget) -> Finding:
    shared = during(overlap(first.period, second.period))
    if second.period.start is not None and first.period.start != second.period.start:
        way_out = (
            f'end `{first.name}` where this one begins: `until: "{format_instant(second.period.start)}"`'
        )
    else:
        way_out = "remove one of the two, or give them periods that do not overlap"
    return finding(
        "A001",
        f"`{account}` is divided twice {shared} {in_pools([pool])}: by `{first.name}` and by `{second.name}`",
        place_of(second, "account"),
        help=way_out,
        subject=f"Budget {second.name}",
        related=(Related(place=place_of(first, "account"), message=f"also divided by `{first.name}`"),),
    )


def over_the_whole(index: Index) -> Iterator[Finding]:
    """Find a budget whose shares come to more than the account has (A004)."""
    for budget in index.policy.budgets:
        excess = sum((share.share for share in budget.shares), Fraction(-1))
        if excess > 0:
            yield _over(budget, excess)


def _over(budget: Budget, over: Fraction) -> Finding:
    written = sorted(budget.shares, key=lambda one: (one.place, one.name))
    totals = accumulate(share.share for share in written)
    share = next(one for one, total in zip(written, totals, strict=True) if total > 1)
    siblings = listed([f"`{one.name}` {share_text(one.share)}" for one in _largest(budget)])
    if share.share >= over:
        way_out = f"write `{share.name}: {share_text(share.share - over)}`, or lower another of {siblings}"
    else:
        way_out = f"lower {siblings}"
    return finding(
        "A004",
        f"the shares of `{budget.account}` are over 100% {since(budget.period)} {in_pools([budget.pool])}: "
        f"over by {amount(over)}",
        share.place,
        help=way_out,
        subject=f"Budget {budget.name}",
    )


def _largest(budget: Budget) -> list[Share]:
    return sorted(budget.shares, key=lambda one: (-one.share, one.name))


def all_zero(index: Index) -> Iterator[Finding]:
    """Find a budget that gives nobody anything (A008)."""
    for budget in index.policy.budgets:
        if not any(share.share for share in budget.shares):
            yield finding(
                "A008",
                f"every share of `{budget.account}` is 0, so no job below it could ever be funded",
                budget.shares[0].place if budget.shares else budget.place,
                help="give at least one account a share above 0, or remove this budget",
                subject=f"Budget {budget.name}",
            )


def nothing_divided(index: Index) -> Iterator[Finding]:
    """Find pools in which nobody ever has a share (A013)."""
    policy = index.policy
    budgets = index.dividing.get("/", ())
    if not policy.budgets and policy.pools:
        yield _undivided(policy.pools[0], "no budget divides `/`, so every job is opportunistic")
    for pool in policy.pools if budgets else ():
        if not any(one.pool in {None, pool.name} for one in budgets):
            message = f"no budget divides `/` in pool `{pool.name}`, so every job there is opportunistic"
            yield _undivided(pool, message)


def review_outside(index: Index) -> Iterator[Finding]:
    """Find a review date at which the budget does not hold (A014)."""
    for budget in index.policy.budgets:
        if budget.review_by is not None and not budget.period.in_force(budget.review_by):
            yield finding(
                "A014",
                f"the budget does not hold at its review date: it holds {during(budget.period)}",
                place_of(budget, "reviewBy"),
                help="set a date within the period, some time before it ends",
                subject=f"Budget {budget.name}",
            )


def _undivided(pool: Pool, message: str) -> Finding:
    return finding(
        "A013",
        message,
        pool.place,
        help="add a Budget with `account: /` and a share for each program; without `pool` it holds in every pool",
        subject=f"Cluster pool {pool.name}",
    )
