"""What became of each exception: matched by its name, else by what it grants, so that a rename is no change."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from policyctl.model.change import ExceptionChange
from policyctl.model.policy import (
    Freeze,
    Grant,
    Policy,
    PolicyException,
    ProtectionGrant,
    ShareGrant,
    Suspension,
)
from policyctl.units import Instant, format_duration, format_percent

__all__ = ["exception_changes", "grant_text"]


def exception_changes(base: Policy, head: Policy, now: Instant | None) -> Iterator[ExceptionChange]:
    """Return the exceptions that differ, by name; with `now`, those removed after their end are `expired`."""
    pairs, gone, new = _matched(base, head)
    found = [change for before, after in pairs if (change := _compared(before, after))]
    found += [_alone(one, "expired" if _over(one, now) else "removed", base=True) for one in gone]
    found += [_alone(one, "added", base=False) for one in new]
    yield from sorted(found, key=lambda one: (one.name, one.what))


Pairs = list[tuple[PolicyException, PolicyException]]


def _matched(base: Policy, head: Policy) -> tuple[Pairs, list[PolicyException], list[PolicyException]]:
    gone, new = list(base.exceptions), list(head.exceptions)
    pairs: Pairs = []
    for same in (
        lambda one, other: one.name == other.name,
        lambda one, other: _meant(one) == _meant(other),
        lambda one, other: one.grant == other.grant,
    ):
        for one in list(gone):
            other = next((found for found in new if same(one, found)), None)
            if other is not None:
                pairs.append((one, other))
                gone.remove(one)
                new.remove(other)
    return pairs, gone, new


def _meant(one: PolicyException) -> object:
    return one.grant, one.period, one.reason, one.ticket, one.requested_by


def _compared(before: PolicyException, after: PolicyException) -> ExceptionChange | None:
    if _meant(before) == _meant(after):
        return None
    ends = before.period.end, after.period.end
    only_dates = before.grant == after.grant
    what = "changed"
    if only_dates and before.period.start == after.period.start and ends[0] != ends[1]:
        longer = ends[1] is None or (ends[0] is not None and ends[1] > ends[0])
        what = "extended" if longer else "shortened"
    return ExceptionChange(
        name=after.name, what=what, grant=grant_text(after.grant), end_before=ends[0], end_after=ends[1]
    )


def _alone(one: PolicyException, what: str, *, base: bool) -> ExceptionChange:
    end = one.period.end
    return ExceptionChange(
        name=one.name,
        what=what,
        grant=grant_text(one.grant),
        end_before=end if base else None,
        end_after=None if base else end,
    )


def _over(one: PolicyException, now: Instant | None) -> bool:
    return now is not None and one.period.over(now)


def grant_text(grant: Grant) -> str:
    """Write a grant in one line."""
    match grant:
        case ShareGrant():
            return f"{format_percent(grant.add)} of the cluster from {grant.source} to {grant.to}"
        case ProtectionGrant():
            whom = grant.account if grant.account is not None else f"job {grant.job}"
            return f"protection up to {format_duration(grant.max_protected)} for {whom}"
        case Suspension():
            return f"no new protection for {grant.account}"
        case Freeze():
            return f"no preemption in {grant.pool}"
    assert_never(grant)
