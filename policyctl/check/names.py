"""Rules that compare a job's pool or account with a name that the policy does not know."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from policyctl.catalogue import finding
from policyctl.check.index import Index
from policyctl.diagnostics import Finding, nearest
from policyctl.model.policy import Expression

__all__ = ["unknown_names_in_rules"]

_LISTED = 20


def unknown_names_in_rules(index: Index) -> Iterator[Finding]:
    """Find a condition that names a pool or an account which does not exist (P007)."""
    for cap in index.policy.caps:
        for rule in cap.rules:
            yield from _unknown(index, rule.when, f"ProtectionCap {cap.name}")
    for guard in index.policy.preemption.guards:
        yield from _unknown(index, guard.when, f"Preemption {index.policy.preemption.name}")


def _unknown(index: Index, when: Expression, subject: str) -> Iterator[Finding]:
    pools = sorted(pool.name for pool in index.policy.pools)
    for kind, name in sorted(set(_compared(when.tree))):
        if kind == "pool" and name not in pools:
            near = nearest(name, pools)
            message = f"the cluster has no pool `{name}`, so this comparison holds for no job"
            way_out = f"did you mean `{near}`?" if near else f"its pools are {', '.join(pools[:_LISTED])}"
        elif kind == "account" and not index.knows(name):
            message = f"no budget names the account `{name}`, so this comparison holds for no funded job"
            way_out = index.help_for(name) if name.startswith("/") else f"an account is a path: `/{name}`"
        else:
            continue
        yield finding("P007", message, when.place, help=way_out, subject=subject)


def _compared(tree: Any) -> Iterator[tuple[str, str]]:
    """Yield each constant that a pool or an account is compared with, as (kind, name)."""
    match tree:
        case [("==" | "!="), left, right]:
            for one, other in ((left, right), (right, left)):
                if (kind := _named(one)) and other[0] == "string":
                    yield kind, other[1]
        case ["in", left, *items]:
            if kind := _named(left):
                yield from ((kind, item[1]) for item in items if item[0] == "string")
        case _:
            pass
    if isinstance(tree, list):
        for part in tree[1:]:
            yield from _compared(part)


def _named(tree: Any) -> str | None:
    match tree:
        case ["field", "account", "path"] | ["field", _, "account"]:
            return "account"
        case ["field", _, "pool"]:
            return "pool"
        case _:
            return None
