"""When a default of a cap and the limits that are numbers are seen to bind, and when they are seen not to."""

from __future__ import annotations

import pytest

from policyctl.testing.coverage import coverage
from policyctl.testing.run import run_case
from tests.cli.program import POLICY
from tests.policy_tests.suite import policy_of, read

NOW = "2026-09-01T12:00:00Z"
LIMITED = policy_of(
    POLICY.replace("    robotics: 1/4", "    robotics: 30%")
    .replace("halfLife: 7d}", "halfLife: 7d}\n  funding: {overdraft: 0%}")
    .replace("language: 60%", "language: 30%")
    + """\
---
apiVersion: policyctl/v1
kind: Preemption
metadata: {name: preemption}
spec:
  hysteresis: 5%
  perJob: {max: 1, within: 24h}
  perPool: {maxGpuHoursPerHour: 16}
"""
)


EXPECT = {"usage": "{accounts: {/language: {share: 30%}}}", "rank": "{order: [waits]}"}


def asked(question: str, state: str = "") -> dict[str, tuple[int, int | None]]:
    """Return how often each limit and default was seen, by one case over a node with a job that runs on it."""
    text = f"""\
apiVersion: policyctl/v1
kind: PolicyTest
metadata: {{name: seen}}
spec:
  now: "{NOW}"
  state:
    nodes: [{{name: n1, pool: h100, gpus: 8}}]
    jobs:
      - {{id: waits, account: /robotics, user: u, pool: h100, gpus: 8, submit: "{NOW}", min_runtime: 1h}}
      - id: runs
        account: /language
        user: v
        pool: h100
        gpus: 8
        submit: "2026-09-01T10:00:00Z"
        start: "2026-09-01T10:00:00Z"
        placement: {{n1: 8}}
{state}
  cases:
    - name: it
      {question}
      expect: {EXPECT.get(question.partition(":")[0], "{reasons: [funded]}")}
"""
    (case,), findings = read(text, LIMITED)
    assert not findings
    answered = run_case(LIMITED, case).answered
    assert answered is not None
    return {
        one.name: (one.held, one.not_held)
        for one in coverage(LIMITED, [answered])
        if one.kind in {"default", "limit"} and (one.held or one.not_held)
    }


def past(account: str, end: str, outcome: str = "completed", gpus: int = 8, more: str = "") -> str:
    return f"""\
    usage:
      - job: past
        account: {account}
        user: u
        pool: h100
        gpus: {gpus}
        start: "2026-09-01T10:00:00Z"
        end: "{end}"
        outcome: {outcome}
{more}"""


def quoted(runtime: str, more: str = "") -> str:
    return f"quote: {{account: /robotics, user: u, pool: h100, gpus: 8, min_runtime: {runtime}{more}}}"


AUTHORIZE = "authorize: {job: waits, victims: [runs]}"
PROTECTED = "        min_runtime: 1h"
SEEN = {
    "a default that leaves less than is declared binds": (quoted("9h"), "", {"cap": (1, 0)}),
    "one that leaves it all does not": (quoted("4h"), "", {"cap": (0, 1)}),
    "nor does it where a rule holds": (quoted("9h", ", kind: interactive"), "", {"cap": (0, 1)}),
    "a job that declares nothing says nothing of it": (
        "quote: {account: /robotics, user: u, pool: h100, gpus: 8}",
        "",
        {},
    ),
    "limits do not bind on one small victim": (
        AUTHORIZE,
        "",
        {"cap": (0, 1), "perJob": (0, 1), "perPool": (0, 1)},
    ),
    "a job that was preempted today": (
        AUTHORIZE,
        '        preemptions: ["2026-09-01T09:00:00Z"]',
        {"cap": (0, 1), "perJob": (1, 0), "perPool": (0, 1)},
    ),
    "a pool that lost enough within the hour": (
        AUTHORIZE,
        past("/robotics", "2026-09-01T11:30:00Z", "preempted"),
        {"cap": (0, 1), "perJob": (0, 1), "perPool": (1, 0)},
    ),
    "a margin that keeps a victim": (
        AUTHORIZE,
        f"{PROTECTED}\n{past('/robotics', '2026-09-01T10:57:00Z', more=PROTECTED)}",
        {"cap": (0, 1), "hysteresis": (1, 0), "perJob": (0, 1), "perPool": (0, 1)},
    ),
    "a victim that is kept without any margin says nothing of it": (
        AUTHORIZE,
        f"{PROTECTED}\n{past('/robotics', '2026-09-01T11:57:00Z', more=PROTECTED)}",
        {"cap": (0, 1), "perJob": (0, 1), "perPool": (0, 1)},
    ),
    "a victim that is taken in spite of it": (
        AUTHORIZE,
        PROTECTED,
        {"cap": (0, 1), "hysteresis": (0, 1), "perJob": (0, 1), "perPool": (0, 1)},
    ),
}


@pytest.mark.parametrize(("question", "state", "wanted"), SEEN.values(), ids=SEEN)
def test_a_limit_is_seen(question: str, state: str, wanted: dict[str, tuple[int, int]]) -> None:
    seen = asked(question, state)
    assert {name: found for name, found in seen.items() if name != "overdraft"} == wanted


@pytest.mark.parametrize(
    ("question", "gpus", "wanted"),
    [
        (quoted("1h"), 8, (0, 1)),
        (quoted("1h"), 700, (1, 0)),
        ('quote: {job: "waits"}', 700, (1, 0)),
        ("rank: {pool: h100}", 700, (1, 0)),
        ("rank: {pool: h100}", 8, (0, 1)),
        ('explain: {job: "runs"}', 700, None),
        ("usage: {pool: h100}", 700, None),
    ],
    ids=[
        "a quote within",
        "a quote beyond",
        "a known job beyond",
        "a ranking beyond",
        "a ranking within",
        "a job that runs says nothing",
        "usage says nothing",
    ],
)
def test_the_overdraft_is_seen_on_jobs_that_wait(
    question: str, gpus: int, wanted: tuple[int, int] | None
) -> None:
    # 0 % over what 704 GPUs give 30 % of: 700 GPUs for eight days are beyond it.
    state = past("/robotics", "2026-09-01T10:00:01Z", gpus=gpus, more=PROTECTED)
    state = state.replace("2026-09-01T10:00:00Z", "2026-08-24T10:00:00Z")
    assert asked(question, state).get("overdraft") == wanted
