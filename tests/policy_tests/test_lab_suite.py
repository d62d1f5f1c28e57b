"""The suite of the lab's policy: it passes, sees every rule from both sides, and notices when one of them is gone."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from functools import cache

import pytest

from policyctl.compile import compile_texts
from policyctl.model.policy import Policy
from policyctl.testing.case import Case
from policyctl.testing.coverage import coverage
from policyctl.testing.run import run_case
from policyctl.workspace.shipped import schemas
from policyctl.workspace.tree import read_tree
from tests.policy_tests.suite import ROOT, read


@cache
def lab() -> Policy:
    policy = compile_texts(read_tree(ROOT / "policies"), schemas(), now=None).policy
    assert policy is not None
    return policy


@cache
def suite() -> tuple[Case, ...]:
    cases: list[Case] = []
    for data in read_tree(ROOT / "policy-tests").values():
        found, findings = read(data.decode(), lab())
        assert not findings
        cases += found
    return tuple(cases)


def failed(policy: Policy) -> list[str]:
    return [case.title for case in suite() if not run_case(policy, case).passed]


def test_the_policy_passes_its_own_tests() -> None:
    assert len(suite()) > 25
    assert failed(lab()) == []


def test_every_rule_and_exception_is_seen_from_both_sides() -> None:
    results = [run_case(lab(), case).answered for case in suite()]
    covered = coverage(lab(), [one for one in results if one is not None])
    assert {one.kind for one in covered} == {"cap", "guard", "exception"}
    assert [one.name for one in covered if not one.both] == []


def changes() -> Iterator[tuple[str, Callable[[Policy], Policy]]]:
    for number, cap in enumerate(lab().caps):
        for rule in cap.rules:
            yield f"without {cap.name}/{rule.name}", _without_rule(number, rule.name)
        yield f"without the default of {cap.name}", _without_default(number)
    for guard in lab().preemption.guards:
        yield f"without guard {guard.name}", _without_guard(guard.name)
    for exception in lab().exceptions:
        yield f"without exception {exception.name}", _without_exception(exception.name)
        yield f"with an exception {exception.name} that does not end", _endless(exception.name)


def _without_rule(number: int, name: str) -> Callable[[Policy], Policy]:
    def change(policy: Policy) -> Policy:
        caps = list(policy.caps)
        kept = tuple(rule for rule in caps[number].rules if rule.name != name)
        caps[number] = dataclasses.replace(caps[number], rules=kept)
        return dataclasses.replace(policy, caps=tuple(caps))

    return change


def _without_default(number: int) -> Callable[[Policy], Policy]:
    def change(policy: Policy) -> Policy:
        caps = list(policy.caps)
        caps[number] = dataclasses.replace(caps[number], default=None)
        return dataclasses.replace(policy, caps=tuple(caps))

    return change


def _without_guard(name: str) -> Callable[[Policy], Policy]:
    def change(policy: Policy) -> Policy:
        kept = tuple(guard for guard in policy.preemption.guards if guard.name != name)
        return dataclasses.replace(policy, preemption=dataclasses.replace(policy.preemption, guards=kept))

    return change


def _without_exception(name: str) -> Callable[[Policy], Policy]:
    return lambda policy: dataclasses.replace(
        policy, exceptions=tuple(one for one in policy.exceptions if one.name != name)
    )


def _endless(name: str) -> Callable[[Policy], Policy]:
    def change(policy: Policy) -> Policy:
        open_ended = tuple(
            dataclasses.replace(one, period=dataclasses.replace(one.period, end=None))
            if one.name == name
            else one
            for one in policy.exceptions
        )
        return dataclasses.replace(policy, exceptions=open_ended)

    return change


@pytest.mark.parametrize(("name", "change"), list(changes()), ids=[name for name, _ in changes()])
def test_the_suite_notices(name: str, change: Callable[[Policy], Policy]) -> None:
    assert failed(change(lab())), f"no case fails {name}"
