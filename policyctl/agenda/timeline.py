"""What changes without a commit: every instant at which something begins, ends or is due, and what it changes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal

from policyctl.diagnostics import Place
from policyctl.ledger.window import lookback
from policyctl.model.policy import (
    CalendarWindow,
    Expression,
    Freeze,
    Period,
    Policy,
    ProtectionGrant,
    Suspension,
    place_of,
)
from policyctl.model.tree import policy_instants, tree_at
from policyctl.units import Instant

__all__ = ["Agenda", "Cause", "ClockRule", "Moment", "ShareChange", "Turn", "agenda"]

CauseKind = Literal[
    "budget_starts", "budget_ends", "exception_starts", "exception_ends", "review_due", "window_resets"
]
TurnKind = Literal["protection", "suspension", "freeze"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """What happens at an instant, the document it is written in, and where."""

    kind: CauseKind
    name: str
    place: Place = field(compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareChange:
    """The part of a whole pool that an account holds, just before an instant and from it on."""

    pool: str
    account: str
    before: Fraction
    after: Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What exceptions grant to a target, before and after, with all that are in force taken together.

    For protection the seconds that it may last in spite of the caps; for a suspension or a freeze 1. 0 is none.
    """

    kind: TurnKind
    target: str
    before: int
    after: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """One instant; `shares` and `turns` hold what really differs, and may be empty."""

    at: Instant
    causes: tuple[Cause, ...]
    shares: tuple[ShareChange, ...]
    turns: tuple[Turn, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockRule:
    """A rule that reads `now`, so that its answer may change at any second."""

    name: str
    place: Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Agenda:
    """All moments after `start`, up to and including `until`; `clock_rules` are not resolved into moments."""

    start: Instant
    until: Instant
    moments: tuple[Moment, ...]
    clock_rules: tuple[ClockRule, ...]


def agenda(policy: Policy, *, now: Instant, until: Instant) -> Agenda:
    """Return every change in `(now, until]` that needs no commit, in order of time."""
    causes: dict[Instant, list[Cause]] = {}
    for at, cause in _causes(policy, now, until):
        if now < at <= until:
            causes.setdefault(at, []).append(cause)
    edges = frozenset(policy_instants(policy))
    return Agenda(
        start=now,
        until=until,
        moments=tuple(_moment(policy, at, causes[at], at in edges) for at in sorted(causes)),
        clock_rules=tuple(_clock_rules(policy)),
    )


def _moment(policy: Policy, at: Instant, causes: list[Cause], edge: bool) -> Moment:  # noqa: FBT001 - private
    return Moment(
        at=at,
        causes=tuple(sorted(causes, key=lambda one: (one.kind, one.name))),
        shares=tuple(_share_changes(policy, at)) if edge else (),
        turns=tuple(_turns(policy, at)) if edge else (),
    )


def _causes(policy: Policy, now: Instant, until: Instant) -> Iterator[tuple[Instant, Cause]]:
    for budget in policy.budgets:
        if budget.period.start is not None:
            place = place_of(budget, "effective.from")
            yield budget.period.start, Cause(kind="budget_starts", name=budget.name, place=place)
        if budget.period.end is not None:
            place = place_of(budget, "effective.until")
            yield budget.period.end, Cause(kind="budget_ends", name=budget.name, place=place)
        if budget.review_by is not None and Period(end=budget.period.end).in_force(budget.review_by):
            place = place_of(budget, "reviewBy")
            yield budget.review_by, Cause(kind="review_due", name=budget.name, place=place)
    for one in policy.exceptions:
        if one.period.start is not None:
            place = place_of(one, "starts")
            yield one.period.start, Cause(kind="exception_starts", name=one.name, place=place)
        if one.period.end is not None:
            place = place_of(one, "expires")
            yield one.period.end, Cause(kind="exception_ends", name=one.name, place=place)
    accounting = policy.accounting
    if isinstance(accounting.window, CalendarWindow):
        place = place_of(accounting, "window")
        at = Instant(lookback(accounting.window, now).end)
        while at <= until:
            yield at, Cause(kind="window_resets", name=accounting.name, place=place)
            at = Instant(lookback(accounting.window, at).end)


def _share_changes(policy: Policy, at: Instant) -> Iterator[ShareChange]:
    for pool in sorted(one.name for one in policy.pools):
        before = {one.path: one.absolute for one in tree_at(policy, pool, at - 1).accounts}
        after = {one.path: one.absolute for one in tree_at(policy, pool, at).accounts}
        for path in sorted(before.keys() | after.keys(), key=lambda path: path.strip("/").split("/")):
            was, becomes = before.get(path, Fraction(0)), after.get(path, Fraction(0))
            if was != becomes:
                yield ShareChange(pool=pool, account=path, before=was, after=becomes)


def _turns(policy: Policy, at: Instant) -> Iterator[Turn]:
    before, after = _granted(policy, at - 1), _granted(policy, at)
    for kind, target in sorted(before.keys() | after.keys()):
        was, becomes = before.get((kind, target), 0), after.get((kind, target), 0)
        if was != becomes:
            yield Turn(kind=kind, target=target, before=was, after=becomes)


def _granted(policy: Policy, at: int) -> Mapping[tuple[TurnKind, str], int]:
    """Return what is granted at an instant beside shares; of several for one target the most generous counts."""
    found: dict[tuple[TurnKind, str], int] = {}
    for one in policy.exceptions:
        if not one.period.in_force(at):
            continue
        match one.grant:
            case ProtectionGrant(account=account, job=job, max_protected=most):
                target = f"job {job}" if account is None else account
                found["protection", target] = max(most, found.get(("protection", target), 0))
            case Suspension(account=account):
                found["suspension", account] = 1
            case Freeze(pool=pool):
                found["freeze", pool] = 1
            case _:
                pass
    return found


def _clock_rules(policy: Policy) -> Iterator[ClockRule]:
    for cap in policy.caps:
        for rule in cap.rules:
            if _reads_now(rule.when):
                yield ClockRule(name=rule.name, place=rule.place)
    for guard in policy.preemption.guards:
        if _reads_now(guard.when):
            yield ClockRule(name=guard.name, place=guard.place)


def _reads_now(rule: Expression) -> bool:
    def reads(tree: Any) -> bool:
        return isinstance(tree, (list, tuple)) and (list(tree) == ["name", "now"] or any(map(reads, tree)))

    return reads(rule.tree)
