"""Every field whose value differs, document by document, whatever the documents are called and wherever they stand."""

from __future__ import annotations

import json
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from policyctl.bundle.meaning import SPELLING
from policyctl.bundle.writing import Writer
from policyctl.model.change import Setting
from policyctl.model.policy import Expression, Policy
from policyctl.units import format_percent

__all__ = ["meant_settings", "settings"]

_LOWERED = SPELLING
_SHOWN = frozenset((SPELLING - {(Expression, "source")}) | {(Expression, "tree")})
_PERCENTAGES = frozenset({"hysteresis", "overdraft"})

Tree = dict[str, Any]


def settings(base: Policy, head: Policy) -> Iterator[Setting]:
    """Return each field that differs, in the order of subjects and fields; shares and exceptions are told apart.

    Rules are compared by their lowered form and shown as they are written, so that spacing is no change.
    """
    for subject, field, one, other in _differing(base, head):
        yield Setting(subject=subject, field=field, before=one and one[1], after=other and other[1])


def meant_settings(base: Policy, head: Policy) -> tuple[tuple[str, str, str | None, str | None], ...]:
    """Return the same fields with what they mean on both sides, however it is written."""
    return tuple(
        (subject, field, one and one[0], other and other[0])
        for subject, field, one, other in _differing(base, head)
    )


def _differing(base: Policy, head: Policy) -> Iterator[tuple[str, str, Field | None, Field | None]]:
    before, after = _subjects(base), _subjects(head)
    for subject in sorted({*before, *after}):
        fields = before.get(subject, {}), after.get(subject, {})
        for field in sorted({*fields[0], *fields[1]}):
            one, other = (side.get(field) for side in fields)
            if (one and one[0]) != (other and other[0]):
                yield subject, field, one, other


Field = tuple[str, str]
"""A value as compared, and as shown."""


def _subjects(policy: Policy) -> dict[str, dict[str, Field]]:
    """Return the fields of everything but shares and exceptions, by what they are about."""
    nouns: list[tuple[str, object]] = [
        ("Accounting", policy.accounting),
        ("Preemption", policy.preemption),
        ("Governance", policy.governance),
        *((f"Pool {pool.name}", pool) for pool in policy.pools),
    ]
    nouns += _numbered((f"ProtectionCap {cap.account}", cap) for cap in policy.caps)
    nouns += _numbered(
        (f"Budget {budget.account}{f' in {budget.pool}' if budget.pool else ''}", budget)
        for budget in policy.budgets
    )
    lowered, shown = Writer(without=_LOWERED), Writer(without=_SHOWN)
    found: dict[str, dict[str, Field]] = {}
    for subject, noun in nouns:
        one, other = lowered.write(noun), shown.write(noun)
        for mapping in (one, other):
            mapping.pop("shares", None)
        meant, told = dict(_flat(one, "")), dict(_flat(other, ""))
        found[subject] = _paired(meant, told)
    return found


def _numbered(nouns: Any) -> Iterator[tuple[str, object]]:
    seen: dict[str, int] = {}
    for subject, noun in nouns:
        seen[subject] = seen.get(subject, 0) + 1
        yield (subject if seen[subject] == 1 else f"{subject} ({seen[subject]})"), noun


def _flat(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Return the leaves of a written noun by their path; rules and guards by their names, in their order."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key in {"tree", "source"}:
                yield path, inner
            elif key not in {"name", "is"}:
                named = key if path == "groups" else _camel(key)
                yield from _flat(inner, f"{path}.{named}" if path else named)
    elif isinstance(value, list) and value and all(isinstance(one, dict) and "name" in one for one in value):
        yield f"{path} in order", [one["name"] for one in value]
        for one in value:
            yield from _flat(one, f"{path}.{one['name']}")
    elif value is not None and value != []:
        yield path, value


def _camel(key: str) -> str:
    first, *rest = key.split("_")
    return first + "".join(word.title() for word in rest)


def _paired(meant: Tree, told: Tree) -> dict[str, Field]:
    return {
        path: (json.dumps(meant[path], sort_keys=True), _text(path, told[path]))
        for path in meant
        if path in told
    }


def _text(path: str, value: Any) -> str:
    if path in _PERCENTAGES:
        percentage = format_percent(Fraction(value))
        return str(value) if percentage.startswith("~") else percentage
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return ", ".join(value)
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True, ensure_ascii=False)
