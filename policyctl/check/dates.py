"""What has passed by itself: the only checks that need to know the time."""

from __future__ import annotations

from collections.abc import Iterator

from policyctl.catalogue import finding
from policyctl.check.index import Index
from policyctl.check.times import bounds
from policyctl.diagnostics import Finding
from policyctl.model.policy import Budget, Period, place_of
from policyctl.units import Instant, format_instant

__all__ = ["divisions_over", "expired_exceptions", "past_budgets", "reviews_due"]


def reviews_due(index: Index, now: Instant) -> Iterator[Finding]:
    """Find a budget whose review date has passed while it may still be in force (A010)."""
    for budget in index.policy.budgets:
        due = Period(end=budget.review_by).over(now)
        if budget.review_by is not None and due and not budget.period.over(now):
            yield finding(
                "A010",
                f"the review was due {format_instant(budget.review_by)}",
                place_of(budget, "reviewBy"),
                help="review the shares with the owner, then set the next date",
                subject=f"Budget {budget.name}",
            )


def past_budgets(index: Index, now: Instant) -> Iterator[Finding]:
    """Find a budget whose whole period is over (A011)."""
    for budget in index.policy.budgets:
        if budget.period.end is not None and budget.period.over(now):
            yield finding(
                "A011",
                f"the budget ended {format_instant(budget.period.end)}",
                place_of(budget, "effective.until"),
                help="keep it only if past instants are still asked about; the history of the file has it anyway",
                subject=f"Budget {budget.name}",
            )


def divisions_over(index: Index, now: Instant) -> Iterator[Finding]:
    """Find an account that was divided, and that nothing divides any more nor will (A015), at its last budget."""
    for account, budgets in index.dividing.items():
        for budget in budgets:
            end = budget.period.end
            if end is None or not budget.period.over(now) or any(_outlasts(one, budget) for one in budgets):
                continue
            where = "" if budget.pool is None else f" in `{budget.pool}`"
            yield finding(
                "A015",
                f"nothing divides `{account}`{where} since {format_instant(end)}",
                place_of(budget, "account"),
                help=f"write the budget that follows `{budget.name}`, or remove this one if it was the last on purpose",
                subject=f"Budget {budget.name}",
            )


def _outlasts(one: Budget, other: Budget) -> bool:
    """Say whether `one` divides what `other` divides, and ends later."""
    return one.pool in {None, other.pool} and bounds(one.period)[1] > bounds(other.period)[1]


def expired_exceptions(index: Index, now: Instant) -> Iterator[Finding]:
    """Find an exception that is over and still there (E007)."""
    for one in index.policy.exceptions:
        if one.period.end is not None and one.period.over(now):
            yield finding(
                "E007",
                f"the exception expired {format_instant(one.period.end)}",
                place_of(one, "expires"),
                help="remove the document; the history of the file keeps it",
                subject=f"Exception {one.name}",
            )
