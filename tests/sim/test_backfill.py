"""Backfill by time limits: the first of the line starts no later for whoever passes it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from policyctl.decide.live import Trial
from policyctl.model.jobs import Job
from policyctl.model.policy import Policy, Pool
from policyctl.model.workload import IncidentKind, Task
from policyctl.sim.baseline_backfill import BackfillLane
from policyctl.sim.baseline_order import Key, by_label
from policyctl.sim.baselines import labels
from policyctl.units import Instant
from tests.decide.small import job
from tests.decide.small import policy as small_policy
from tests.sim.cases import down, run, starts, task
from tests.sim.easy import Ask, easy

POLICY = small_policy()
HALF = task(job("half", gpus=4, submit=0), 2, limit=3)
LARGE = task(job("large", gpus=8, submit=10), 1, limit=1)


@pytest.mark.parametrize(
    ("passing", "begins"),
    [
        (task(job("small", gpus=4, submit=3600), 1, limit=2), 1),
        (task(job("small", gpus=4, submit=3600), 1, limit=2.01), 3),
        (task(job("small", gpus=4, submit=3600), 1), 3),
        (task(job("small", gpus=5, submit=3600), 1, limit=1), 3),
    ],
    ids=["ends-in-time", "may-end-too-late", "without-a-limit", "does-not-fit"],
)
def test_a_job_passes_the_first_where_its_limit_says_that_it_ends_in_time(passing: Task, begins: int) -> None:
    assert starts(run(POLICY, [HALF, LARGE, passing], length=9, lane=labels)) == {
        "half": [0],
        "large": [2],
        "small": [begins],
    }


def test_a_job_that_stays_passes_where_the_first_will_have_room_beside_it() -> None:
    six = task(job("six", gpus=6, submit=0), 2, limit=3)
    first = task(job("first", gpus=7, submit=10), 1, limit=1)
    stays = [task(job(f"stays{number}", gpus=1, submit=20 + number), 5) for number in range(2)]
    found = starts(run(POLICY, [six, first, *stays], length=9, lane=labels))
    assert (found["first"], found["stays0"], found["stays1"]) == ([2], [20 / 3600], [3])


def test_a_higher_label_goes_first_and_takes_the_place_in_time() -> None:
    urgent = task(job("urgent", gpus=8, submit=60, priority=9), 1, limit=1)
    found = starts(run(POLICY, [HALF, LARGE, urgent], length=9, lane=labels))
    assert (found["urgent"], found["large"]) == ([2], [3])


def test_whoever_never_starts_holds_nobody_up() -> None:
    endless = task(job("endless", gpus=4, submit=0), 90)
    small = task(job("small", gpus=4, submit=20), 50)
    assert starts(run(POLICY, [endless, LARGE, small], length=9, lane=labels)) == {
        "endless": [0],
        "small": [20 / 3600],
    }


def test_a_drained_node_keeps_the_first_waiting_and_nobody_else() -> None:
    two = small_policy(nodes=2)
    wide = task(job("wide", gpus=16, nodes=2, submit=0), 1, limit=1)
    small = task(job("small", gpus=8, submit=20), 1, limit=1)
    incident = down(IncidentKind.DRAIN, 1, at=0, until=4)
    found = starts(run(two, [wide, small], length=9, lane=labels, incidents=[incident]))
    assert found == {"small": [20 / 3600], "wide": [4]}


def test_what_a_job_with_a_higher_label_took_meanwhile_is_no_longer_room_beside_the_first() -> None:
    first = task(job("first", gpus=6, submit=10), 1, limit=1)
    urgent = task(job("urgent", gpus=2, submit=20, priority=9), 5, limit=5)
    small = task(job("small", gpus=2, submit=30), 5, limit=5)
    found = starts(run(POLICY, [HALF, first, urgent, small], length=19, lane=labels))
    assert found == {"half": [0], "first": [2], "urgent": [20 / 3600], "small": [3]}


@pytest.mark.parametrize("kind", IncidentKind)
def test_a_node_that_went_meanwhile_is_no_longer_room_beside_the_first(kind: IncidentKind) -> None:
    busy = [task(job(f"busy{number}", gpus=8, submit=0), 5, limit=6) for number in range(2)]
    first = task(job("first", gpus=24, nodes=3, submit=600), 1, limit=1)
    small = task(job("small", gpus=8, submit=7200), 9, limit=9)
    incident = down(kind, 3, at=1, until=20)
    found = starts(
        run(small_policy(nodes=4), [*busy, first, small], length=40, lane=labels, incidents=[incident])
    )
    assert (found["first"], found["small"]) == ([5], [6])


ASKS = st.lists(
    st.builds(
        Ask,
        priority=st.sampled_from([0, 1, 2]),
        submit=st.integers(0, 12),
        gpus=st.integers(1, 8),
        work=st.integers(1, 14),
        spare=st.one_of(st.none(), st.integers(0, 4)),
    ),
    max_size=12,
)


@settings(max_examples=300, deadline=None)
@given(ASKS)
def test_one_node_does_what_the_textbook_says(asks: list[Ask]) -> None:
    """A slow simulation that counts GPUs gives the same starts."""
    tasks = [
        task(
            job(f"{number:02d}", gpus=ask.gpus, submit=3600 * ask.submit, priority=ask.priority),
            ask.work,
            limit=None if ask.spare is None else ask.work + ask.spare,
        )
        for number, ask in enumerate(asks)
    ]
    found = starts(run(POLICY, tasks, length=200, lane=labels))
    assert found == {f"{number:02d}": [at] for number, at in enumerate(easy(asks, gpus=8))}


class _Promising(BackfillLane):
    """Remembers the first instant at which each job was told that it can start."""

    def __init__(self, jobs: Sequence[Job], key: Callable[[Job], Key]) -> None:
        super().__init__(jobs, key)
        self.promised: dict[int, int] = {}

    def plan(
        self, row: int, now: Instant, trial: Trial, *, lost: int, kept: Collection[int]
    ) -> list[int] | None:
        found = super().plan(row, now, trial, lost=lost, kept=kept)
        place = self._place
        assert place is not None
        assert place.at is not None
        self.promised.setdefault(row, place.at)
        return found


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.integers(0, 5),
            st.sampled_from([(1, 1), (3, 1), (8, 1), (8, 2), (16, 2), (24, 3)]),
            st.integers(1, 5),
            st.integers(0, 4),
            st.booleans(),
        ),
        max_size=14,
    )
)
def test_the_first_of_the_line_starts_when_it_was_promised_or_sooner(
    asks: list[tuple[int, tuple[int, int], int, int, bool]],
) -> None:
    """Over nodes and blocks, whatever passes; labels are alike, so nobody comes before it."""
    lanes: list[_Promising] = []

    def lane(policy: Policy, pool: Pool, jobs: Sequence[Job], start: Instant) -> _Promising:
        lanes.append(_Promising(jobs, by_label))
        return lanes[0]

    some = small_policy(nodes=4, block_nodes=2)
    tasks = [
        task(
            job(f"{number:02d}", gpus=gpus, nodes=nodes, submit=3600 * submit, block=block and nodes == 2),
            work,
            limit=work + spare,
        )
        for number, (submit, (gpus, nodes), work, spare, block) in enumerate(asks)
    ]
    simulation = run(some, tasks, length=200, lane=lane)
    began = {one.row: one.start for one in simulation.pools["p"].record.runs}
    assert len(began) == len(asks)
    assert all(began[row] <= at for row, at in lanes[0].promised.items())
