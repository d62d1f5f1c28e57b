"""Losses, waits, nodes, sessions, protection and returns: cases worked by hand."""

from __future__ import annotations

from dataclasses import replace

from policyctl.model.measures import Drain, LongestWait, Recovery, UserProtection, WaitStatistics
from policyctl.model.policy import Policy
from policyctl.model.workload import IncidentKind
from policyctl.sim.baselines import fifo
from policyctl.units import Seconds
from tests.decide.small import NOW, hours, job
from tests.decide.small import policy as small_policy
from tests.sim.cases import down, group, measured, task

POLICY = small_policy()


def with_notice(policy: Policy, seconds: int) -> Policy:
    return replace(policy, preemption=replace(policy.preemption, notice=Seconds(seconds)))


SPARE = task(job("spare", "/b", gpus=8, submit=0), 4, every=1, overhead=600)
PAID = task(job("paid", "/a", gpus=8, submit=hours(1.5), wants=hours(1)), 1)


def test_work_lost_is_what_was_not_saved_and_the_restart() -> None:
    found = measured(POLICY, SPARE, PAID, length=24)
    lost = group(found, "/b")
    assert lost.lost == 8 * 0.5 + 8 * 600 / 3600
    assert (lost.preemptions, lost.preempted_jobs, lost.most_preemptions) == (1, 1, 1)
    assert (lost.restarts, lost.restarts_ok, lost.restarts_failed) == (1, 1, 0)
    assert lost.completed == 1
    assert [(day.day, day.preemptions, day.lost) for day in found.preemption_days] == [(0, 1, 4.0)]


def test_delivered_time_is_split_by_contract() -> None:
    found = measured(POLICY, SPARE, PAID, length=24)
    assert (found.overall.funded, found.overall.opportunistic) == (8, 8 * (1.5 + 3 + 600 / 3600))
    assert found.overall.delivered == found.overall.funded + found.overall.opportunistic


def test_enough_notice_saves_the_work() -> None:
    quick = replace(SPARE, save_time=Seconds(300))
    found = measured(with_notice(POLICY, 600), quick, PAID, length=24)
    assert group(found, "/b").lost == 8 * 600 / 3600


def test_a_session_that_is_cut_is_counted_with_its_warning() -> None:
    session = task(job("notebook", "/b", gpus=8, submit=0), 4, session=True)
    found = measured(with_notice(POLICY, 600), session, PAID, length=24).interactive
    assert (found.sessions, found.started, found.completed, found.cut, found.cut_protected) == (1, 1, 0, 1, 0)
    assert (found.shortest_warning, found.median_warning) == (600, 600)


def test_a_session_whose_node_fails_had_no_warning_and_may_have_been_protected() -> None:
    session = task(job("notebook", "/b", gpus=8, submit=0, wants=hours(4)), 4, session=True)
    failure = down(IncidentKind.FAIL, 0, at=1, until=2)
    found = measured(POLICY, session, length=24, incidents=[failure]).interactive
    assert (found.cut, found.cut_protected, found.shortest_warning) == (1, 1, 0)


def test_gpus_that_wait_for_a_planned_start_are_claimed_and_no_fragmentation() -> None:
    three = with_notice(small_policy(nodes=3, gpus_per_node=4), 600)
    spare = [task(job(f"spare{number}", "/b", gpus=2.5, submit=0), 4) for number in range(3)]
    paid = task(job("paid", "/a", gpus=3, submit=hours(1), wants=hours(1)), 1)
    (pool,) = measured(three, *spare, paid, length=1 + 600 / 3600).pools
    # Of the node that is freed 1.5 GPUs stand empty for ten minutes; 3 more idle elsewhere would fit the job packed.
    assert pool.claimed == 1.5 / 6
    assert pool.fragmentation == 0


def test_idle_gpus_are_fragmented_while_a_job_waits_that_would_fit_packed() -> None:
    two = small_policy(nodes=2, gpus_per_node=4)
    spread = [task(job(f"spread{number}", "/b", gpus=3, submit=0), 4) for number in range(2)]
    waits = task(job("waits", "/a", gpus=2, submit=hours(1)), 1)
    (pool,) = measured(two, *spread, waits, length=10, lane=fifo).pools
    assert pool.fragmentation == 2 * 3
    assert pool.occupied == 3 * 4 * 2 + 2


