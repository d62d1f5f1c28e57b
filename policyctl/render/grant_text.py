"""What an exception grants, in one phrase."""

from __future__ import annotations

from typing import assert_never

from policyctl.model.policy import Freeze, Grant, ProtectionGrant, ShareGrant, Suspension
from policyctl.units import format_duration, format_percent

__all__ = ["grant_text"]


def grant_text(grant: Grant) -> str:
    """Say what is granted, to whom, and by whom: `4% of the cluster from /vision to /language`."""
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
        case _:
            assert_never(grant)
