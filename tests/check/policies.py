"""Policies made by hand, without texts: what the checks see of a policy that came out of a bundle."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from policyctl.diagnostics import Place
from policyctl.model.policy import (
    Accounting,
    Budget,
    Governance,
    Period,
    Policy,
    PolicyException,
    Pool,
    Preemption,
    Share,
    ShareGrant,
    SlidingWindow,
)
from policyctl.units import Instant, Seconds

__all__ = ["budget", "lending", "period", "policy"]


def period(start: int | None = None, end: int | None = None) -> Period:
    return Period(start=None if start is None else Instant(start), end=None if end is None else Instant(end))


def budget(
    account: str,
    shares: dict[str, Fraction],
    *,
    name: str = "",
    during: Period | None = None,
    pool: str | None = None,
) -> Budget:
    called = name or f"budget-of-{account.strip('/') or 'all'}"
    return Budget(
        name=called,
        account=account,
        pool=pool,
        period=during or Period(),
        shares=tuple(
            Share(name=child, share=share, place=Place(file=f"{called}.yaml", line=number))
            for number, (child, share) in enumerate(sorted(shares.items()), start=2)
        ),
        place=Place(file=f"{called}.yaml"),
    )


def lending(name: str, ends: tuple[str, str], add: Fraction, during: Period) -> PolicyException:
    """Make an exception that lends from the first account to the second."""
    place = Place(file=f"{name}.yaml")
    return PolicyException(
        name=name,
        reason="a deadline",
        ticket="OPS-1",
        requested_by="@lab/leads",
        period=during,
        grant=ShareGrant(source=ends[0], to=ends[1], add=add),
        place=place,
        grant_place=replace(place, line=9),
    )


def policy(
    *budgets: Budget, exceptions: tuple[PolicyException, ...] = (), pools: tuple[str, ...] = ("h100",)
) -> Policy:
    default = Place(file="(default)")
    return Policy(
        pools=tuple(
            Pool(name=name, nodes=8, gpus_per_node=8, place=Place(file="cluster.yaml")) for name in pools
        ),
        budgets=budgets,
        accounting=Accounting(
            name="default",
            window=SlidingWindow(length=Seconds(14 * 86_400)),
            place=Place(file="accounting.yaml"),
        ),
        preemption=Preemption(name="default", place=default),
        exceptions=exceptions,
        governance=Governance(name="default", place=default),
    )
