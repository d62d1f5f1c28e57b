"""What an answer about jobs sees: rules where they are asked, guards where a claim is judged, exceptions where they concern."""

from __future__ import annotations

import pytest

from policyctl.testing.coverage import coverage
from policyctl.testing.run import run_case
from tests.cli.program import POLICY
from tests.policy_tests.suite import NOW, policy_of, read

MORE = """\
---
apiVersion: policyctl/v1
kind: ProtectionCap
metadata: {name: robots}
spec:
  account: /robotics
  rules:
    - {name: any, when: 'job.gpus >= 2.0', maxProtected: 3h}
    - {name: hidden, when: 'job.gpus >= 1.0', maxProtected: 2h}
  default: 1h
---
apiVersion: policyctl/v1
kind: Preemption
metadata: {name: preemption}
spec:
  guards:
    - {name: small, when: 'victim.gpus < 8.0', reason: not worth it}
""" + "".join(
    f"""\
---
apiVersion: policyctl/v1
kind: Exception
metadata: {{name: {name}}}
spec:
  reason: for a test
  ticket: OPS-1
  requestedBy: "@lab/leadership"
  starts: "{starts}"
  expires: "2026-09-10T00:00:00Z"
  {grant}
"""
    for name, starts, grant in (
        ("lend", "2026-08-31T00:00:00Z", "share: {to: /language, from: /robotics, add: 1%}"),
        ("long", "2026-09-05T00:00:00Z", "protection: {account: /language, maxProtected: 9h}"),
        ("one", "2026-08-31T00:00:00Z", 'protection: {job: "71", maxProtected: 9h}'),
        ("stop", "2026-08-31T00:00:00Z", "suspend: {account: /robotics}"),
        ("halt", "2026-09-05T00:00:00Z", "freeze: {pool: h100}"),
    )
)
POLICY_WITH_ALL = policy_of(POLICY + MORE)
HEAD = f"""\
apiVersion: policyctl/v1
kind: PolicyTest
metadata: {{name: seen}}
spec:
  now: "{NOW}"
  state:
    nodes: [{{name: n1, pool: h100, gpus: 8}}]
    jobs:
      - {{id: "71", account: /language, user: u, pool: h100, gpus: 8, submit: "{NOW}", min_runtime: 1h}}
      - {{id: "72", account: /language, user: u, pool: h100, gpus: 8, submit: "{NOW}"}}
      - id: "80"
        account: /robotics
        user: v
        pool: h100
        gpus: 4
        submit: "2026-09-01T10:00:00Z"
        start: "2026-09-01T10:00:00Z"
        placement: {{n1: 4}}
      - id: "81"
        account: /elsewhere
        user: w
        pool: h100
        gpus: 4
        submit: "2026-09-01T10:00:00Z"
        start: "2026-09-01T10:00:00Z"
        placement: {{n1: 4}}
  cases:
    - name: it
"""
SEEN = {
    "a quote sees the caps on its job and the exceptions of its account": (
        'quote: {job: "72"}',
        {"cap/interactive": False, "lend": True, "long": False},
    ),
    "an exception for one job is seen with that job only": (
        'quote: {job: "71"}',
        {"cap/interactive": False, "cap": False, "lend": True, "long": False, "one": True},
    ),
    "a rule behind one that holds is not seen": (
        'explain: {job: "80"}',
        {"cap/interactive": False, "robots/any": True, "lend": True, "stop": True},
    ),
    "an account that nobody budgeted has the caps of the cluster": (
        'explain: {job: "81"}',
        {"cap/interactive": False},
    ),
    "a claim is judged by guards, and a freeze concerns it": (
        'authorize: {job: "71", victims: ["81"]}',
        {
            "cap/interactive": False,
            "cap": False,
            "small": True,
            "lend": True,
            "long": False,
            "one": True,
            "halt": False,
        },
    ),
    "without a claim no guard is asked": (
        'authorize: {job: "72", victims: ["81"]}',
        {"cap/interactive": False, "lend": True, "long": False, "halt": False},
    ),
    "a victim that is not there is not judged": (
        'authorize: {job: "71", victims: ["gone"]}',
        {"cap/interactive": False, "cap": False, "lend": True, "long": False, "one": True, "halt": False},
    ),
    "usage weighs every account": (
        "usage: {pool: h100}",
        {"cap/interactive": False, "robots/any": True, "lend": True, "stop": True},
    ),
}


@pytest.mark.parametrize(("ask", "wanted"), SEEN.values(), ids=SEEN)
def test_a_question_sees_what_it_concerns(ask: str, wanted: dict[str, bool]) -> None:
    kind = ask.partition(":")[0]
    expect = {"usage": "{accounts: {/language: {share: 61%}}}"}.get(kind, "{reasons: [funded]}")
    (case,), findings = read(f"{HEAD}      {ask}\n      expect: {expect}\n", POLICY_WITH_ALL)
    assert not findings
    answered = run_case(POLICY_WITH_ALL, case).answered
    assert answered is not None
    covered = coverage(POLICY_WITH_ALL, [answered])
    assert {one.name: bool(one.held) for one in covered if one.held or one.not_held} == wanted


def test_a_plan_judges_all_that_run() -> None:
    text = f'{HEAD}      plan: {{job: "71"}}\n      expect: {{outcome: refused}}\n'
    (case,), _ = read(text, POLICY_WITH_ALL)
    result = run_case(POLICY_WITH_ALL, case)
    assert result.passed
    assert result.answered is not None
    (guard,) = (one for one in coverage(POLICY_WITH_ALL, [result.answered]) if one.kind == "guard")
    assert (guard.held, guard.not_held, guard.complete) == (1, 0, False)
