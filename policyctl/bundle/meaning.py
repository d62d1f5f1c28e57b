"""The digest of what a policy means, the same for every spelling of it.

It covers everything that a decision can depend on or show as a reason of the policy itself. It leaves out where and
how a thing is written: places, names of documents, the text of expressions (their lowered form stays), whether
shares were written as weights. Documents, and shares within one budget, have no order; rules and guards do.
"""

from __future__ import annotations

from policyctl.bundle.canonical import canonical, sha256
from policyctl.bundle.writing import Writer
from policyctl.diagnostics import Place
from policyctl.model.policy import (
    Accounting,
    Budget,
    Expression,
    Governance,
    Places,
    Policy,
    PolicyException,
    Pool,
    Preemption,
    ProtectionCap,
    Share,
)

__all__ = ["SPELLING", "meaning"]

SPELLING: frozenset[object] = frozenset(
    {
        Place,
        Place | None,
        Places,
        (Accounting, "name"),
        (Budget, "name"),
        (Budget, "weighted"),
        (Expression, "source"),
        (Governance, "name"),
        (PolicyException, "name"),
        (Preemption, "name"),
        (ProtectionCap, "name"),
    }
)
"""The fields, and the types of fields, that say how a policy is written and not what it means."""

_UNORDERED: frozenset[object] = frozenset(
    {
        tuple[Budget, ...],
        tuple[PolicyException, ...],
        tuple[Pool, ...],
        tuple[ProtectionCap, ...],
        tuple[Share, ...],
        tuple[str, ...],
    }
)


def meaning(policy: Policy) -> str:
    """Return `sha256:…` over what the policy means."""
    return sha256(canonical(Writer(without=SPELLING, unordered=_UNORDERED).write(policy)))
