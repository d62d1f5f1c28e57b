"""Who is started, and who gives way, when nodes fail and work is at risk: cases worked by hand."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from policyctl.model.jobs import Outcome
from policyctl.model.policy import Policy, ShareGrant, SlidingWindow
from policyctl.model.workload import IncidentKind
from policyctl.units import Seconds
from tests.decide.small import NOW, exception, hours, job
from tests.decide.small import policy as small_policy
from tests.sim.cases import down, run, starts, task

POLICY = small_policy()


def with_notice(policy: Policy, seconds: int) -> Policy:
    return replace(policy, preemption=replace(policy.preemption, notice=Seconds(seconds)))


def test_a_plan_dies_with_the_node_that_it_was_made_for() -> None:
    spare = task(job("spare", "/b", gpus=8, submit=0), 10)
    paid = task(job("paid", "/a", gpus=8, submit=hours(1), wants=hours(1)), 1)
    failure = down(IncidentKind.FAIL, 0, at=1 + 300 / 3600, until=2)
    simulation = run(with_notice(POLICY, 600), [spare, paid], length=24, incidents=[failure])
    runs = simulation.pools["p"].record.runs
    assert runs[0].outcome is Outcome.NODE_FAIL
    assert runs[1].start == NOW + hours(2)


def test_the_job_that_saved_its_work_last_gives_way() -> None:
    saved = task(job("saved", "/b", gpus=4, submit=0), 9, every=1)
    unsaved = task(job("unsaved", "/b", gpus=4, submit=hours(0.5)), 9)
    paid = task(job("paid", "/a", gpus=4, submit=hours(1.25), wants=hours(1)), 1)
    simulation = run(POLICY, [saved, unsaved, paid], length=9)
    assert [one.victims for one in simulation.pools["p"].record.evictions] == [(0,)]


def test_an_overdraft_ends_what_one_decision_may_buy() -> None:
    strict = small_policy(overdraft="0", window=SlidingWindow(length=Seconds(hours(2))))
    jobs = [task(job(f"j{number}", "/a", submit=0, wants=hours(9)), 1) for number in range(3)]
    simulation = run(strict, jobs, length=0.5)
    record = simulation.pools["p"].record_at(simulation.now)
    # Half of eight GPUs over two hours are eight GPU-hours: the first job commits nine of them.
    assert sorted(one.funded for one in record.runs) == [False, False, True]


def test_a_planned_start_keeps_the_protection_that_it_paid_for() -> None:
    strict = with_notice(small_policy(overdraft="0", window=SlidingWindow(length=Seconds(hours(2)))), 600)
    spare = task(job("spare", "/b", gpus=8, submit=0), 9)
    paid = task(job("paid", "/a", gpus=8, submit=hours(1), wants=hours(9)), 1)
    simulation = run(strict, [spare, paid], length=1.5)
    record = simulation.pools["p"].record_at(simulation.now)
    assert [one.funded for one in record.runs if one.row == 1] == [True]
    assert starts(simulation)["paid"] == [1 + 600 / 3600]


def test_shares_that_only_an_exception_named_may_end() -> None:
    lent = exception(ShareGrant(to="/a/new", source="/b", add=Fraction(1, 10)), until=hours(1))
    jobs = [task(job("before", "/a", submit=0), 1), task(job("after", "/a", submit=hours(2)), 1)]
    simulation = run(small_policy(exceptions=[lent]), jobs, length=9)
    assert starts(simulation) == {"after": [2], "before": [0]}
