"""Which jobs are preempted for that one: the order of preference, and nobody too many."""

from __future__ import annotations

import pytest

from policyctl.decide.preempt import Preemptor
from policyctl.model.decisions import Authorization
from policyctl.model.jobs import ClusterState, Job
from policyctl.model.policy import Policy
from tests.decide.small import FREEZE, NOW, ask, cap, exception, job, policy, state

THIRDS = policy({"/": {"a": "1/3", "b": "1/3", "c": "1/3"}})


def plan(there: ClusterState, some: Policy = THIRDS) -> Authorization:
    return Preemptor(ask(some, there)).plan("asks")


def victims(there: ClusterState, some: Policy = THIRDS) -> list[str]:
    return [one.job for one in plan(there, some).victims]


def asks(gpus: float = 4, nodes: int = 1) -> Job:
    return job("asks", "/a", gpus=gpus, nodes=nodes, wants=60)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param(
            job("spare", "/b", gpus=4, start=-900),
            job("paid", "/c", gpus=4, start=-900, wants=1),
            id="opportunistic work",
        ),
        pytest.param(
            job("b", "/b", gpus=4, start=-900, wants=1),
            job("c", "/c", gpus=4, start=-899, wants=1),
            id="furthest ahead",
        ),
        pytest.param(
            job("x", "/b", gpus=4, start=-900, checkpoint=-5),
            job("w", "/b", gpus=4, start=-10),
            id="least work at risk",
        ),
        pytest.param(
            job("x", "/b", gpus=4, start=-10, checkpoint=-5),
            job("w", "/b", gpus=4, start=-20, checkpoint=-5),
            id="latest start",
        ),
        pytest.param(job("w", "/b", gpus=4, start=-10), job("x", "/b", gpus=4, start=-10), id="id"),
        pytest.param(
            job("x", "/c", gpus=4, start=-900),
            job("w", "/a", gpus=4, start=-9),
            id="ones own account comes last",
        ),
    ],
)
def test_the_first_to_go_is(one: Job, other: Job) -> None:
    for jobs in ((one, other), (other, one)):
        assert victims(state(asks(), *jobs)) == [one.id]


def test_nobody_goes_where_the_job_fits() -> None:
    answer = plan(state(asks(), job("spare", "/b", gpus=4, start=-9)))
    assert (answer.outcome, answer.victims) == ("granted", ())
    assert answer.reasons[0].code == "fits_without_preemption"


def test_nobody_goes_for_a_job_that_would_still_wait() -> None:
    there = state(
        asks(8), job("spare", "/b", gpus=4, start=-9), job("paid", "/c", gpus=4, start=-9, wants=60)
    )
    answer = plan(there)
    assert (answer.outcome, answer.victims, answer.retry_at) == ("refused", (), NOW + 51)


def test_who_turns_out_not_to_be_needed_stays() -> None:
    small = [job(f"s{number}", "/b", gpus=1, start=-number) for number in range(1, 5)]
    assert victims(state(asks(4), *small, job("large", "/b", gpus=4, start=-100))) == ["s1", "s2", "s3", "s4"]
    assert victims(state(asks(4), *small[:3], job("large", "/b", gpus=5, start=-100))) == ["large"]


def test_a_job_over_two_nodes_goes_as_one() -> None:
    gang = job("gang", "/b", gpus=8, nodes=2, start=-9, on={"p-1": 4, "p-2": 4})
    wall = job("wall", "/b", gpus=8, nodes=2, start=-9, wants=60, on={"p-1": 4, "p-2": 4})
    assert victims(state(asks(4), gang, wall), policy(nodes=2)) == ["gang"]


def test_room_on_many_nodes_is_not_room_on_one() -> None:
    scattered = [job(f"s{node}", "/b", gpus=4, start=-node, on={f"p-{node}": 4}) for node in (1, 2)]
    assert victims(state(asks(8), *scattered), policy(nodes=2)) == ["s1"]
    assert victims(state(asks(8, nodes=2), *scattered), policy(nodes=2)) == []


def test_a_job_that_stays_in_one_block_needs_its_nodes_there() -> None:
    there = [job(f"s{node}", "/b", gpus=8, start=-node, on={f"p-{node}": 8}) for node in (2, 3)]
    some = policy(nodes=4, block_nodes=2)
    anywhere = job("asks", "/a", gpus=16, nodes=2, wants=60)
    together = job("asks", "/a", gpus=16, nodes=2, wants=60, block=True)
    assert victims(state(anywhere, *there), some) == []
    assert victims(state(together, *there), some) == ["s2"]


def test_nodes_named_differently_take_the_places_that_nobody_names() -> None:
    there = state(
        asks(8),
        job("s", "/b", gpus=4, start=-9, on={"gpu-a": 4}),
        job("t", "/b", gpus=4, start=-8, on={"gpu-b": 4}),
    )
    assert victims(there, policy(nodes=2)) == ["t"]
    assert victims(there, policy(nodes=3)) == []


def test_without_placements_sums_count_and_the_answer_says_so() -> None:
    scattered = [job(f"s{number}", "/b", gpus=4, start=-number) for number in (1, 2, 3)]
    answer = plan(state(asks(8), *scattered), policy(nodes=2))
    assert [one.job for one in answer.victims] == ["s1"]
    assert "placement_unknown" in {reason.code for reason in answer.reasons}


def test_a_plan_that_waits_is_tried_again_when_enough_refusals_have_lapsed() -> None:
    there = [
        job("p1", "/b", gpus=4, start=-9, wants=60),
        job("p2", "/c", gpus=4, start=-9, wants=90),
        job("p3", "/a", "you", gpus=0, start=-900, wants=1),
    ]
    assert plan(state(asks(4), *there)).retry_at == NOW + 51
    assert plan(state(asks(8), *there)).retry_at == NOW + 81


def test_behind_a_freeze_a_victim_that_is_not_behind_has_no_time() -> None:
    some = policy(exceptions=[exception(FREEZE, since=-1, until=500)])
    level = state(asks(8), job("paid", "/b", gpus=8, start=-10, wants=1))
    assert plan(level, some).retry_at is None
    assert plan(state(asks(8), job("spare", "/b", gpus=8, start=-10)), some).retry_at == NOW + 500


def test_a_job_too_large_for_the_pool_is_told_so() -> None:
    assert plan(state(asks(9))).reasons[0].code == "never_fits"


def test_an_opportunistic_job_waits_its_turn() -> None:
    answer = plan(state(job("asks", "/a", gpus=8), job("spare", "/b", gpus=8, start=-9)))
    assert (answer.outcome, answer.reasons[0].code) == ("refused", "preemptor_opportunistic")


def test_a_rule_that_faults_on_the_asking_job_is_an_error() -> None:
    some = policy(caps=[cap("/", "4h", team=('job.labels["team"] == "x"', "1h"))])
    for gpus in (4, 9):
        answer = plan(state(asks(gpus), job("spare", "/b", gpus=8, start=-9)), some)
        assert (answer.outcome, answer.victims) == ("error", ())
        assert "rule_failed" in {reason.code for reason in answer.reasons}
