"""The suite that `init` writes: it sees every condition of the policy beside it from both sides, and notices its lack."""

from __future__ import annotations

from functools import cache

import pytest

from policyctl.adapters.policy_test_change import policy_text
from policyctl.model.policy import Policy
from policyctl.testing.case import Case
from policyctl.testing.coverage import coverage
from policyctl.testing.run import run_case
from policyctl.workspace.shipped import schemas
from policyctl.workspace.starter import starter_files
from tests.policy_tests.mutations import Mutation, mutations
from tests.policy_tests.suite import read


def below(folder: str) -> dict[str, bytes]:
    files = starter_files(org="acme", install="policyctl")
    return {
        name.removeprefix(f"{folder}/"): data
        for name, data in files.items()
        if name.startswith(f"{folder}/") and name.endswith(".yaml")
    }


@cache
def started() -> tuple[Policy, tuple[Case, ...]]:
    text = policy_text(below("policies"), schemas(), "policies")
    assert text is not None
    cases: list[Case] = []
    for data in below("policy-tests").values():
        found, findings = read(data.decode(), text.policy, text)
        assert not findings
        cases += found
    return text.policy, tuple(cases)


def test_every_condition_is_seen_from_both_sides() -> None:
    policy, cases = started()
    results = [run_case(policy, case) for case in cases]
    assert [one.case.title for one in results if not one.passed] == []
    covered = coverage(policy, [one.answered for one in results if one.answered is not None])
    assert [f"{one.kind} {one.name}" for one in covered if not one.complete] == []


@pytest.mark.parametrize(
    ("name", "change"), list(mutations(started()[0])), ids=[name for name, _ in mutations(started()[0])]
)
def test_the_suite_notices(name: str, change: Mutation) -> None:
    policy, cases = started()
    other = change(policy)
    assert any(not run_case(other, case).passed for case in cases), f"no case fails {name}"
