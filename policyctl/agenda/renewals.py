"""Exceptions whose end was moved more often than Governance allows: what their files cannot tell, but their history."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from policyctl.agenda.exceptions import review
from policyctl.catalogue import finding
from policyctl.diagnostics import Finding
from policyctl.model.policy import Policy, place_of
from policyctl.units import Instant, Seconds

__all__ = ["moved_too_often"]


def moved_too_often(
    policy: Policy, *, extended: Mapping[str, int], names: Collection[str], now: Instant
) -> Iterator[Finding]:
    """Find those of the exceptions `names` that were renewed too often only because their dates were moved (E010).

    `extended` counts by name how often an end was moved to a later instant. What documents alone tell is found by the
    check of the policy.
    """
    told = {one.exception.name for one in review(policy, now=now, soon=Seconds(0)) if one.too_often}
    for one in review(policy, now=now, soon=Seconds(0), extended=extended):
        name = one.exception.name
        if one.too_often and name in names and name not in told:
            yield finding(
                "E010",
                f"with its dates that were moved the exception was renewed {one.renewals} times, "
                f"and Governance allows {policy.governance.max_renewals}",
                place_of(one.exception, "expires"),
                help="make it permanent in a budget or a cap, or let it end and leave a pause",
                subject=f"Exception {name}",
            )
