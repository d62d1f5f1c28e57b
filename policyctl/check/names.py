"""Rules that compare a job's pool or account with one in which no job can be."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from policyctl.catalogue import finding
from policyctl.check.index import Index
from policyctl.check.wording import listed
from policyctl.diagnostics import Finding, Place, nearest
from policyctl.model.policy import Expression, Period

__all__ = ["unknown_names_in_rules"]


def unknown_names_in_rules(index: Index) -> Iterator[Finding]:
    """Find a condition that names a pool or an account in which no funded job can be (P007)."""
    for cap in index.policy.caps:
        for rule in cap.rules:
            yield from _unknown(index, rule.when, f"ProtectionCap {cap.name}")
    for guard in index.policy.preemption.guards:
        yield from _unknown(index, guard.when, f"Preemption {index.policy.preemption.name}")


def _unknown(index: Index, when: Expression, subject: str) -> Iterator[Finding]:
    for kind, name in sorted(set(_compared(when.tree))):
        seen = _no_pool(index, name) if kind == "pool" else _no_account(index, name)
        if seen is not None:
            message, way_out = seen
            yield finding("P007", message, _literal(when, name), help=way_out, subject=subject)


def _no_pool(index: Index, name: str) -> tuple[str, str] | None:
    pools = [pool.name for pool in index.policy.pools]
    if name in pools:
        return None
    near = nearest(name, pools)
    way_out = f"did you mean `{near}`?" if near else f"its pools are {listed([f'`{one}`' for one in pools])}"
    return f"the cluster has no pool `{name}`, so no job is ever in it", way_out


def _no_account(index: Index, name: str) -> tuple[str, str] | None:
    if not index.knows(name):
        way_out = index.help_for(name) if name.startswith("/") else f"an account is a path: `/{name}`"
        return f"no budget names the account `{name}`, so no funded job is ever in it", way_out
    always_divided = any(one.pool is None and one.period == Period() for one in index.dividing.get(name, ()))
    if not always_divided:
        return None
    below = f"{name.rstrip('/')}/"
    return (
        f"`{name}` is divided, and funded jobs are only in what it is divided into",
        f'compare with the beginning of the path: `startsWith("{below}")`',
    )


def _literal(when: Expression, name: str) -> Place:
    """Return where a name stands in an expression, if the text of the expression stands there unescaped."""
    place = when.place
    spelt = [one for one in (f'"{name}"', f"'{name}'") if when.source.count(one) == 1]
    if len(spelt) != 1 or place.line != place.end_line or place.end_column - place.column != len(when.source):
        return place
    column = place.column + when.source.index(spelt[0])
    return replace(place, column=column, end_column=column + len(spelt[0]))


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
