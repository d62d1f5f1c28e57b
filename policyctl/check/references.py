"""Names that documents use of each other: accounts, pools and groups exist, and are not easily mistaken."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from policyctl.catalogue import finding
from policyctl.check.index import Index
from policyctl.check.wording import listed
from policyctl.diagnostics import Finding, Place, Related, nearest
from policyctl.load.wording import quoted
from policyctl.model.policy import Freeze, Grant, ProtectionGrant, ShareGrant, Suspension, place_of

__all__ = ["granted_accounts", "similar_names", "unknown_accounts", "unknown_owners", "unknown_pools"]


def granted_accounts(grant: Grant) -> tuple[tuple[str, str], ...]:
    """Return the accounts that a grant names, each with the key path at which it is written."""
    match grant:
        case ShareGrant(to=to, source=source):
            return (("share.to", to), ("share.from", source))
        case ProtectionGrant(account=str(account)):
            return (("protection.account", account),)
        case Suspension(account=account):
            return (("suspend.account", account),)
        case ProtectionGrant() | Freeze():
            return ()


def unknown_accounts(index: Index) -> Iterator[Finding]:
    """Find a cap or an exception for an account that no budget names (A005)."""
    for cap in index.policy.caps:
        if not index.knows(cap.account):
            place = place_of(cap, "account")
            yield _unknown(index, cap.account, place, f"ProtectionCap {cap.name}")
    for exception in index.policy.exceptions:
        for path, account in granted_accounts(exception.grant):
            if not index.knows(account):
                place = place_of(exception, path)
                yield _unknown(index, account, place, f"Exception {exception.name}")


def _unknown(index: Index, account: str, place: Place, subject: str) -> Finding:
    return finding(
        "A005",
        f"no budget names the account `{account}`",
        place,
        help=index.help_for(account),
        subject=subject,
    )


def unknown_pools(index: Index) -> Iterator[Finding]:
    """Find a budget or a freeze for a pool that the cluster does not have (A006)."""
    for budget in index.policy.budgets:
        if budget.pool is not None and index.policy.pool(budget.pool) is None:
            place = place_of(budget, "pool")
            yield _no_pool(index, budget.pool, place, f"Budget {budget.name}")
    for exception in index.policy.exceptions:
        grant = exception.grant
        if isinstance(grant, Freeze) and index.policy.pool(grant.pool) is None:
            place = place_of(exception, "freeze.pool")
            yield _no_pool(index, grant.pool, place, f"Exception {exception.name}")


def _no_pool(index: Index, pool: str, place: Place, subject: str) -> Finding:
    names = [one.name for one in index.policy.pools]
    near = nearest(pool, names)
    return finding(
        "A006",
        f"the cluster has no pool `{pool}`",
        place,
        help=f"did you mean `{near}`?"
        if near
        else f"its pools are {listed([f'`{name}`' for name in names])}",
        subject=subject,
    )


def unknown_owners(index: Index) -> Iterator[Finding]:
    """Find a budget whose owner is no group of Governance, and an approval asked of no group (A007)."""
    governance = index.policy.governance
    for budget in index.policy.budgets:
        if budget.owner is not None and budget.owner not in governance.groups:
            place = place_of(budget, "owner")
            yield _unknown_group(budget.owner, governance.groups, place, f"Budget {budget.name}")
    for number, rule in enumerate(governance.approvals):
        for which, needed in enumerate(rule["require"]):
            if needed["from"] not in {*governance.groups, "owner"}:
                place = place_of(governance, f"approvals.{number}.require.{which}.from")
                yield _unknown_group(
                    needed["from"], governance.groups, place, f"Governance {governance.name}"
                )


def _unknown_group(group: str, groups: Collection[str], place: Place, subject: str) -> Finding:
    near = nearest(group, groups)
    known = listed([f"`{name}`" for name in sorted(groups)])
    return finding(
        "A007",
        f"no group {quoted(group)} is defined in Governance",
        place,
        help=f"did you mean `{near}`?"
        if near
        else f"the groups are {known}; define it there, or name one of them"
        if known
        else f"add a Governance document with `groups: {{{group}: ['@team/handle']}}`",
        subject=subject,
    )


# Left out or replaced, these are what tells two names apart that a person reads as one.
_FOLD = str.maketrans({"-": None, "_": None, ".": None, "0": "o", "1": "l"})


def similar_names(index: Index) -> Iterator[Finding]:
    """Find two children of one account whose names read alike (A012)."""
    for account, names in index.children.items():
        seen: dict[str, str] = {}
        for name in names:
            other = seen.setdefault(name.translate(_FOLD), name)
            if other == name:
                continue
            above = account.rstrip("/")
            first, second = sorted(
                (index.naming[f"{above}/{one}"][0] for one in (other, name)),
                key=lambda one: (one.share.place, one.share.name),
            )
            yield finding(
                "A012",
                f"`{above}/{first.share.name}` and `{above}/{second.share.name}` are two accounts whose names read alike",
                second.share.place,
                help="write one of them everywhere if they are meant to be one account, else choose names further apart",
                subject=f"Budget {second.budget.name}",
                related=(Related(place=first.share.place, message=f"`{first.share.name}` is named here"),),
            )
