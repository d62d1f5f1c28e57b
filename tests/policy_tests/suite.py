"""Policies and their tests as texts: compiled, read and run as the command does it."""

from __future__ import annotations

from pathlib import Path

from policyctl.adapters.policy_test_change import PolicyText
from policyctl.adapters.policy_test_read import read_cases
from policyctl.adapters.policy_test_text import read_policy_tests
from policyctl.compile import compile_texts
from policyctl.diagnostics import Finding
from policyctl.model.policy import Policy
from policyctl.testing.case import Case, Review, Unreadable
from policyctl.workspace.shipped import schemas
from tests.cli.program import POLICY

__all__ = ["HEAD", "NOW", "ROOT", "policy_of", "read"]

ROOT = Path(__file__).parent.parent.parent
NOW = "2026-09-01T12:00:00Z"
HEAD = f"""\
apiVersion: policyctl/v1
kind: PolicyTest
metadata: {{name: small}}
spec:
  now: "{NOW}"
  cases:
"""


def policy_of(text: str = POLICY) -> Policy:
    policy = compile_texts({"policy.yaml": text.encode()}, schemas(), now=None).policy
    assert policy is not None
    return policy


def read(
    text: str, policy: Policy | None = None, changed: PolicyText | None = None
) -> tuple[list[Case], list[Finding]]:
    """Read one file of tests; findings of the schema keep the rest from being read, as they do for the command.

    `changed` are the documents that cases about a change lay theirs over. What is wrong with a case is among the findings,
    and so is what is wrong with a policy with a change that is not expected to be refused.
    """
    tests = read_policy_tests({"t.yaml": text.encode()}, schemas()["PolicyTest"])
    cases: list[Case] = []
    findings = list(tests.findings)
    for document in tests.documents:
        known = [pool.name for pool in (policy or policy_of()).pools]
        found = read_cases(document, pools=known, states={}, text=changed)
        for one in found.cases:
            if isinstance(one.question, Unreadable):
                findings += one.question.findings
            elif isinstance(one.question, Review) and not any(
                wanted.field == "refused" for wanted in one.expected
            ):
                findings += one.question.wrong
                cases += [] if one.question.wrong else [one]
            else:
                cases.append(one)
        findings += found.findings
    return cases, findings
