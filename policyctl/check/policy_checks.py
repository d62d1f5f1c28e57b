"""The checks of a whole policy, in one table: each looks at one thing, all of them always run.

They see only policies whose every document was read, or a child would be blamed for its broken parent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from policyctl.check import (
    approvers,
    brakes,
    caps,
    dates,
    descent,
    division,
    idle,
    limits,
    moves,
    names,
    references,
    rules,
    windows,
)
from policyctl.check.index import Index, index_policy
from policyctl.diagnostics import Finding, ordered
from policyctl.model.policy import Policy
from policyctl.units import Instant

__all__ = ["CHECKS", "DATED_CHECKS", "run_checks"]

CHECKS: tuple[tuple[str, Callable[[Index], Iterator[Finding]]], ...] = (
    ("A001", division.divided_twice),
    ("A002 A003", descent.orphans),
    ("A004", division.over_the_whole),
    ("A005", references.unknown_accounts),
    ("A006", references.unknown_pools),
    ("A007", references.unknown_owners),
    ("A008", division.all_zero),
    ("A009", descent.divided_in_pieces),
    ("A012", references.similar_names),
    ("A013", division.nothing_divided),
    ("A014", division.review_outside),
    ("A016", approvers.too_few_approvers),
    ("E001 A004", moves.moved_too_far),
    ("E002", moves.moves_nothing),
    ("E003", limits.too_long),
    ("E004", limits.too_many),
    ("E005", limits.strangers),
    ("E006", idle.changes_nothing),
    ("E008", idle.overlapping),
    ("E009", limits.unlimited),
    ("E010", limits.too_often),
    ("P001", rules.unreachable_rules),
    ("P002", caps.looser_caps),
    ("P003", rules.constant_guards),
    ("P004", rules.repeated_guards),
    ("P005", caps.uncapped_accounts),
    ("P006", brakes.brakes_always_on),
    ("P007", names.unknown_names_in_rules),
    ("W001", windows.window_too_short),
    ("W002", windows.half_life_too_long),
    ("W003", windows.quantum_too_long),
    ("W004", windows.credit_too_long),
    ("W005", windows.charge_upside_down),
    ("W006", windows.free_padding),
    ("W007", windows.nothing_charged),
    ("W008", windows.block_too_large),
    ("W009", windows.free_afterwards),
)
"""Codes that a check may find, and the check."""

DATED_CHECKS: tuple[tuple[str, Callable[[Index, Instant], Iterator[Finding]]], ...] = (
    ("A010", dates.reviews_due),
    ("A011", dates.past_budgets),
    ("A015", dates.divisions_over),
    ("E007", dates.expired_exceptions),
)
"""The same for checks that ask what has passed by `now`."""


def run_checks(policy: Policy, *, now: Instant | None) -> tuple[Finding, ...]:
    """Return every finding about the policy as a whole, ordered by place.

    `now` None leaves out what depends on the clock, so that compiling gives the same answer on any day.
    """
    index = index_policy(policy)
    found = [one for _, check in CHECKS for one in check(index)]
    if now is not None:
        found += [one for _, check in DATED_CHECKS for one in check(index, now)]
    return ordered(found)
