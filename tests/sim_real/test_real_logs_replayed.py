"""Public logs replayed under the policies of `examples/real-logs`: nothing is lost, nothing hangs, nothing is invented."""

from __future__ import annotations

from dataclasses import replace

import pytest

from policyctl.decide.live_queue import shape_of
from policyctl.model.jobs import Outcome
from policyctl.sim.laws import laws
from policyctl.sim.nodes import SimNodes
from policyctl.sim.replay import prepare
from tests.bench import logs
from tests.sim_real.slices import endless, hours_in, hours_out, simulated, text, workload

NAMES = sorted(logs.LOGS)


@pytest.mark.parametrize("name", NAMES)
def test_on_endless_capacity_hours_in_are_hours_out_and_nobody_waits(name: str) -> None:
    simulation = simulated(name, endless(logs.policy(name)))
    record = simulation.pools[name].record
    assert hours_out(simulation, name) == hours_in(name)
    assert {until - since for _, since, until in record.waits if until is not None} == {0}
    assert len(record.waits) == len(record.runs) == len(simulation.tasks(name))
    assert not record.evictions


@pytest.mark.parametrize("name", NAMES)
def test_a_log_replays_to_its_end_on_its_cluster(name: str) -> None:
    simulation = simulated(name, logs.policy(name))
    record = simulation.pools[name].record_at(simulation.now)
    ended = {run.row for run in record.runs if run.outcome in {Outcome.COMPLETED, Outcome.TIMEOUT}}
    cut = {
        run.row
        for run in record.runs
        if run.outcome is Outcome.PREEMPTED and simulation.tasks(name)[run.row].job.kind == "interactive"
    }
    assert not record.impossible
    assert ended | cut == set(range(len(simulation.tasks(name))))
    assert all(until is not None for _, _, until in record.waits)
    assert laws(simulation, logs.policy(name)) == ()


@pytest.mark.parametrize("name", ["kth", "ricc"])
def test_jobs_that_can_never_fit_are_listed_and_the_others_run(name: str) -> None:
    policy = logs.policy(name)
    narrow = replace(policy, pools=(replace(policy.pools[0], nodes=2),))
    jobs = workload(name)
    # Two nodes would take years for the whole slice: what is too large, and a hundred of what is not.
    nodes = SimNodes(narrow.pools[0])
    fits = [nodes.ever_fits(shape_of(task.job)) for task in jobs.tasks]
    few = [task for task, fit in zip(jobs.tasks, fits, strict=True) if fit][:100]
    large = [task for task, fit in zip(jobs.tasks, fits, strict=True) if not fit]
    assert large
    both = tuple(sorted([*few, *large], key=lambda task: (task.job.submit, task.job.id)))
    simulation = prepare(narrow, replace(jobs, tasks=both), seed=1)
    simulation.run()
    record = simulation.pools[name].record
    tasks = simulation.tasks(name)
    assert {tasks[row].job.id for row in record.impossible} == {task.job.id for task in large}
    assert {tasks[run.row].job.id for run in record.runs} == {task.job.id for task in few}


def test_virtual_clusters_without_a_row_of_shares_use_spare_time() -> None:
    text("philly")  # skips where the log is absent
    policy = logs.policy("philly")
    named = {share.name for share in policy.budgets[0].shares}
    header, *lines = logs.rows("philly").decode().splitlines()
    rows = [line for line in lines if line.split(",")[5] not in named]
    assert len(rows) == 18
    jobs = logs.build("philly", "\n".join([header, *rows, ""]).encode()).workload
    simulation = prepare(policy, logs.to_the_end(jobs), seed=1)
    simulation.run()
    runs = simulation.pools["philly"].record.runs
    assert len(runs) == 18
    assert not any(run.funded for run in runs)
