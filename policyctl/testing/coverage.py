"""Which conditions a suite has seen both hold and not hold: what was never seen could say anything."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from policyctl.diagnostics import Place
from policyctl.govern.gates import GateOutcome
from policyctl.model.policy import Governance, Policy, place_of
from policyctl.testing.answered import AboutChange, AboutJobs, Answered
from policyctl.testing.sightings import Kind, Sighting, of_jobs

__all__ = ["Covered", "coverage"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Covered:
    """One condition, and in how many cases it was seen to hold, and not to hold: None where it always holds.

    A case counts only where its answer had to ask: a rule of a cap is seen where none before it held, the `unless` of an
    approval rule where its `when` held, a guard where a claim is judged.
    """

    kind: Kind
    name: str
    place: Place
    held: int
    not_held: int | None

    @property
    def complete(self) -> bool:
        """Say whether all was seen that can be."""
        return bool(self.held) and self.not_held != 0


def coverage(policy: Policy, answers: Iterable[Answered]) -> tuple[Covered, ...]:
    """Count the cases for every condition of a policy, in its order."""
    seen = [frozenset(_sightings(policy, one)) for one in answers]
    return tuple(
        Covered(
            kind=kind,
            name=name,
            place=place,
            held=sum((kind, name, True) in one for one in seen),
            not_held=None if always else sum((kind, name, False) in one for one in seen),
        )
        for kind, name, place, always in _everything(policy)
    )


Condition = tuple[Kind, str, Place, bool]
"""What it is, its name, where it is written, and whether it holds always."""


def _everything(policy: Policy) -> Iterator[Condition]:
    for cap in policy.caps:
        for rule in cap.rules:
            yield "cap", f"{cap.name}/{rule.name}", rule.place, False
        if cap.default is not None:
            yield "default", cap.name, cap.default_place or cap.place, False
    for guard in policy.preemption.guards:
        yield "guard", guard.name, guard.place, False
    yield from _limits(policy)
    for exception in policy.exceptions:
        yield "exception", exception.name, exception.place, False
    yield from _governed(policy.governance)


def _limits(policy: Policy) -> Iterator[Condition]:
    brakes = policy.preemption
    if brakes.hysteresis:
        yield "limit", "hysteresis", place_of(brakes, "hysteresis"), False
    if brakes.per_job is not None:
        yield "limit", "perJob", place_of(brakes, "perJob"), brakes.per_job.max == 0
    if brakes.max_gpu_hours_per_hour is not None:
        yield "limit", "perPool", place_of(brakes, "perPool"), False
    if policy.accounting.overdraft is not None:
        yield "limit", "overdraft", place_of(policy.accounting, "funding.overdraft"), False


def _governed(governance: Governance) -> Iterator[Condition]:
    def place(field: str) -> Place:
        return place_of(governance, field)

    limits = {
        "maxDuration": governance.max_duration,
        "maxActive": governance.max_active,
        "maxRenewals": governance.max_renewals,
    }
    for name, limit in limits.items():
        if limit is not None:
            yield "limit", name, place(f"exceptions.{name}"), False
    for number, rule in enumerate(governance.approvals):
        key = "when" if "when" in rule else "name"
        yield "approval", rule["name"], place(f"approvals.{number}.{key}"), _always(rule, "when")
        if "unless" in rule:
            yield "unless", rule["name"], place(f"approvals.{number}.unless"), _always(rule, "unless")
    for number, gate in enumerate(governance.gates):
        yield "gate", gate["name"], place(f"gates.{number}.when"), _always(gate, "when")


def _always(rule: Mapping[str, Any], key: str) -> bool:
    return str(rule.get(key, True)).lower() == "true"


def _sightings(policy: Policy, answered: Answered) -> Iterator[Sighting]:
    match answered.about:
        case AboutJobs() as about:
            yield from of_jobs(policy, about, answered.facts)
        case AboutChange() as about:
            yield from _of_change(about)


def _of_change(about: AboutChange) -> Iterator[Sighting]:
    for name, refuses in about.limits.items():
        yield "limit", name, refuses
    for rule in about.rules:
        if rule.when is not None:
            yield "approval", rule.name, rule.when
        if rule.when and rule.unless is not None:
            yield "unless", rule.name, rule.unless
    for gate in about.gates:
        if gate.outcome in {GateOutcome.OPEN, GateOutcome.CLOSED}:
            yield "gate", gate.name, gate.outcome is GateOutcome.CLOSED
