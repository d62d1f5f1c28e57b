"""The suite of the lab's policy: it passes, sees every condition from both sides, and notices when one is another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

import pytest

from policyctl.adapters.policy_test_change import policy_text
from policyctl.adapters.policy_test_read import read_cases
from policyctl.adapters.policy_test_text import read_policy_tests
from policyctl.compile import compile_texts
from policyctl.model.policy import Policy
from policyctl.testing.case import Case, Review
from policyctl.testing.coverage import coverage
from policyctl.testing.run import run_case
from policyctl.workspace.shipped import schemas
from policyctl.workspace.tree import read_tree
from tests.policy_tests.mutations import Mutation, mutations
from tests.policy_tests.suite import ROOT

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
            tests = read_policy_tests({file: data}, schemas()["PolicyTest"])
            assert not tests.findings
            for document in tests.documents:
                pools = [pool.name for pool in policy.pools]
                found = read_cases(document, pools=pools, states={}, text=changed)
                assert not found.findings
                yield from found.cases


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


@pytest.mark.parametrize(
    ("name", "change"), list(mutations(lab())), ids=[name for name, _ in mutations(lab())]
)
def test_the_suite_notices(name: str, change: Mutation) -> None:
    other = change(lab())
    about_jobs = [case for case in suite() if not isinstance(case.question, Review)]
    assert any(not run_case(other, case).passed for case in about_jobs), f"no case fails {name}"


def with_governance(text: str) -> tuple[Files, Policy]:
    """Return the policy with another Governance."""
    other = {**files(), "governance.yaml": text.encode()}
    policy = compile_texts(other, schemas(), now=None).policy
    assert policy is not None
    return other, policy


@pytest.mark.parametrize(
    ("limit", "other"),
    [
        (f"{name}: {value}", other)
        for name, value, more, less in (
            ("maxDuration", "30d", "31d", "29d"),
            ("maxActive", "5", "6", "4"),
            ("maxRenewals", "1", "2", "0"),
        )
        for other in ("", f"{name}: {more}", f"{name}: {less}")
    ],
)
def test_the_suite_notices_another_limit_on_exceptions(limit: str, other: str) -> None:
    text = files()["governance.yaml"].decode()
    assert text.count(limit) == 1
    edited, policy = with_governance(text.replace(limit, other))
    cases = list(cases_of(edited, policy, name="exception-limits"))
    assert cases
    assert any(not run_case(policy, case).passed for case in cases)


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
    other, policy = with_governance(f"{before} {quoted}{after.removeprefix(chr(39))}")
    cases = cases_of(other, policy, name="changes")
    assert any(not run_case(policy, case).passed for case in cases), f"no case fails with {truth} for {name}"
