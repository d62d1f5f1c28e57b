"""What an exception acts on, as a key: two exceptions with one target do the same kind of thing to the same thing."""

from __future__ import annotations

from typing import assert_never

from policyctl.model.policy import Freeze, Grant, ProtectionGrant, ShareGrant, Suspension

__all__ = ["target_of"]


def target_of(grant: Grant) -> tuple[str, ...]:
    """Return the kind of grant and the names it is for."""
    match grant:
        case ShareGrant():
            return ("share", grant.source, grant.to)
        case ProtectionGrant(job=None):
            return ("protection", grant.account or "/")
        case ProtectionGrant():
            return ("protection of a job", grant.job or "")
        case Suspension():
            return ("suspend", grant.account)
        case Freeze():
            return ("freeze", grant.pool)
        case _:
            assert_never(grant)
