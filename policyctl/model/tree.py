"""Who holds which share of a pool at one instant: the budgets in effect there, moved by the exceptions in force.

A share exception moves points of the whole cluster. Below the lowest common ancestor of donor and recipient every
account on the recipient's branch gains them and every account on the donor's branch loses them; accounts that are
not on a branch keep their absolute share, and what lies below an end of a branch scales with it. So, for a child
`c` of `a` with budgeted share `r`, absolute shares are `N(c) = r(c) * (N(a) - through(a)) + moved(c)`, where
`moved` sums the points that arrive at an account and `through` those that travel on to one of its children.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from fractions import Fraction

from policyctl.diagnostics import Place
from policyctl.model.policy import Budget, Policy, ShareGrant
from policyctl.units import Instant

__all__ = ["Account", "Tree", "ancestors", "budgets_in_force", "parent_of", "policy_instants", "tree_at"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """One account at one instant: `share` within its parent, `absolute` of the pool, `leaf` if nothing divides it.

    `place` is where its share is written; None for the root and for an account that no budget in effect names.
    """

    path: str
    parent: int
    share: Fraction
    absolute: Fraction
    leaf: bool
    place: Place | None = None
    owner: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    """All accounts that the policy ever names, parents first, with their shares in one pool at one instant."""

    pool: str
    accounts: tuple[Account, ...]
    index: dict[str, int] = field(compare=False, repr=False)

    def get(self, path: str) -> Account | None:
        """Return the account of that path, or None where the policy never names it."""
        found = self.index.get(path)
        return None if found is None else self.accounts[found]

    def children(self, path: str) -> tuple[Account, ...]:
        """Return the children of an account, in path order."""
        parent = self.index[path]
        return tuple(one for one in self.accounts[1:] if one.parent == parent)


def parent_of(path: str) -> str:
    """Return the account above a path; the root has none and returns itself."""
    return path.rpartition("/")[0] or "/"


def ancestors(path: str) -> tuple[str, ...]:
    """Return the accounts from the root down to and including the path: `/`, `/a`, `/a/b`."""
    if path == "/":
        return ("/",)
    parts = path.split("/")
    return ("/", *("/".join(parts[:depth]) for depth in range(2, len(parts) + 1)))


def budgets_in_force(policy: Policy, pool: str, at: int) -> dict[str, Budget]:
    """Return for each divided account its budget at an instant: one for this pool replaces the general one."""
    chosen: dict[str, Budget] = {}
    for budget in policy.budgets:
        if budget.pool in {None, pool} and budget.period.in_force(at):
            other = chosen.get(budget.account)
            if other is None or other.pool is None:
                chosen[budget.account] = budget
    return chosen


def tree_at(policy: Policy, pool: str, at: int) -> Tree:
    """Resolve every account's share in a pool at an instant.

    An account that is named by no budget in effect has share 0. Absolute shares may come out negative or siblings
    above the whole where exceptions ask for more than there is: the policy checks refuse that, readers may rely on it.
    """
    inner = budgets_in_force(policy, pool, at)
    stated = {
        budget.child(share): (share.share, share.place)
        for budget in inner.values()
        for share in budget.shares
    }
    moved, through = _moves(policy, at)
    paths = sorted(
        {
            path
            for budget in policy.budgets
            if budget.pool in {None, pool}
            for named in (budget.account, *(budget.child(share) for share in budget.shares))
            for path in ancestors(named)
        }
        | {path for named in moved for path in ancestors(named)}
        | {"/"},
        key=lambda path: path.strip("/").split("/"),
    )
    index = {path: position for position, path in enumerate(paths)}
    accounts = [_root(inner)]
    for path in paths:
        if path == "/":
            continue
        above = accounts[index[parent_of(path)]]
        budgeted, place = stated.get(path, (Fraction(0), None))
        kept = above.absolute - through[above.path] if above.path in through else above.absolute
        absolute = budgeted * kept + moved[path] if path in moved else budgeted * kept
        touched = path in moved or above.path in through
        share = absolute / above.absolute if touched and above.absolute else budgeted
        budget = inner.get(path)
        accounts.append(
            Account(
                path=path,
                parent=index[above.path],
                share=share,
                absolute=absolute,
                leaf=budget is None,
                place=place,
                owner=budget.owner if budget else above.owner,
            )
        )
    return Tree(pool=pool, accounts=tuple(accounts), index=index)


def _root(inner: dict[str, Budget]) -> Account:
    budget = inner.get("/")
    return Account(
        path="/",
        parent=-1,
        share=Fraction(1),
        absolute=Fraction(1),
        leaf=budget is None,
        owner=budget.owner if budget else None,
    )


def _moves(policy: Policy, at: int) -> tuple[dict[str, Fraction], dict[str, Fraction]]:
    moved: dict[str, Fraction] = defaultdict(Fraction)
    through: dict[str, Fraction] = defaultdict(Fraction)
    for exception in policy.exceptions:
        grant = exception.grant
        if isinstance(grant, ShareGrant) and exception.period.in_force(at):
            shared = set(ancestors(grant.to)) & set(ancestors(grant.source))
            for end, points in ((grant.to, grant.add), (grant.source, -grant.add)):
                for path in ancestors(end):
                    if path not in shared:
                        moved[path] += points
                        if path != end:
                            through[path] += points
    return moved, through


def policy_instants(policy: Policy) -> tuple[Instant, ...]:
    """Return every instant at which a budget or an exception starts or ends, in order."""
    periods = [budget.period for budget in policy.budgets] + [one.period for one in policy.exceptions]
    return tuple(
        sorted({edge for period in periods for edge in (period.start, period.end) if edge is not None})
    )
