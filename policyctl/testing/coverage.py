"""Which rules and exceptions a suite has seen both hold and not hold: what was never seen could say anything."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, assert_never

import numpy as np

from policyctl.decide.table import rule_columns, table_of
from policyctl.diagnostics import Place
from policyctl.expr.evaluate import evaluate
from policyctl.model.jobs import Job
from policyctl.model.policy import (
    Freeze,
    Policy,
    PolicyException,
    ProtectionCap,
    ProtectionGrant,
    ShareGrant,
    Suspension,
)
from policyctl.model.tree import ancestors
from policyctl.testing.answer import Answered

__all__ = ["Covered", "coverage"]

Kind = Literal["cap", "guard", "exception"]
Sighting = tuple[Kind, str, bool]
_NO_CLAIM = frozenset({"preemptor_opportunistic", "preemptor_not_pending"})
_NOT_THERE = frozenset({"unknown_victim", "victim_not_running", "other_pool"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Covered:
    """One rule or exception, and in how many cases it was seen to hold, and not to hold.

    A case counts only where its answer is about jobs that the rule or exception concerns; a rule of a cap is seen only
    where none before it held, as only then it is asked.
    """

    kind: Kind
    name: str
    place: Place
    held: int
    not_held: int

    @property
    def both(self) -> bool:
        """Say whether both were seen."""
        return bool(self.held and self.not_held)


def coverage(policy: Policy, answers: Iterable[Answered]) -> tuple[Covered, ...]:
    """Count the cases for every rule of every cap, every guard and every exception, in the order of the policy."""
    seen = [frozenset(_sightings(policy, one)) for one in answers]
    return tuple(
        Covered(
            kind=kind,
            name=name,
            place=place,
            held=sum((kind, name, True) in one for one in seen),
            not_held=sum((kind, name, False) in one for one in seen),
        )
        for kind, name, place in _everything(policy)
    )


def _everything(policy: Policy) -> Iterator[tuple[Kind, str, Place]]:
    for cap in policy.caps:
        for rule in cap.rules:
            yield "cap", f"{cap.name}/{rule.name}", rule.place
    for guard in policy.preemption.guards:
        yield "guard", guard.name, guard.place
    for exception in policy.exceptions:
        yield "exception", exception.name, exception.place


def _sightings(policy: Policy, answered: Answered) -> Iterator[Sighting]:
    for cap in policy.caps:
        below = [job for job in answered.jobs if cap.account in ancestors(job.account)]
        if below:
            yield from _of_cap(cap, below, answered.situation.now)
    yield from _of_guards(policy, answered)
    for exception in policy.exceptions:
        if _concerns(exception, answered):
            yield "exception", exception.name, exception.period.in_force(answered.situation.now)


def _of_cap(cap: ProtectionCap, jobs: Sequence[Job], now: int) -> Iterator[Sighting]:
    table = table_of(jobs)
    at = np.array([now if job.start is None else job.start for job in jobs], dtype=np.int64)
    left = np.arange(len(jobs))
    for rule in cap.rules:
        if not len(left):
            return
        truth = evaluate(rule.when.tree, rule_columns(table, left, at[left]))
        holds, fails = truth.values & ~truth.faults, ~truth.values & ~truth.faults
        name = f"{cap.name}/{rule.name}"
        if holds.any():
            yield "cap", name, True
        if fails.any():
            yield "cap", name, False
        left = left[fails]


def _of_guards(policy: Policy, answered: Answered) -> Iterator[Sighting]:
    judged = answered.judged
    if judged is None or _NO_CLAIM & {reason.code for reason in judged.reasons}:
        return
    for verdict in judged.victims:
        if verdict.code in _NOT_THERE:
            continue
        said = {(reason.code, reason.facts.get("rule")) for reason in verdict.reasons}
        for guard in policy.preemption.guards:
            if ("rule_failed", guard.name) not in said:
                yield "guard", guard.name, ("guard", guard.name) in said


def _concerns(exception: PolicyException, answered: Answered) -> bool:
    match exception.grant:
        case Freeze(pool=pool):
            return answered.judged is not None and answered.pool == pool
        case Suspension(account=account):
            return _about(answered, account)
        case ProtectionGrant(account=account, job=identity):
            if account is not None:
                return _about(answered, account)
            return any(job.id == identity for job in answered.jobs)
        case ShareGrant(to=to, source=source):
            return answered.everybody or _about(answered, to) or _about(answered, source)
        case _:
            assert_never(exception.grant)


def _about(answered: Answered, account: str) -> bool:
    return any(account in ancestors(job.account) for job in answered.jobs)
