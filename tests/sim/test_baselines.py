"""The baselines start what their own rule says, and never preempt."""

from __future__ import annotations

import pytest

from policyctl.decide.standing import Timeline
from policyctl.model.workload import Task
from policyctl.sim.baseline_partitions import quotas
from policyctl.sim.baselines import BASELINES, fairshare, fifo, labels, labels_first_fit, partitions
from tests.decide.small import NOW, budget, hours, job
from tests.decide.small import policy as small_policy
from tests.sim.cases import run, starts, task

POLICY = small_policy()


def full(until: float, account: str = "/b") -> Task:
    """Fill the pool until an hour."""
    return task(job("full", account, "w", gpus=8, submit=0), until)


def test_fifo_starts_in_order_of_submission_whatever_the_label() -> None:
    later = task(job("later", "/a", gpus=8, submit=20, priority=9), 1)
    sooner = task(job("sooner", "/b", gpus=8, submit=10), 1)
    assert starts(run(POLICY, [full(1), later, sooner], length=9, lane=fifo)) == {
        "full": [0],
        "later": [2],
        "sooner": [1],
    }


def test_fifo_passes_a_job_that_does_not_fit() -> None:
    half = task(job("half", "/a", gpus=4, submit=0), 2)
    large = task(job("large", "/a", gpus=8, submit=10), 1)
    small = task(job("small", "/b", gpus=4, submit=3600), 1)
    assert starts(run(POLICY, [half, large, small], length=9, lane=fifo)) == {
        "half": [0],
        "large": [2],
        "small": [1],
    }


def test_labels_start_the_highest_priority_first() -> None:
    urgent = task(job("urgent", "/a", gpus=8, submit=20, priority=9), 1)
    plain = task(job("plain", "/b", gpus=8, submit=10), 1)
    found = starts(run(POLICY, [full(1), urgent, plain], length=9, lane=labels))
    assert (found["urgent"], found["plain"]) == ([1], [2])


def test_partitions_hold_a_program_to_its_quota_while_gpus_are_idle() -> None:
    jobs = [task(job(f"j{number}", "/a", gpus=2, submit=number), 1) for number in range(3)]
    found = starts(run(POLICY, jobs, length=9, lane=partitions))
    assert found == {"j0": [0], "j1": [1 / 3600], "j2": [1]}


def test_a_job_above_its_programs_quota_never_starts() -> None:
    found = starts(run(POLICY, [task(job("large", "/a", gpus=5, submit=0), 1)], length=9, lane=partitions))
    assert found == {}


def test_jobs_without_a_share_have_what_nobody_has() -> None:
    some = small_policy({"/": {"a": "1/2", "b": "1/4"}})
    jobs = [task(job(f"j{number}", f"/z{number}", gpus=2, submit=number), 1) for number in range(2)]
    assert starts(run(some, jobs, length=9, lane=partitions)) == {"j0": [0], "j1": [1]}


@pytest.mark.parametrize(
    ("shares", "expected"),
    [
        ({"a": "1/2", "b": "1/2"}, {"/a": 4000, "/b": 4000, "/": 0}),
        ({"a": "1/3", "b": "1/3", "c": "1/3"}, {"/a": 2000, "/b": 3000, "/c": 3000, "/": 0}),
        ({"a": "1/100", "b": "1/2"}, {"/a": 0, "/b": 4000, "/": 4000}),
    ],
    ids=["even", "rounding-adds-up", "less-than-a-gpu"],
)
def test_quotas_are_whole_gpus_that_add_up(shares: dict[str, str], expected: dict[str, int]) -> None:
    some = small_policy({"/": shares})
    assert quotas(Timeline(some, "p"), some.pools[0], NOW) == expected


def test_quotas_follow_the_budgets() -> None:
    changing = small_policy(
        [
            budget("/", {"a": "1/4", "b": "3/4"}, until=hours(2)),
            budget("/", {"a": "3/4", "b": "1/4"}, since=hours(2)),
        ]
    )
    jobs = [task(job(f"j{number}", "/a", gpus=2, submit=number), 9) for number in range(3)]
    assert starts(run(changing, jobs, length=9, lane=partitions)) == {"j0": [0], "j1": [2], "j2": [2]}


def test_fairshare_starts_the_program_that_had_less() -> None:
    more = task(job("more", "/b", gpus=8, submit=10, wants=hours(9), priority=9), 1)
    less = task(job("less", "/a", gpus=8, submit=20), 1)
    found = starts(run(POLICY, [full(1), more, less], length=9, lane=fairshare))
    assert (found["less"], found["more"]) == ([1], [2])


@pytest.mark.parametrize("name", BASELINES)
def test_nobody_is_preempted_or_protected(name: str) -> None:
    paid = task(job("paid", "/a", gpus=8, submit=60, wants=hours(1), priority=9), 1)
    tasks = [task(job("spare", "/b", gpus=4, submit=0), 2), paid]
    record = run(POLICY, tasks, length=9, lane=BASELINES[name]).pools["p"].record
    assert record.evictions == []
    assert {one.funded for one in record.runs} == {False}
    assert {one.protection for one in record.runs} == {0}


def test_labels_by_first_fit_pass_a_job_that_does_not_fit() -> None:
    half = task(job("half", "/a", gpus=4, submit=0), 2)
    large = task(job("large", "/a", gpus=8, submit=10, wants=hours(1)), 1)
    small = task(job("small", "/b", gpus=2, submit=20, wants=hours(1)), 1)
    found = starts(run(POLICY, [half, large, small], length=9, lane=labels_first_fit))
    assert found["small"][0] < found["large"][0]
