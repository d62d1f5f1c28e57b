"""The laws notice when a record breaks them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from policyctl.model.jobs import Outcome
from policyctl.sim.laws import laws
from policyctl.sim.record import Record, Run
from tests.decide.small import hours, job
from tests.decide.small import policy as small_policy
from tests.sim.cases import run, task

Tamper = Callable[[list[Run]], None]


def of_first(**changes: object) -> Tamper:
    def tamper(runs: list[Run]) -> None:
        runs[0] = replace(runs[0], **changes)  # type: ignore[arg-type]

    return tamper


def twice(runs: list[Run]) -> None:
    runs.append(replace(runs[-1], attempt=runs[-1].attempt + 1))


def earlier(runs: list[Run]) -> None:
    runs[0] = replace(runs[0], start=runs[0].start - 60, computed=runs[0].computed + 60)


def longer(runs: list[Run]) -> None:
    runs[1] = replace(runs[1], end=runs[1].end + 60, computed=runs[1].computed + 60)


CASES: dict[str, tuple[Tamper, str]] = {
    "ran-after-it-was-done": (twice, "ran again after it was done"),
    "ran-before-it-came": (earlier, "ran before it came"),
    "too-many-on-a-node": (longer, "node 0 held 16000 of 8000"),
    "other-gpus-than-asked": (of_first(placement=((0, 4000),)), "did not hold the GPUs"),
    "time-that-is-neither-kept-nor-lost": (of_first(computed=0), "kept 0 and lost"),
    "preempted-while-protected": (of_first(funded=True, protection=hours(9)), "while it was protected"),
    "lost-more-than-was-unsaved": (of_first(computed=0, lost=hours(1.5)), "to preemption instead of 1800"),
    "charged-for-less-than-it-ran": (of_first(funded=True), "was charged"),
}


@pytest.mark.parametrize(("tamper", "expected"), CASES.values(), ids=CASES)
def test_a_broken_law_is_said(tamper: Tamper, expected: str) -> None:
    policy = small_policy()
    spare = task(job("spare", "/b", gpus=8, submit=0), 4, every=1)
    paid = task(job("paid", "/a", gpus=8, submit=hours(1.5), wants=hours(1)), 1)
    simulation = run(policy, [spare, paid], length=24)
    assert laws(simulation, policy) == ()
    record: Record = simulation.pools["p"].record
    assert record.runs[0].outcome is Outcome.PREEMPTED
    tamper(record.runs)
    broken = laws(simulation, policy)
    assert any(expected in one for one in broken), broken
