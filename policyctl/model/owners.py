"""Who owns an account: the groups that its budgets name, or those of the nearest account above that has some."""

from __future__ import annotations

from dataclasses import dataclass

from policyctl.model.policy import Policy
from policyctl.model.tree import ancestors, parent_of

__all__ = ["ANYONE", "LOOSENING_QUORUM", "Owner", "owner_of", "owners_above"]

ANYONE = "anyone"
"""Stands for every person but the author, where a policy names no group at all."""
LOOSENING_QUORUM = 2
"""How many of the owners must agree by default where a protection, a brake or a price is loosened."""


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Owner:
    """The groups that own an account, each of which must agree, and the account where they are named."""

    account: str
    groups: tuple[str, ...]


def owner_of(policy: Policy, account: str) -> Owner:
    """Return who owns an account: the owners of its budgets, else of the nearest account above that has an owner.

    Without any, the group `leadership`, else the first group by name, else ANYONE.
    """
    for path in reversed(ancestors(account)):
        found = {one.owner for one in policy.budgets if one.account == path and one.owner}
        if found:
            return Owner(account=path, groups=tuple(sorted(found)))
    known = policy.governance.groups
    groups = ("leadership",) if "leadership" in known else tuple(sorted(known)[:1]) or (ANYONE,)
    return Owner(account="/", groups=groups)


def owners_above(policy: Policy, owner: Owner) -> tuple[Owner, ...]:
    """Return the owners of the accounts above, the nearest first; none above `/`."""
    found = []
    while owner.account != "/":
        owner = owner_of(policy, parent_of(owner.account))
        found.append(owner)
    return tuple(found)
