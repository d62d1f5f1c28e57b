"""Queues that people keep: a task comes when there is room for it, and not before its time."""

from __future__ import annotations

import pytest

from policyctl.model.workload import Stream, Workload
from policyctl.sim.replay import prepare
from policyctl.units import Instant, Seconds
from tests.decide.small import NOW, hours, job
from tests.decide.small import policy as small_policy
from tests.sim.cases import starts, task

POLICY = small_policy()


@pytest.mark.parametrize(
    ("second", "third", "begun"),
    [(0, 0, [0, 1.5, 3]), (1, 2, [0, 1.5, 3]), (2, 3, [0, 2, 3.5]), (1, 8, [0, 1.5, 8])],
    ids=["always-there", "wanted-before-there-is-room", "wanted-later", "the-last-much-later"],
)
def test_one_at_a_time_comes_after_its_turn_and_after_its_time(
    second: int, third: int, begun: list[float]
) -> None:
    tasks = tuple(
        task(job(f"s{number}", "/a", gpus=1, submit=hours(at)), 1)
        for number, at in enumerate((0, second, third))
    )
    stream = Stream(tasks=tasks, depth=1, first=NOW, pause=Seconds(hours(0.5)))
    simulation = prepare(
        POLICY, Workload(start=NOW, end=Instant(NOW + hours(20)), tasks=(), streams=(stream,)), seed=0
    )
    simulation.run()
    assert starts(simulation) == {f"s{number}": [at] for number, at in enumerate(begun)}


def test_places_that_are_free_are_taken_at_the_time_of_each_task() -> None:
    tasks = tuple(task(job(f"s{at}", "/a", gpus=1, submit=hours(at)), 9) for at in (1, 2, 3))
    stream = Stream(tasks=tasks, depth=2, first=NOW)
    simulation = prepare(
        POLICY, Workload(start=NOW, end=Instant(NOW + hours(30)), tasks=(), streams=(stream,)), seed=0
    )
    simulation.run()
    assert starts(simulation) == {"s1": [1], "s2": [2], "s3": [10]}
