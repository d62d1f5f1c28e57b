"""Whose decision each part of a change is, by the owners that the base names.

The owner of an account divides it; who holds more or less of the whole is decided one account above. Tightening a
right of an account is its owner's to decide, loosening it is for the owner of the account above.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from policyctl.diff.exceptions import grant_text
from policyctl.govern.documents import rewritten_accounts
from policyctl.model.change import Change, ExceptionChange, RightKind, Setting
from policyctl.model.policy import Policy, PolicyException, ProtectionGrant, ShareGrant, Suspension
from policyctl.model.tree import ancestors, parent_of

__all__ = ["Matter", "matters"]


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Matter:
    """One part of a change: the account whose owner decides it, why, and whether it permits more than before."""

    account: str
    why: str
    loosens: bool = False


def matters(base: Policy, head: Policy, change: Change) -> tuple[Matter, ...]:
    """Return every part of a change with the account whose owner decides it, each once, sorted."""
    found = {*_divided(base, head, change), *_rights(change)}
    found |= {_setting(one) for one in change.settings if not _told_by_rights(one, change)}
    found |= {one for gone in change.exceptions for one in _exception(base, head, gone)}
    if not found and not change.empty:
        found = {Matter(account="/", why="the policy changes")}
    return tuple(sorted(found))


def _divided(base: Policy, head: Policy, change: Change) -> Iterator[Matter]:
    for account in {*rewritten_accounts(base, head), *(one.account for one in change.balances)}:
        yield Matter(account=account, why=f"`{account}` is divided anew")


def _above(account: str) -> str:
    return "/" if account == "/" else parent_of(account)


def _rights(change: Change) -> Iterator[Matter]:
    for one in change.rights:
        if one.kind is RightKind.SHARE:
            continue
        loosens = one.direction.may_loosen
        account = _above(one.account) if loosens else one.account
        yield Matter(account=account, why=f"{one.kind} of `{one.account}` {one.direction}", loosens=loosens)


def _told_by_rights(one: Setting, change: Change) -> bool:
    """Say whether a field of a cap moves a right: then the right says whose decision it is."""
    capped = {
        f"ProtectionCap {right.account}" for right in change.rights if right.kind is RightKind.PROTECTION
    }
    return one.subject.split(" (")[0] in capped


def _setting(one: Setting) -> Matter:
    kind, *rest = one.subject.split(" ")
    account = rest[0] if kind in {"Budget", "ProtectionCap"} and rest else "/"
    if kind == "Budget" and one.field == "owner" and one.before is not None:
        account = _above(account)
    return Matter(
        account=account, why=f"`{one.field}` of {one.subject} changes", loosens=kind == "Governance"
    )


def _exception(base: Policy, head: Policy, one: ExceptionChange) -> Iterator[Matter]:
    why = f"exception `{one.name}` {one.what}"
    sides = [found for policy in (base, head) for found in policy.exceptions if _same(found, one)]
    if one.what == "expired":
        yield from {Matter(account=account, why=why) for found in sides for account in _targets(found)}
        return
    if not sides:
        yield Matter(account="/", why=why)
    for found in sides:
        yield Matter(account=_decided(found, one.what), why=why)


def _same(found: PolicyException, one: ExceptionChange) -> bool:
    return found.name == one.name or grant_text(found.grant) == one.grant


def _targets(one: PolicyException) -> tuple[str, ...]:
    match one.grant:
        case ShareGrant(to=to):
            return (to,)
        case ProtectionGrant(account=str(account)) | Suspension(account=account):
            return (account,)
        case _:
            return ("/",)


def _decided(one: PolicyException, what: str) -> str:
    """Return the account whose owner decides an exception: one that gives is decided above, one that takes within."""
    match one.grant:
        case ShareGrant(to=to, source=source):
            shared = set(ancestors(to)) & set(ancestors(source))
            return max(shared - {to, source} or {"/"}, key=len)
        case ProtectionGrant(account=str(account)):
            return account if what in {"removed", "shortened"} else _above(account)
        case Suspension(account=account):
            return account if what in {"added", "extended"} else _above(account)
        case _:
            return "/"
