"""The direction of funding: whose jobs could buy protection, before and after, and at what price."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from policyctl.diff.directions import Step
from policyctl.diff.spans import Span, Trees
from policyctl.model.change import Direction, Example, RightKind
from policyctl.model.policy import Accounting, CalendarWindow, Policy, Suspension, Window
from policyctl.model.tree import ancestors
from policyctl.units import format_duration, format_percent, format_ratio

__all__ = ["price_steps", "standing_steps", "window_text"]

_FUNDED = "funded"
_UNLIMITED = "unlimited"


def standing_steps(
    base: Policy, head: Policy, trees: tuple[Trees, Trees], over: tuple[Span, ...]
) -> Iterator[Step]:
    """Return who begins or ceases to be able to buy protection: leaves with a share that are not suspended."""
    for pool in sorted({one.name for policy in (base, head) for one in policy.pools}):
        for span in over:
            before = _standings(base, trees[0], pool, span)
            after = _standings(head, trees[1], pool, span)
            if before == after:
                continue
            for account in sorted({*before, *after} - {"/"}):
                was, now = before.get(account, "unknown_account"), after.get(account, "unknown_account")
                if (was == _FUNDED) is not (now == _FUNDED):
                    yield Step(
                        account=account,
                        kind=RightKind.FUNDING,
                        direction=Direction.LOOSENS if now == _FUNDED else Direction.TIGHTENS,
                        example=Example(pool=pool, at=span.named, what="class", before=was, after=now),
                    )


def _standings(policy: Policy, trees: Trees, pool: str, span: Span) -> dict[str, str]:
    """Return for each account `funded`, or the reason why its jobs are opportunistic."""
    tree = trees.at(pool, span.at)
    suspended = {
        one.grant.account
        for one in policy.exceptions
        if isinstance(one.grant, Suspension) and one.period.in_force(span.at)
    }
    found: dict[str, str] = {}
    for one in tree.accounts if tree is not None else ():
        if not one.leaf:
            found[one.path] = "inner_account"
        elif one.absolute <= 0:
            found[one.path] = "zero_share"
        elif suspended and not suspended.isdisjoint(ancestors(one.path)):
            found[one.path] = "suspended"
        else:
            found[one.path] = _FUNDED
    return found


def price_steps(base: Policy, head: Policy) -> Iterator[Step]:
    """Return the direction of what everybody pays, at the account `/`: a higher price tightens.

    Another window or credit limit helps some and hurts others, as it weighs what they did before: `mixed`.
    """
    one, other = base.accounting, head.accounting
    for name in ("protected", "after_protection", "opportunistic", "unused_protection"):
        yield from _price(f"charge.{_camel(name)}", getattr(one.charge, name), getattr(other.charge, name))
    for pool in base.pools:
        if (found := head.pool(pool.name)) is not None:
            yield from _price("chargeRate", pool.charge_rate, found.charge_rate, pool=pool.name)
    if one.overdraft != other.overdraft:
        more = other.overdraft is None or (one.overdraft is not None and other.overdraft > one.overdraft)
        direction = Direction.LOOSENS if more else Direction.TIGHTENS
        yield _step(direction, "funding.overdraft", (_overdraft(one), _overdraft(other)))
    if one.window != other.window:
        yield _step(Direction.MIXED, "window", (window_text(one.window), window_text(other.window)))
    if one.credit_limit != other.credit_limit:
        yield _step(Direction.MIXED, "creditLimit", (_credit(one), _credit(other)))


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.title() for word in rest)


def _price(what: str, before: Fraction, after: Fraction, *, pool: str | None = None) -> Iterator[Step]:
    if before != after:
        direction = Direction.TIGHTENS if after > before else Direction.LOOSENS
        yield _step(direction, what, (format_ratio(before), format_ratio(after)), pool=pool)


def _step(direction: Direction, what: str, values: tuple[str, str], *, pool: str | None = None) -> Step:
    return Step(
        account="/",
        kind=RightKind.FUNDING,
        direction=direction,
        example=Example(pool=pool, what=what, before=values[0], after=values[1]),
    )


def _overdraft(one: Accounting) -> str:
    return _UNLIMITED if one.overdraft is None else format_percent(one.overdraft)


def _credit(one: Accounting) -> str:
    return _UNLIMITED if one.credit_limit is None else format_duration(one.credit_limit)


def window_text(window: Window) -> str:
    """Write a window in one line: `14d, half-life 7d`, `calendar month in UTC`."""
    if isinstance(window, CalendarWindow):
        return f"calendar {window.unit} in {window.timezone}"
    half = "" if window.half_life is None else f", half-life {format_duration(window.half_life)}"
    return format_duration(window.length) + half
