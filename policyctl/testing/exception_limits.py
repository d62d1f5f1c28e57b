"""Which limits on exceptions a change was held to: the one that refuses it, and those that it keeps to."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

from policyctl.check.limits import chains
from policyctl.model.policy import Policy

__all__ = ["EXCEPTION_LIMITS", "limits_kept", "limits_of_refused"]

EXCEPTION_LIMITS: Final[Mapping[str, str]] = {
    "maxDuration": "E003",
    "maxActive": "E004",
    "maxRenewals": "E010",
}
"""By the field of Governance, the finding of what goes beyond it."""


def limits_of_refused(codes: Collection[str]) -> Mapping[str, bool]:
    """Return the limits that refuse a change, by the codes of all that is wrong with it.

    A limit that is not among them says nothing: something else may have kept it from being looked at.
    """
    return {name: True for name, code in EXCEPTION_LIMITS.items() if code in codes}


def limits_kept(base: Policy, head: Policy) -> Mapping[str, bool]:
    """Return the limits that a change keeps to: those that it comes under, as it adds or alters an exception.

    That of renewals is looked at where such an exception prolongs another.
    """
    before = set(base.exceptions)
    changed = {one.name for one in head.exceptions if one not in before}
    if not changed:
        return {}
    renewed = any(changed.intersection(one.name for one in chain[1:]) for chain in chains(head.exceptions))
    return {"maxDuration": False, "maxActive": False} | ({"maxRenewals": False} if renewed else {})
