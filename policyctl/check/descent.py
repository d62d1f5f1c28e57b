"""Every divided account hangs below the root, at every instant at which it is divided."""

from __future__ import annotations

from collections.abc import Iterator

from policyctl.catalogue import finding
from policyctl.check.index import Index
from policyctl.check.times import during, gaps
from policyctl.check.wording import in_pools
from policyctl.diagnostics import Finding, Related
from policyctl.model.policy import Budget, Period, place_of
from policyctl.model.tree import parent_of
from policyctl.units import format_instant

__all__ = ["divided_in_pieces", "orphans"]


def orphans(index: Index) -> Iterator[Finding]:
    """Find a budget for an account that no budget ever names (A002), or not all the time (A003)."""
    for budget in index.policy.budgets:
        if budget.account == "/":
            continue
        namings = [
            one
            for one in index.naming.get(budget.account, ())
            if budget.pool is None or one.budget.pool in {None, budget.pool}
        ]
        if not namings:
            yield _orphan(index, budget)
        else:
            covers = [one.budget.period for one in namings]
            for gap in gaps(budget.period, covers):
                # An open end means "whenever there is something to divide".
                if gap.start is not None and gap.end is not None:
                    yield _unnamed(budget, gap, namings[0].budget)


def _orphan(index: Index, budget: Budget) -> Finding:
    elsewhere = index.naming.get(budget.account, ())
    pools = "" if budget.pool is None or not elsewhere else f" {in_pools([budget.pool])}"
    name = budget.account.rpartition("/")[2]
    return finding(
        "A002",
        f"`{budget.account}` is divided here, but no budget of `{parent_of(budget.account)}` gives it a share{pools}",
        place_of(budget, "account"),
        help=f"give `{name}` a share in a budget of `{parent_of(budget.account)}` that holds {in_pools([budget.pool])}"
        if elsewhere
        else index.help_for(budget.account),
        subject=f"Budget {budget.name}",
        related=tuple(
            Related(place=one.share.place, message=f"named here, but only {in_pools([one.budget.pool])}")
            for one in elsewhere[:3]
        ),
    )


def _unnamed(budget: Budget, gap: Period, above: Budget) -> Finding:
    return finding(
        "A003",
        f"`{budget.account}` is divided {during(gap)}, but has no share then",
        place_of(budget, "effective"),
        help=f"let a budget of `{parent_of(budget.account)}` cover this time, or fit `effective` to `{above.name}`",
        subject=f"Budget {budget.name}",
        related=(Related(place=above.place, message=f"`{above.name}` holds {during(above.period)}"),),
    )


def divided_in_pieces(index: Index) -> Iterator[Finding]:
    """Find a stretch between two budgets of an account in which nothing divides it (A009)."""
    for account, budgets in index.dividing.items():
        pools: list[str | None] = [None]
        if any(budget.pool for budget in budgets):
            pools = [pool.name for pool in index.policy.pools]
        open_in: dict[tuple[int, int], list[str | None]] = {}
        for pool in pools:
            covers = [one.period for one in budgets if one.pool in {None, pool}]
            for gap in gaps(Period(), covers):
                if gap.start is not None and gap.end is not None:
                    open_in.setdefault((gap.start, gap.end), []).append(pool)
        for (start, end), where in sorted(open_in.items()):
            yield _gap(index, account, start, end, where)


def _gap(index: Index, account: str, start: int, end: int, where: list[str | None]) -> Finding:
    budgets = index.dividing[account]
    before = next(one for one in budgets if one.period.end == start)
    after = next(one for one in budgets if one.period.start == end)
    return finding(
        "A009",
        f"nothing divides `{account}` from {format_instant(start)} until {format_instant(end)} {in_pools(where)}",
        place_of(after, "effective"),
        help=f'let `{after.name}` begin where `{before.name}` ends: `from: "{format_instant(start)}"`',
        subject=f"Budget {after.name}",
        related=(
            Related(
                place=place_of(before, "effective"),
                message=f"`{before.name}` ends {format_instant(start)}",
            ),
        ),
    )
