"""What the rules of Governance see of a change: `change`, as plain JSON values."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from fractions import Fraction
from typing import Any

from policyctl.diff.exceptions import grant_text
from policyctl.diff.settings import meant_settings
from policyctl.expr.change_scope import CHANGE_SHAPE
from policyctl.govern.documents import rewritten, rewritten_accounts
from policyctl.model.change import Change, Direction
from policyctl.model.policy import Policy
from policyctl.units import Instant

__all__ = ["CHANGE_SHAPE", "change_digest", "facts"]

_DAY = 86_400


def facts(base: Policy, head: Policy, change: Change, author: str | None) -> dict[str, Any]:
    """Return the `change` of the rules; parts of a pool are numbers from 0 to 1, absent texts are empty.

    An author whom nobody knows is no field, so that no rule takes the lack of a name for a name.
    """
    directions = [one.direction for one in change.rights]
    return ({} if author is None else {"author": author}) | {
        "loosens": any(one.may_loosen for one in directions),
        "tightens": bool(directions) and set(directions) == {Direction.TIGHTENS},
        "moved": float(_moved(base, head, change)),
        "kinds": _kinds(base, head, change),
        "accounts": sorted({one.account for one in change.rights}),
        "rights": [
            {
                "account": one.account,
                "kind": str(one.kind),
                "direction": str(one.direction),
                "loosens": one.direction.may_loosen,
            }
            for one in change.rights
        ],
        "shares": [
            {
                "account": one.account,
                "pool": one.pool,
                "before": float(one.absolute_before),
                "after": float(one.absolute_after),
                "gpus_before": float(one.gpus_before),
                "gpus_after": float(one.gpus_after),
                "inherited": one.inherited,
            }
            for one in change.shares
        ],
        "settings": [
            {
                "subject": one.subject,
                "field": one.field,
                "before": one.before or "",
                "after": one.after or "",
            }
            for one in change.settings
        ],
        "exceptions": [
            {
                "name": one.name,
                "what": one.what,
                "grant": one.grant,
                "days": _days(base, head, one.name, one.grant),
            }
            for one in change.exceptions
        ],
    }


def _kinds(base: Policy, head: Policy, change: Change) -> list[str]:
    kinds = {one.subject.split(" ")[0] for one in change.settings}
    kinds = {"Cluster" if one == "Pool" else one for one in kinds}
    kinds |= {"Exception"} if change.exceptions else set()
    kinds |= {"Budget"} if rewritten_accounts(base, head) else set()
    return sorted(kinds)


def _moved(base: Policy, head: Policy, change: Change) -> Fraction:
    """Return the largest part of a pool that is given to others than before, added up over the accounts divided."""
    most: dict[tuple[str, str], Fraction] = {}
    for one in change.balances:
        pool = head.pool(one.pool) or base.pool(one.pool)
        if pool is None or not pool.gpus:
            continue
        gains = [moved for _, moved in one.children if moved > 0] + [max(one.unassigned, Fraction(0))]
        part = sum(gains, Fraction(0)) / pool.gpus
        most[one.pool, one.account] = max(part, most.get((one.pool, one.account), Fraction(0)))
    pools = {pool for pool, _ in most}
    sums = [sum((part for (of, _), part in most.items() if of == pool), Fraction(0)) for pool in pools]
    return min(max(sums, default=Fraction(0)), Fraction(1))


def _days(base: Policy, head: Policy, name: str, grant: str) -> float:
    for policy in (head, base):
        for one in policy.exceptions:
            if one.name == name and grant_text(one.grant) == grant:
                start, end = one.period.start, one.period.end
                return _length(start, end)
    return 0.0


def _length(start: Instant | None, end: Instant | None) -> float:
    return 0.0 if start is None or end is None else (end - start) / _DAY


def change_digest(base: Policy, head: Policy, change: Change) -> str:
    """Return `sha256:…` over what a change means, whatever commits and files it is spread over.

    Settings and examples show rules as they are written: what the rules mean takes their place.
    """
    rights = tuple(dataclasses.replace(one, examples=()) for one in change.rights)
    told = dataclasses.replace(change, settings=(), rights=rights)
    meant = [dataclasses.asdict(told), meant_settings(base, head), rewritten(base, head)]
    text = json.dumps(meant, sort_keys=True, default=str, ensure_ascii=True)
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"
