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
def started(old: str = "", new: str = "") -> tuple[Policy, tuple[Case, ...]]:
    """Return the policy, with one text of it replaced, and its suite."""
    files = {name: data.replace(old.encode(), new.encode()) for name, data in below("policies").items()}
    assert not old or files != below("policies")
    text = policy_text(files, schemas(), "policies")
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


@pytest.mark.parametrize(
    ("limit", "looser"),
    [
        ("maxDuration: 30d", "maxDuration: 31d"),
        ("maxActive: 5", "maxActive: 6"),
        ("maxRenewals: 1", "maxRenewals: 2"),
    ],
)
def test_the_suite_notices_another_limit_on_exceptions(limit: str, looser: str) -> None:
    policy, cases = started(limit, looser)
    failed = [case.title for case in cases if not run_case(policy, case).passed]
    assert len(failed) == 1
    assert failed[0].startswith("exceptions/")


THREE = "research holds three fifths"
MARGIN = "to be behind by less than the margin takes nothing"
HOURS = "any other job is protected for four hours"
EDITS: dict[str, tuple[str, str, set[str]]] = {
    "a share moves": ("research: 60%", "research: 50%", {THREE, MARGIN}),
    "a share moves inside": (
        "training: 70%\n    evaluation: 30%",
        "training: 60%\n    evaluation: 40%",
        {THREE},
    ),
    "a new project": ("evaluation: 30%", "evaluation: 20%\n    data: 10%", set()),
    "a new program": ("platform: 30%", "platform: 30%\n    robots: 10%", set()),
    "a tighter cap": ("default: 4h", "default: 3h", {HOURS}),
    "a longer window": ("length: 14d", "length: 28d", set()),
}


@pytest.mark.parametrize(("old", "new", "may_fail"), EDITS.values(), ids=EDITS)
def test_an_ordinary_edit_fails_no_more_than_its_subject(old: str, new: str, may_fail: set[str]) -> None:
    policy, cases = started(old, new)
    results = [run_case(policy, case) for case in cases]
    assert [one.case.title for one in results if one.problem is not None] == []
    assert {one.case.name for one in results if one.differences} == may_fail
