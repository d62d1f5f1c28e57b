"""Whatever stands in a file of tests: findings with places, or cases that run; never a crash."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from policyctl.adapters.policy_test_change import policy_text
from policyctl.testing.run import run_case
from policyctl.workspace.shipped import schemas
from policyctl.workspace.tree import read_tree
from tests.policy_tests.suite import ROOT, policy_of, read

TEXT = (ROOT / "policy-tests/guards.yaml").read_text().replace("a100", "h100")
LINES = TEXT.split("\n---\n")[0].splitlines()
PIECES = (
    "",
    "{}",
    "[]",
    "null",
    "-1",
    "99999999999999999999",
    "'",
    "job",
    "{job: waiting}",
    "2h",
    "h100",
    "none",
)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, len(LINES) - 1), st.sampled_from(PIECES)), max_size=3),
    st.lists(st.integers(0, len(LINES) - 1), max_size=3),
)
def test_a_damaged_suite_is_refused_or_runs(changed: list[tuple[int, str]], dropped: list[int]) -> None:
    lines = list(LINES)
    for number, piece in changed:
        head, colon, _ = lines[number].partition(":")
        lines[number] = f"{head}{colon} {piece}"
    text = "\n".join(line for number, line in enumerate(lines) if number not in dropped)
    policy = policy_of()
    cases, findings = read(text, policy)
    count = text.count("\n") + 1
    assert all(1 <= one.place.line <= count and one.message for one in findings)
    for case in cases:
        result = run_case(policy, case)
        assert result.passed == (result.problem is None and not result.differences)


CHANGES = (ROOT / "policy-tests/changes.yaml").read_text().splitlines()
CHANGED = policy_text(read_tree(ROOT / "policies"), schemas(), "policies")
assert CHANGED is not None


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.integers(0, len(CHANGES) - 1), st.sampled_from((*PIECES, "{a: {b: null}}", "!x", "Budget"))
        ),
        max_size=3,
    ),
    st.lists(st.integers(0, len(CHANGES) - 1), max_size=3),
)
def test_a_damaged_change_is_refused_or_judged(changed: list[tuple[int, str]], dropped: list[int]) -> None:
    assert CHANGED is not None
    lines = list(CHANGES)
    for number, piece in changed:
        head, colon, _ = lines[number].partition(":")
        lines[number] = f"{head}{colon} {piece}"
    text = "\n".join(line for number, line in enumerate(lines) if number not in dropped)
    cases, findings = read(text, CHANGED.policy, CHANGED)
    count = text.count("\n") + 1
    assert all(one.place.file == "t.yaml" and 1 <= one.place.line <= count for one in findings)
    assert all(one.message for one in findings)
    for case in cases[:3]:
        result = run_case(CHANGED.policy, case)
        assert result.passed == (result.problem is None and not result.differences)


def test_the_undamaged_text_runs() -> None:
    cases, findings = read("\n".join(LINES), policy_of())
    assert not findings
    assert cases
