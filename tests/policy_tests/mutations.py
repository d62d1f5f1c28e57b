"""A policy with one condition taken away, or holding everywhere: what a suite that tests the condition notices."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping

from policyctl.load.decisions import NO_PREEMPTION
from policyctl.model.policy import Policy, Preemption

__all__ = ["Mutation", "mutations"]

Mutation = Callable[[Policy], Policy]


def mutations(policy: Policy) -> Iterator[tuple[str, Mutation]]:
    """Yield every way to take away or to widen one condition of a policy that decides about jobs, by what it does."""
    for number, cap in enumerate(policy.caps):
        for rule in cap.rules:
            yield f"without {cap.name}/{rule.name}", _without_rule(number, rule.name)
            yield f"with {cap.name}/{rule.name} for every job", _always_rule(number, rule.name)
        yield f"without the default of {cap.name}", _without_default(number)
    for guard in policy.preemption.guards:
        yield f"without guard {guard.name}", _without_guard(guard.name)
    for name, brakes in _BRAKES.items():
        if brakes(policy.preemption) != policy.preemption:
            yield f"without {name}", _with_brakes(brakes)
    if policy.accounting.overdraft is not None:
        yield "without a limit of the overdraft", _without_overdraft
    for exception in policy.exceptions:
        yield f"without exception {exception.name}", _without_exception(exception.name)
        yield f"with an exception {exception.name} that does not end", _endless(exception.name)


def _without_rule(number: int, name: str) -> Mutation:
    def change(policy: Policy) -> Policy:
        caps = list(policy.caps)
        kept = tuple(rule for rule in caps[number].rules if rule.name != name)
        caps[number] = dataclasses.replace(caps[number], rules=kept)
        return dataclasses.replace(policy, caps=tuple(caps))

    return change


def _always_rule(number: int, name: str) -> Mutation:
    """Let a rule hold wherever none before it does, as its default does."""

    def change(policy: Policy) -> Policy:
        caps = list(policy.caps)
        at = next(place for place, rule in enumerate(caps[number].rules) if rule.name == name)
        most = caps[number].rules[at].max_protected
        caps[number] = dataclasses.replace(caps[number], rules=caps[number].rules[:at], default=most)
        return dataclasses.replace(policy, caps=tuple(caps))

    return change


def _without_default(number: int) -> Mutation:
    def change(policy: Policy) -> Policy:
        caps = list(policy.caps)
        caps[number] = dataclasses.replace(caps[number], default=None)
        return dataclasses.replace(policy, caps=tuple(caps))

    return change


def _without_guard(name: str) -> Mutation:
    def change(policy: Policy) -> Policy:
        kept = tuple(guard for guard in policy.preemption.guards if guard.name != name)
        return dataclasses.replace(policy, preemption=dataclasses.replace(policy.preemption, guards=kept))

    return change


_BRAKES: Mapping[str, Callable[[Preemption], Preemption]] = {
    "hysteresis": lambda brakes: dataclasses.replace(brakes, hysteresis=NO_PREEMPTION.hysteresis),
    "notice": lambda brakes: dataclasses.replace(brakes, notice=NO_PREEMPTION.notice),
    "perJob": lambda brakes: dataclasses.replace(brakes, per_job=None),
    "perPool": lambda brakes: dataclasses.replace(brakes, max_gpu_hours_per_hour=None),
}


def _with_brakes(other: Callable[[Preemption], Preemption]) -> Mutation:
    return lambda policy: dataclasses.replace(policy, preemption=other(policy.preemption))


def _without_overdraft(policy: Policy) -> Policy:
    return dataclasses.replace(policy, accounting=dataclasses.replace(policy.accounting, overdraft=None))


def _without_exception(name: str) -> Mutation:
    return lambda policy: dataclasses.replace(
        policy, exceptions=tuple(one for one in policy.exceptions if one.name != name)
    )


def _endless(name: str) -> Mutation:
    def change(policy: Policy) -> Policy:
        open_ended = tuple(
            dataclasses.replace(one, period=dataclasses.replace(one.period, end=None))
            if one.name == name
            else one
            for one in policy.exceptions
        )
        return dataclasses.replace(policy, exceptions=open_ended)

    return change
