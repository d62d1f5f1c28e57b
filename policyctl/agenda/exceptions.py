"""Exceptions at one instant: which are in force, which end soon or are over, which repeat or prolong each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from policyctl.check.limits import chains
from policyctl.check.targets import target_of
from policyctl.check.times import bounds
from policyctl.model.policy import Freeze, Period, Policy, PolicyException, ProtectionGrant, Suspension
from policyctl.model.tree import ancestors
from policyctl.units import Instant, Seconds

__all__ = ["Phase", "Review", "phase_of", "review"]


class Phase(StrEnum):
    """Where an instant lies in the period of an exception."""

    ACTIVE = "active"
    UPCOMING = "upcoming"
    EXPIRED = "expired"


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """What is to be said of one exception without a look at any job.

    `overlaps` names others for the same target that share an instant with it; `redundant` one that already does all
    that this one does, at the instant asked about or, for one to come, when it begins. `renewals` counts both ways to
    prolong: the exceptions that it follows without a pause, and how often a date of expiry was moved. `too_often`
    says that this is more than Governance allows.
    """

    exception: PolicyException
    phase: Phase
    expiring: bool
    overlaps: tuple[str, ...]
    redundant: str | None
    renewals: int
    too_often: bool


def phase_of(period: Period, at: Instant) -> Phase:
    """Say where an instant lies: half-open, so that the last second in force is the one before the end."""
    if period.in_force(at):
        return Phase.ACTIVE
    return Phase.EXPIRED if period.over(at) else Phase.UPCOMING


def review(
    policy: Policy, *, now: Instant, soon: Seconds, extended: Mapping[str, int] | None = None
) -> tuple[Review, ...]:
    """Look at every exception at `now`: active ones first, each group by its end, then name.

    `soon` is how near an end makes an active exception expiring, inclusive; `extended` counts by name how often an
    exception's own expiry was moved to a later instant.
    """
    moved = extended or {}
    most = policy.governance.max_renewals
    renewals = {
        one.name: place + sum(moved.get(other.name, 0) for other in chain[: place + 1])
        for chain in chains(policy.exceptions)
        for place, one in enumerate(chain)
    }
    reviews = [
        _reviewed(one, policy.exceptions, now=now, soon=soon, renewals=renewals[one.name], most=most)
        for one in policy.exceptions
    ]
    order = list(Phase)
    return tuple(
        sorted(
            reviews,
            key=lambda one: (
                order.index(one.phase),
                bounds(one.exception.period)[::-1],
                one.exception.name,
            ),
        )
    )


def _reviewed(
    one: PolicyException,
    every: Sequence[PolicyException],
    *,
    now: Instant,
    soon: Seconds,
    renewals: int,
    most: int | None,
) -> Review:
    phase = phase_of(one.period, now)
    return Review(
        exception=one,
        phase=phase,
        expiring=phase is Phase.ACTIVE and bounds(one.period)[1] - now <= soon,
        overlaps=tuple(
            sorted(
                other.name
                for other in every
                if other is not one
                and target_of(other.grant) == target_of(one.grant)
                and other.period.overlaps(one.period)
            )
        ),
        redundant=None if phase is Phase.EXPIRED else _redundant(one, every, max(now, bounds(one.period)[0])),
        renewals=renewals,
        too_often=most is not None and renewals > most,
    )


def _redundant(one: PolicyException, every: Sequence[PolicyException], at: int) -> str | None:
    """Return the first other exception in force that does all that this one does; of two equal ones the later is idle."""
    for other in sorted(every, key=lambda other: (bounds(other.period)[0], other.name)):
        if other is one or not other.period.in_force(at) or not _covers(other, one):
            continue
        if not _covers(one, other) or _order(other) < _order(one):
            return other.name
    return None


def _order(one: PolicyException) -> tuple[int, str]:
    return (bounds(one.period)[0], one.name)


def _covers(other: PolicyException, one: PolicyException) -> bool:
    match one.grant, other.grant:
        case Freeze(pool=pool), Freeze(pool=same):
            return pool == same
        case Suspension(account=account), Suspension(account=above):
            return above in ancestors(account)
        case ProtectionGrant(account=str() as account), Suspension(account=above):
            return above in ancestors(account)
        case ProtectionGrant(account=str() as account), ProtectionGrant(account=str() as above):
            return above in ancestors(account) and _most(other) >= _most(one)
        case ProtectionGrant(job=str() as job), ProtectionGrant(job=str() as same):
            return job == same and _most(other) >= _most(one)
        case _:
            return False


def _most(one: PolicyException) -> int:
    return one.grant.max_protected if isinstance(one.grant, ProtectionGrant) else 0