def test_nodes_out_of_service_are_not_on_offer_but_what_still_runs_there_is() -> None:
    two = small_policy(nodes=2, gpus_per_node=4)
    first = task(job("first", "/a", gpus=3, submit=0), 2)
    drained = down(IncidentKind.DRAIN, 0, at=1, until=6)
    (pool,) = measured(two, first, length=10, incidents=[drained]).pools
    assert pool.capacity == 80
    assert pool.offered == 80 - 5 * 4 + 3
    assert pool.drains == (
        Drain(pool="p", nodes=1, at=NOW + hours(1), until=NOW + hours(6), seconds=hours(1)),
    )


def test_a_node_that_was_never_empty_was_not_drained() -> None:
    drained = down(IncidentKind.DRAIN, 0, at=1, until=1.5)
    (pool,) = measured(POLICY, task(job("first", "/a", submit=0), 2), length=10, incidents=[drained]).pools
    assert [one.seconds for one in pool.drains] == [None]


def test_waits_are_nearest_ranks_and_jobs_that_never_started_count() -> None:
    one_gpu = small_policy(gpus_per_node=1)
    tasks = [task(job(f"j{number}", "/a", submit=0), 100 / 3600) for number in range(10)]
    done = measured(one_gpu, *tasks, length=1).wait(account="/a", size="<=1", klass="opportunistic")
    assert done == WaitStatistics(jobs=10, never_started=0, median=400, p90=800, p99=900, longest=900)
    half = measured(one_gpu, *tasks, length=450 / 3600)
    assert half.wait() == WaitStatistics(jobs=10, never_started=5, median=400, p90=450, p99=450, longest=450)
    assert half.longest_waits == (
        LongestWait(size="<=1", job="j5", pool="p", account="/a", since=NOW, seconds=450, still_waiting=True),
    )


def test_the_class_of_a_wait_is_the_policys_whoever_decides() -> None:
    found = measured(POLICY, PAID, SPARE, length=24, lane=fifo)
    funded = found.wait(klass="funded")
    assert funded is not None
    assert (funded.jobs, funded.longest) == (1, hours(2.5))
    assert found.overall.funded == 0


def test_protection_that_was_bought_and_not_used() -> None:
    found = measured(POLICY, task(job("short", "/a", gpus=4, submit=0, wants=hours(2)), 1), length=24)
    assert found.users == (UserProtection(account="/a", user="u", runs=1, bought=8, used=4, unused=4),)
    assert group(found, "/a").protection_unused == 4


def test_protection_that_the_cluster_took_away_is_not_unused() -> None:
    lasting = task(job("lasting", "/a", gpus=4, submit=0, wants=hours(2)), 2)
    failure = down(IncidentKind.FAIL, 0, at=1, until=23)
    found = measured(POLICY, lasting, length=22, incidents=[failure])
    assert (found.users[0].used, found.users[0].unused) == (4, 0)


def test_a_program_that_returns_has_its_share_once_one_job_more_would_exceed_it() -> None:
    ends = (24.1, 24.1, 24.1, 24.2, 25, 25, 25, 25)
    others = [task(job(f"other{number}", "/b", submit=0), end) for number, end in enumerate(ends)]
    back = [task(job(f"back{number}", "/a", submit=hours(24)), 20) for number in range(5)]
    found = measured(POLICY, *others, *back, length=30, lane=fifo)
    # At 24.1 h it holds three of its four GPUs, at 24.2 h all of them.
    assert found.recoveries == (
        Recovery(
            pool="p", account="/a", idle=hours(24), returned=NOW + hours(24), seconds=hours(24.2) - hours(24)
        ),
    )


def test_a_program_that_was_away_for_less_than_a_day_does_not_return() -> None:
    assert measured(POLICY, task(job("late", "/a", submit=hours(24) - 1), 1), length=30).recoveries == ()


def test_series_hold_mean_gpus_and_weighted_use() -> None:
    (series,) = measured(POLICY, task(job("first", "/a", gpus=4, submit=0), 2), length=4).series
    assert (series.width, series.bins) == (60, 240)
    (mine, other) = series.programs
    assert mine.account == "/a"
    assert set(mine.occupied[:120]) == {4.0}
    assert set(mine.occupied[120:]) == {0.0}
    assert (mine.usage[119], mine.usage[239]) == (0.5, 0.25)
    assert set(mine.share) == {0.5}
    assert set(other.occupied) == {0.0}
    assert set(series.offered) == {8.0}


def test_nothing_is_measured_of_a_simulation_that_has_not_begun() -> None:
    found = measured(POLICY, SPARE, length=0)
    assert (found.windows, found.waits, found.overall.jobs, found.occupancy) == ((), (), 0, None)
    assert found.series[0].bins == 0
