"""The suite of the lab under ordinary pull requests: only cases whose subject changed fail, and each of them says how."""

from __future__ import annotations

import pytest

from policyctl.compile import compile_texts
from policyctl.testing.run import run_case
from policyctl.workspace.shipped import schemas
from tests.policy_tests.test_lab_suite import cases_of, files, suite

LENT = "exceptions/vision lends four points to posttrain"
BACK = "exceptions/and has them back"
HOURS = "caps/everything else is protected for four hours"
AUDIT = """\
apiVersion: policyctl/v1
kind: Exception
metadata: {name: safety-audit}
spec:
  reason: the audit needs more
  ticket: OPS-500
  requestedBy: "@lab/safety-leads"
  starts: "2026-12-01T00:00:00Z"
  expires: "2026-12-15T00:00:00Z"
  share: {to: /safety/red-team, from: /biology, add: 2%}
"""
EDITS = {
    # what is edited: file, (before, after)…, the cases that may fail
    "a share moves between programs": (
        "budgets/organization.yaml",
        [("language: 34%", "language: 24%"), ("robotics: 14%", "robotics: 24%")],
        {LENT, BACK},
    ),
    "a share moves between projects": (
        "budgets/language.yaml",
        [("pretrain: 45%", "pretrain: 35%"), ("posttrain: 25%", "posttrain: 35%")],
        {LENT, BACK},
    ),
    "a project is new": (
        "budgets/language.yaml",
        [("evaluation: 8%", "evaluation: 3%\n    speech: 5%")],
        set(),
    ),
    "a program is new": (
        "budgets/organization.yaml",
        [("systems: 8%", "systems: 8%\n    newlab: 4%")],
        set(),
    ),
    "a weight grows": ("budgets/robotics.yaml", [("{weight: 2}", "{weight: 3}")], set()),
    "a cap is tighter": ("caps/lab.yaml", [("default: 4h", "default: 3h")], {HOURS}),
    "a window is longer": ("accounting.yaml", [("length: 14d", "length: 28d")], set()),
    "an exception is new": ("exceptions/safety-audit.yaml", [("", AUDIT)], set()),
    "a brake is looser": (
        "preemption.yaml",
        [("max: 3", "max: 4")],
        {"guards-on-work/the fourth time in a day is the turn of somebody else"},
    ),
    "an exception is over and its file is gone": (
        "exceptions/h100-acceptance.yaml",
        [],
        {"exceptions/nothing is preempted while the fabric is measured"},
    ),
}


@pytest.mark.parametrize(("file", "edits", "may_fail"), EDITS.values(), ids=EDITS)
def test_only_what_changed_fails(file: str, edits: list[tuple[str, str]], may_fail: set[str]) -> None:
    text = files().get(file, b"").decode()
    for before, after in edits:
        assert text.count(before) == 1, before
        text = text.replace(before, after)
    edited = {name: data for name, data in files().items() if name != file}
    edited |= {file: text.encode()} if edits else {}
    policy = compile_texts(edited, schemas(), now=None).policy
    assert policy is not None
    results = [run_case(policy, case) for case in cases_of(edited, policy)]
    assert len(results) == len(suite()), "every case can be read"
    assert {one.case.title for one in results if not one.passed} == may_fail
    assert [one.problem for one in results if one.problem is not None] == []
