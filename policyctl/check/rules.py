"""Rules in CEL that never decide anything: hidden by an earlier one, or with a condition that does not vary."""

from __future__ import annotations

import json
from collections.abc import Iterator

from policyctl.catalogue import finding
from policyctl.check.conditions import Condition, always, implies, never, read_condition
from policyctl.check.index import Index
from policyctl.diagnostics import Finding, Related
from policyctl.model.policy import CapRule, Guard, ProtectionCap

__all__ = ["constant_guards", "repeated_guards", "unreachable_rules"]

_MANY = 300


def unreachable_rules(index: Index) -> Iterator[Finding]:
    """Find a rule of a cap that no job can reach (P001)."""
    for cap in index.policy.caps:
        before: list[tuple[CapRule, Condition]] = []
        certain: CapRule | None = None
        for rule in cap.rules:
            condition = read_condition(rule.when.tree)
            hides = certain or _hiding(rule, condition, before)
            if hides is not None:
                yield _hidden(cap, rule, hides)
            elif never(condition):
                yield _impossible(cap, rule)
            elif always(rule.when.tree):
                certain = rule
            before.append((rule, condition))
        if certain is not None and cap.default is not None:
            yield _no_default(cap, certain)


def _hiding(rule: CapRule, condition: Condition, before: list[tuple[CapRule, Condition]]) -> CapRule | None:
    if len(before) > _MANY:  # comparing every pair of a very long list would take its square in time
        same = json.dumps(rule.when.tree)
        return next((one for one, _ in before if json.dumps(one.when.tree) == same), None)
    return next((one for one, earlier in before if implies(condition, earlier)), None)


def _hidden(cap: ProtectionCap, rule: CapRule, by: CapRule) -> Finding:
    return finding(
        "P001",
        f"the rule `{rule.name}` is never reached: `{by.name}` before it holds for every such job",
        rule.when.place,
        help=f"move `{rule.name}` before `{by.name}`, or remove it",
        subject=f"ProtectionCap {cap.name}",
        related=(Related(place=by.when.place, message=f"`{by.name}` decides these jobs"),),
    )


def _impossible(cap: ProtectionCap, rule: CapRule) -> Finding:
    return finding(
        "P001",
        f"the rule `{rule.name}` is never reached: its condition holds for no job",
        rule.when.place,
        help="mend the condition, or remove the rule",
        subject=f"ProtectionCap {cap.name}",
    )


def _no_default(cap: ProtectionCap, by: CapRule) -> Finding:
    return finding(
        "P001",
        f"the default is never reached: `{by.name}` holds for every job",
        cap.default_place or cap.place,
        help=f"remove the default, or give `{by.name}` a condition that some jobs do not meet",
        subject=f"ProtectionCap {cap.name}",
        related=(Related(place=by.when.place, message="always true"),),
    )


def constant_guards(index: Index) -> Iterator[Finding]:
    """Find a guard that refuses every preemption, or none (P003)."""
    for guard in index.policy.preemption.guards:
        if never(read_condition(guard.when.tree)):
            yield _constant(
                index, guard, "never true, so it refuses nothing", "mend the condition, or remove the guard"
            )
        elif always(guard.when.tree):
            way_out = "to stop all preemption for a while, write an Exception with `freeze` for each pool"
            yield _constant(index, guard, "always true, so nothing may ever be preempted", way_out)


def _constant(index: Index, guard: Guard, seen: str, way_out: str) -> Finding:
    return finding(
        "P003",
        f"the condition of the guard `{guard.name}` is {seen}",
        guard.when.place,
        help=way_out,
        subject=f"Preemption {index.policy.preemption.name}",
    )


def repeated_guards(index: Index) -> Iterator[Finding]:
    """Find a guard that refuses only what an earlier one refuses (P004)."""
    before: list[tuple[Guard, Condition]] = []
    for guard in index.policy.preemption.guards[:_MANY]:
        condition = read_condition(guard.when.tree)
        if never(condition) or always(guard.when.tree):
            continue
        wider = next((one for one, earlier in before if implies(condition, earlier)), None)
        if wider is not None:
            yield finding(
                "P004",
                f"the guard `{guard.name}` refuses nothing that `{wider.name}` does not already refuse",
                guard.when.place,
                help="remove it, or merge the two reasons",
                subject=f"Preemption {index.policy.preemption.name}",
                related=(
                    Related(place=wider.when.place, message=f"`{wider.name}` holds wherever this one does"),
                ),
            )
        before.append((guard, condition))
