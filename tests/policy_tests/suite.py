"""Policies and their tests as texts: compiled, read and run as the command does it."""

from __future__ import annotations

from pathlib import Path

from policyctl.adapters.policy_test_change import PolicyText
from policyctl.adapters.policy_test_read import read_cases
from policyctl.adapters.policy_test_text import read_policy_tests
from policyctl.compile import compile_texts
from policyctl.diagnostics import Finding
from policyctl.model.policy import Policy
from policyctl.testing.case import Case
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

    `changed` are the documents that cases about a change lay theirs over.
    """
    tests = read_policy_tests({"t.yaml": text.encode()}, schemas()["PolicyTest"])
    cases: list[Case] = []
    findings = list(tests.findings)
    for document in tests.documents:
        known = [pool.name for pool in (policy or policy_of()).pools]
        found = read_cases(document, pools=known, states={}, text=changed)
        cases += found.cases
        findings += found.findings
    return cases, findings
