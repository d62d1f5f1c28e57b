"""A small policy with approval rules and gates, and cases that change it."""

from __future__ import annotations

from policyctl.adapters.policy_test_change import PolicyText, policy_text
from policyctl.workspace.shipped import schemas
from tests.cli.program import POLICY
from tests.policy_tests.suite import HEAD

__all__ = ["DEPARTED", "GOVERNED", "MOVE", "case", "text_of"]

GOVERNED = (
    POLICY
    + """\
  approvals:
    - name: large-moves
      when: change.moved > 0.05
      unless: change.author == "root"
      require: [{from: leadership, count: 2}]
    - {name: odd, when: 'change.shares[0].inherited', require: [{from: owner}, {from: leadership, count: 3}]}
  gates:
    - {name: small-steps, when: change.moved > 0.2, level: error}
    - {name: few-losers, when: 'impact.programs.exists(one, one.delivery_change < -0.05)', level: warning}
    - {name: by-hand, when: 'change.author == "bot"', level: error}
"""
)
DEPARTED = """\
---
apiVersion: policyctl/v1
kind: Exception
metadata: {name: lend}
spec:
  reason: for a test
  ticket: OPS-1
  requestedBy: "@lab/leadership"
  starts: "2026-08-31T00:00:00Z"
  expires: "2026-09-10T00:00:00Z"
  share: {to: /language, from: /robotics, add: 1%}
"""
MOVE = "Budget/organization: {shares: {language: 70%, robotics: 15%}}"


def text_of(policy: str = GOVERNED) -> PolicyText:
    text = policy_text({"policy.yaml": policy.encode()}, schemas(), "policies")
    assert text is not None
    return text


def case(change: str, expect: str = "{requires: {leadership: 1}}", more: str = "") -> str:
    return f"{HEAD}    - name: it\n      review:\n        change:\n          {change}\n{more}      expect: {expect}\n"
