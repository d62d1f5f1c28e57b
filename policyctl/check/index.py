"""What the checks look up: which budgets divide an account, and which name it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from policyctl.diagnostics import nearest
from policyctl.model.policy import Budget, Policy, Share
from policyctl.model.tree import ancestors, parent_of

__all__ = ["Index", "Naming", "index_policy"]

_MANY = 200


class Naming(NamedTuple):
    """A budget that gives an account a share."""

    budget: Budget
    share: Share


@dataclass(frozen=True, slots=True, kw_only=True)
class Index:
    """A policy with its budgets by the account that they divide, and by the accounts that they name."""

    policy: Policy
    dividing: Mapping[str, tuple[Budget, ...]]
    naming: Mapping[str, tuple[Naming, ...]]
    children: Mapping[str, tuple[str, ...]]
    by_last: Mapping[str, tuple[str, ...]]

    def knows(self, account: str) -> bool:
        """Say whether any budget divides or names the account."""
        return account == "/" or account in self.naming or account in self.dividing

    def suggest(self, account: str) -> str | None:
        """Return the account that was probably meant, going down from the root one name at a time."""
        at = "/"
        for path in ancestors(account)[1:]:
            name = path.rpartition("/")[2]
            near = name if name in self.children.get(at, ()) else self._near(name, at)
            if near is None:
                return self._elsewhere(account)
            at = f"{at.rstrip('/')}/{near}"
        return at if at != account else None

    def _near(self, name: str, parent: str) -> str | None:
        names = self.children.get(parent, ())
        if len(names) > _MANY:  # comparing with every name of a long list would make many typos slow
            names = tuple(one for one in names if one[:2] == name[:2] or one[-2:] == name[-2:])[:_MANY]
        return nearest(name, names)

    def _elsewhere(self, account: str) -> str | None:
        same = self.by_last.get(account.rpartition("/")[2], ())
        return same[0] if len(same) == 1 else None

    def help_for(self, account: str) -> str:
        """Return the help of a finding about an account that no budget names."""
        near = self.suggest(account)
        if near is not None:
            return f"did you mean `{near}`?"
        name = account.rpartition("/")[2]
        return f"give `{name}` a share in a budget of `{parent_of(account)}`"


def index_policy(policy: Policy) -> Index:
    """Build the lookups of a policy, in time linear in its documents, whose order does not matter."""
    policy = replace(
        policy,
        pools=tuple(sorted(policy.pools, key=lambda one: one.name)),
        budgets=tuple(sorted(policy.budgets, key=lambda one: (one.place, one.name))),
        caps=tuple(sorted(policy.caps, key=lambda one: (one.place, one.name))),
        exceptions=tuple(sorted(policy.exceptions, key=lambda one: (one.place, one.name))),
    )
    dividing: dict[str, list[Budget]] = defaultdict(list)
    naming: dict[str, list[Naming]] = defaultdict(list)
    children: dict[str, set[str]] = defaultdict(set)
    for budget in policy.budgets:
        dividing[budget.account].append(budget)
        for share in budget.shares:
            naming[budget.child(share)].append(Naming(budget, share))
            children[budget.account].add(share.name)
    by_last: dict[str, list[str]] = defaultdict(list)
    for account in sorted(naming):
        by_last[account.rpartition("/")[2]].append(account)
    return Index(
        policy=policy,
        dividing={account: tuple(found) for account, found in dividing.items()},
        naming={account: tuple(found) for account, found in naming.items()},
        children={account: tuple(sorted(found)) for account, found in children.items()},
        by_last={name: tuple(found) for name, found in by_last.items()},
    )
