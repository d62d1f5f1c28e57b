"""The same workload under more or less load, and with the luck of its arrivals."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest

from policyctl.model.workload import Stream, Workload
from policyctl.sim.pressure import jittered, loaded
from policyctl.units import Instant, Seconds
from tests.sweep.small import START, task, workload

MANY = workload(
    *(task(f"j{number:03d}", number / 10, 1) for number in range(400)),
    streams=(Stream(tasks=(task("s", 0, 1),), depth=3, first=Instant(START)),),
)


def ids(one: Workload) -> set[str]:
    return {each.job.id for each in one.tasks}


@pytest.mark.parametrize("load", ["1/4", "1/2", "1", "3/2", "5/2"])
def test_load_is_the_number_of_jobs_on_average(load: str) -> None:
    made = loaded(MANY, Fraction(load), seed=1)
    assert len(made.tasks) == pytest.approx(400 * Fraction(load), rel=0.15)
    assert len(ids(made)) == len(made.tasks)
    assert (made.start, made.end) == (MANY.start, MANY.end)


def test_a_larger_load_has_all_that_a_smaller_one_has() -> None:
    loads = [Fraction(number, 4) for number in range(1, 10)]
    made = [ids(loaded(MANY, load, seed=3)) for load in loads]
    assert all(small <= large for small, large in pairwise(made))


def test_copies_come_with_what_they_copy() -> None:
    made = loaded(MANY, Fraction(2), seed=1)
    assert [each.job.submit for each in made.tasks[:4]] == [START, START, START + 360, START + 360]
    assert made.tasks[1].job.id == "j000~2"


def test_streams_keep_a_deeper_queue() -> None:
    assert [loaded(MANY, load, seed=1).streams[0].depth for load in (Fraction(1, 9), Fraction(3, 2))] == [
        1,
        5,
    ]


PACED = Stream(
    tasks=tuple(task(f"p{number:03d}", number / 10, 1) for number in range(400)),
    depth=3,
    first=Instant(START),
)


def test_a_queue_whose_tasks_have_their_hours_gets_more_of_them_and_no_more_places() -> None:
    (made,) = loaded(workload(streams=(PACED,)), Fraction(3, 2), seed=1).streams
    assert made.depth == 3
    assert len(made.tasks) == pytest.approx(600, rel=0.15)
    (moved,) = jittered(workload(streams=(PACED,)), Seconds(600), seed=1).streams
    assert moved.first == START
    late = [one.job.submit - other.job.submit for one, other in zip(moved.tasks, PACED.tasks, strict=True)]
    assert min(late) == pytest.approx(0, abs=30)
    assert max(late) == pytest.approx(600, abs=30)


def test_chance_depends_on_the_seed_alone() -> None:
    first = loaded(MANY, Fraction(1, 2), seed=1)
    assert ids(first) == ids(loaded(MANY, Fraction(1, 2), seed=1))
    assert ids(first) != ids(loaded(MANY, Fraction(1, 2), seed=2))


def test_jitter_moves_every_submission_by_up_to_its_bound() -> None:
    moved = jittered(MANY, Seconds(600), seed=1)
    delays = [
        after.job.submit - before.job.submit for before, after in zip(MANY.tasks, moved.tasks, strict=True)
    ]
    assert min(delays) >= 0
    assert max(delays) <= 600
    assert len(set(delays)) > 100
    assert moved == jittered(MANY, Seconds(600), seed=1)
    assert moved != jittered(MANY, Seconds(600), seed=2)
    assert 0 <= moved.streams[0].first - START <= 600


def test_no_jitter_is_the_workload_itself() -> None:
    assert jittered(MANY, Seconds(0), seed=1) is MANY
    assert loaded(MANY, Fraction(1), seed=1) is MANY
