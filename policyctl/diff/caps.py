"""The direction of protection: whether any job below an account could be protected for longer than before.

The cap on a job is the smallest over its account and all accounts above, of the first rule that holds. That one side
never allows more than the other is proved, not tried: each cap of the other side has one of this side that is at most
as large wherever rules of both can hold. Where neither side is proved and the rules do not differ in their limits
alone, the answer is `incomparable`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

from policyctl.check.conditions import implies, never, read_condition
from policyctl.diff.directions import Step
from policyctl.diff.spans import Span
from policyctl.model.change import Direction, Example, RightKind
from policyctl.model.policy import Policy, ProtectionCap, ProtectionGrant
from policyctl.model.tree import ancestors
from policyctl.units import format_duration

__all__ = ["cap_steps", "grant_steps"]

_NO_CAP = 2**62
_UNLIMITED = "unlimited"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    """One way through a cap: where `when` holds and no earlier line does, at most `limit` seconds."""

    name: str
    when: Any
    earlier: tuple[Any, ...]
    limit: int


def _lines(cap: ProtectionCap | None) -> list[_Line]:
    rules = () if cap is None else cap.rules
    trees = tuple(rule.when.tree for rule in rules)
    default = _NO_CAP if cap is None or cap.default is None else cap.default
    found = [
        _Line(name=rule.name, when=rule.when.tree, earlier=trees[:number], limit=rule.max_protected)
        for number, rule in enumerate(rules)
    ]
    return [*found, _Line(name="default", when=["bool", True], earlier=trees, limit=default)]


Wider = tuple[_Line, _Line]
"""A line of one side, and the line of the other side that it may exceed."""


def _exceeds(one: ProtectionCap | None, other: ProtectionCap | None) -> Wider | None:
    """Return lines by which `one` may allow more than `other`; None where that is proved impossible."""
    for mine, theirs in product(_lines(one), _lines(other)):
        if mine.limit > theirs.limit and not _apart(mine, theirs):
            return mine, theirs
    return None


def _apart(mine: _Line, theirs: _Line) -> bool:
    """Say whether certainly no job meets both lines."""
    both = ["&&", mine.when, theirs.when, *(["!", tree] for tree in (*mine.earlier, *theirs.earlier))]
    if never(read_condition(both)):
        return True
    conditions = (read_condition(["&&", mine.when, theirs.when]), (*mine.earlier, *theirs.earlier))
    return any(implies(conditions[0], read_condition(tree)) for tree in conditions[1])


def _chain_exceeds(one: tuple[ProtectionCap, ...], other: tuple[ProtectionCap, ...]) -> Wider | None:
    """Return lines by which the smallest of some caps may be above the smallest of others."""
    for theirs in other:
        found = [(mine, _exceeds(mine, theirs)) for mine in one or (None,)]
        if all(wider is not None for _, wider in found):
            # The cap of the same account is the one that a reader expects to see compared.
            found.sort(key=lambda pair: pair[0] is None or pair[0].account != theirs.account)
            return found[0][1]
    return None


def cap_steps(base: Policy, head: Policy) -> Iterator[Step]:
    """Return the direction of the caps for `/` and for each account that has caps of its own on either side."""
    for account in sorted({"/", *(cap.account for policy in (base, head) for cap in policy.caps)}):
        before, after = (_chain(policy, account) for policy in (base, head))
        if [_meant(cap) for cap in before] != [_meant(cap) for cap in after]:
            yield from _compared(account, before, after)


def _chain(policy: Policy, account: str) -> tuple[ProtectionCap, ...]:
    above = ancestors(account)
    found = [cap for cap in policy.caps if cap.account in above]
    return tuple(sorted(found, key=lambda cap: (above.index(cap.account), repr(_meant(cap)))))


def _meant(cap: ProtectionCap) -> object:
    return cap.account, [(rule.when.tree, rule.max_protected) for rule in cap.rules], cap.default


def _compared(
    account: str, before: tuple[ProtectionCap, ...], after: tuple[ProtectionCap, ...]
) -> Iterator[Step]:
    more, less = _chain_exceeds(after, before), _chain_exceeds(before, after)
    if more is not None:
        loosens = Direction.LOOSENS if less is None or _same_rules(before, after) else Direction.INCOMPARABLE
        yield _step(account, loosens, before=more[1], after=more[0])
    if less is not None:
        tightens = (
            Direction.TIGHTENS if more is None or _same_rules(before, after) else Direction.INCOMPARABLE
        )
        yield _step(account, tightens, before=less[0], after=less[1])


def _same_rules(before: tuple[ProtectionCap, ...], after: tuple[ProtectionCap, ...]) -> bool:
    """Say whether both sides ask the same questions in the same order, so that limits compare line by line."""
    asked = [
        [(cap.account, [rule.when.tree for rule in cap.rules]) for cap in side] for side in (before, after)
    ]
    return asked[0] == asked[1]


def _step(account: str, direction: Direction, *, before: _Line, after: _Line) -> Step:
    names = dict.fromkeys((before.name, after.name))
    return Step(
        account=account,
        kind=RightKind.PROTECTION,
        direction=direction,
        example=Example(what=" / ".join(names), before=_limit(before.limit), after=_limit(after.limit)),
    )


def _limit(seconds: int) -> str:
    return _UNLIMITED if seconds >= _NO_CAP else format_duration(seconds)


def grant_steps(base: Policy, head: Policy, over: tuple[Span, ...]) -> Iterator[Step]:
    """Return the direction of protection granted by exceptions, at every instant, for each account or job named."""
    named = {(grant.account, grant.job) for policy in (base, head) for _, grant in _grants(policy)}
    for account, job in sorted(named, key=lambda one: (one[0] or "/", one[1] or "")):
        for span in over:
            before, after = (_granted(policy, account, job, span) for policy in (base, head))
            if before != after:
                yield Step(
                    account=account or "/",
                    kind=RightKind.PROTECTION,
                    direction=Direction.LOOSENS if after > before else Direction.TIGHTENS,
                    example=Example(
                        at=span.at,
                        what="granted by exception" if job is None else f"granted to job {job}",
                        before=_allowance(before),
                        after=_allowance(after),
                    ),
                )


def _grants(policy: Policy) -> Iterator[tuple[int, ProtectionGrant]]:
    for number, one in enumerate(policy.exceptions):
        if isinstance(one.grant, ProtectionGrant):
            yield number, one.grant


def _granted(policy: Policy, account: str | None, job: str | None, span: Span) -> int:
    above = ancestors(account) if account is not None else ()
    return max(
        (
            grant.max_protected
            for number, grant in _grants(policy)
            if policy.exceptions[number].period.in_force(span.at)
            and (grant.job == job if job is not None else grant.account in above)
        ),
        default=-1,
    )


def _allowance(seconds: int) -> str:
    return "nothing" if seconds < 0 else format_duration(seconds)
