"""The suite of the lab's policy: it passes, sees every condition from both sides, and notices when one is another."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from functools import cache

import pytest

from policyctl.adapters.policy_test_change import policy_text
from policyctl.compile import compile_texts
from policyctl.load.decisions import NO_PREEMPTION
from policyctl.model.policy import Policy, Preemption
from policyctl.testing.case import Case, Review
from policyctl.testing.coverage import coverage
from policyctl.testing.run import run_case
from policyctl.workspace.shipped import schemas
from policyctl.workspace.tree import read_tree
from tests.policy_tests.suite import ROOT, read

Files = Mapping[str, bytes]


@cache
def files() -> Files:
    return read_tree(ROOT / "policies")


@cache
def lab() -> Policy:
    policy = compile_texts(files(), schemas(), now=None).policy
    assert policy is not None
    return policy


@cache
def suite() -> tuple[Case, ...]:
    return tuple(cases_of(files(), lab()))


def cases_of(policy_files: Files, policy: Policy, name: str = "") -> Iterator[Case]:
    changed = policy_text(policy_files, schemas(), "policies")
    for file, data in read_tree(ROOT / "policy-tests").items():
        if name in file:
            found, findings = read(data.decode(), policy, changed)
            assert not findings
            yield from found


def failed(policy: Policy) -> list[str]:
    return [case.title for case in suite() if not run_case(policy, case).passed]


def test_the_policy_passes_its_own_tests() -> None:
    assert len(suite()) > 50
    assert failed(lab()) == []


def test_every_condition_is_seen_from_both_sides() -> None:
    results = [run_case(lab(), case).answered for case in suite()]
    covered = coverage(lab(), [one for one in results if one is not None])
    kinds = {"cap", "default", "guard", "limit", "exception", "approval", "unless", "gate"}
    assert {one.kind for one in covered} == kinds
    gaps = [f"{one.place.file_line} {one.kind} {one.name}" for one in covered if not one.complete]
    assert gaps == [], "a condition needs a case in policy-tests/ that trips it, and one that does not"


# Changes of the nouns, which only questions about jobs need.


def changes() -> Iterator[tuple[str, Callable[[Policy], Policy]]]:
    for number, cap in enumerate(lab().caps):
        for rule in cap.rules:
            yield f"without {cap.name}/{rule.name}", _without_rule(number, rule.name)
            yield f"with {cap.name}/{rule.name} for every job", _always_rule(number, rule.name)
        yield f"without the default of {cap.name}", _without_default(number)
    for guard in lab().preemption.guards:
        yield f"without guard {guard.name}", _without_guard(guard.name)
    for name, brakes in BRAKES.items():
        yield f"without {name}", _with_brakes(brakes)
    yield "without a limit of the overdraft", _without_overdraft
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


def _always_rule(number: int, name: str) -> Callable[[Policy], Policy]:
    """Let a rule hold wherever none before it does, as its default does."""

    def change(policy: Policy) -> Policy:
        caps = list(policy.caps)
        at = next(place for place, rule in enumerate(caps[number].rules) if rule.name == name)
        most = caps[number].rules[at].max_protected
        caps[number] = dataclasses.replace(caps[number], rules=caps[number].rules[:at], default=most)
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


BRAKES: Mapping[str, Callable[[Preemption], Preemption]] = {
    "hysteresis": lambda brakes: dataclasses.replace(brakes, hysteresis=NO_PREEMPTION.hysteresis),
    "notice": lambda brakes: dataclasses.replace(brakes, notice=NO_PREEMPTION.notice),
    "perJob": lambda brakes: dataclasses.replace(brakes, per_job=None),
    "perPool": lambda brakes: dataclasses.replace(brakes, max_gpu_hours_per_hour=None),
}


def _with_brakes(other: Callable[[Preemption], Preemption]) -> Callable[[Policy], Policy]:
    return lambda policy: dataclasses.replace(policy, preemption=other(policy.preemption))


def _without_overdraft(policy: Policy) -> Policy:
    return dataclasses.replace(policy, accounting=dataclasses.replace(policy.accounting, overdraft=None))


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
    other = change(lab())
    about_jobs = [case for case in suite() if not isinstance(case.question, Review)]
    assert any(not run_case(other, case).passed for case in about_jobs), f"no case fails {name}"


# Changes of the conditions over a change, which both sides of a case have to have.


def conditions() -> Iterator[tuple[str, str]]:
    """Yield each condition of Governance as it is written on its line, with its name."""
    text = files()["governance.yaml"].decode()
    for rule in (*lab().governance.approvals, *lab().governance.gates):
        for key in ("when", "unless"):
            if key in rule:
                assert text.count(f"{rule[key]}") == 1, "the condition is found by its text"
                yield f"{key} of {rule['name']}", rule[key]


@pytest.mark.parametrize("truth", ["false", "true", "not"])
@pytest.mark.parametrize(("name", "condition"), list(conditions()), ids=[name for name, _ in conditions()])
def test_the_suite_notices_another_condition(name: str, condition: str, truth: str) -> None:
    text = files()["governance.yaml"].decode()
    start = text.index(condition)
    before, after = text[:start].rstrip(), text[start + len(condition) :]
    before = before.removesuffix(">-").removesuffix("'").rstrip()
    written = f"!({condition})" if truth == "not" else truth
    quoted = "'" + written.replace("'", "''") + "'"
    other = {**files(), "governance.yaml": f"{before} {quoted}{after.removeprefix(chr(39))}".encode()}
    policy = compile_texts(other, schemas(), now=None).policy
    assert policy is not None
    cases = cases_of(other, policy, name="changes")
    assert any(not run_case(policy, case).passed for case in cases), f"no case fails with {truth} for {name}"
