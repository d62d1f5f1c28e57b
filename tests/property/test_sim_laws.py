"""What no simulation may break, whoever decides; and that a simulation is a function of its policy, workload and seed."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from policyctl.sim.baselines import BASELINES
from policyctl.sim.kernel import Simulation
from policyctl.sim.laws import laws
from policyctl.sim.replay import MakeLane, policy_lane, prepare
from tests.property.strategies import EXAMPLES
from tests.sim.busy import BUSY, LENGTH, busy_world
from tests.sim.workloads import HORIZON, START, SimWorld, sim_worlds

LANES = {"policy": policy_lane, **BASELINES}


def simulated(world: SimWorld, lane: MakeLane = policy_lane, *, until: int | None = None) -> Simulation:
    simulation = prepare(world.policy, world.workload, seed=world.seed, lane=lane)
    simulation.run(until=until)
    return simulation


def by_id(simulation: Simulation) -> list[object]:
    """Return everything that the record says, with jobs by id, in an order of its own."""
    found: list[object] = []
    for name, pool in sorted(simulation.pools.items()):
        record = pool.record_at(simulation.now)
        ids = [task.job.id for task in simulation.tasks(name)]
        found += sorted((ids[run.row], run.attempt, name, str(replace(run, row=0))) for run in record.runs)
        found += sorted(("wait", name, ids[row], since, until or -1) for row, since, until in record.waits)
        found += sorted(
            ("evict", name, one.at, ids[one.row], sorted(ids[row] for row in one.victims))
            for one in record.evictions
        )
        found += sorted(("impossible", name, ids[row]) for row in record.impossible)
    return found


@pytest.mark.parametrize("lane", LANES.values(), ids=LANES)
@given(world=sim_worlds(), decay=st.booleans(), data=st.data())
@settings(max_examples=EXAMPLES // 2, deadline=None)
def test_no_law_is_broken(lane: MakeLane, world: SimWorld, decay: bool, data: st.DataObject) -> None:  # noqa: FBT001
    world = data.draw(sim_worlds(decay=True)) if decay else world
    until = START + data.draw(st.integers(1, HORIZON))
    assert laws(simulated(world, lane, until=until), world.policy) == ()
    assert laws(simulated(world, lane), world.policy) == ()


@given(
    sim_worlds(), st.sampled_from(sorted(LANES)), st.lists(st.integers(1, HORIZON), min_size=1, max_size=4)
)
@settings(max_examples=EXAMPLES, deadline=None)
def test_stopping_and_going_on_changes_nothing(world: SimWorld, name: str, stops: list[int]) -> None:
    through = simulated(world, LANES[name])
    broken = prepare(world.policy, world.workload, seed=world.seed, lane=LANES[name])
    for stop in sorted(stops):
        broken.run(until=START + stop)
    broken.run()
    assert by_id(broken) == by_id(through)


@given(sim_worlds(), st.sampled_from(sorted(LANES)), st.randoms(use_true_random=False))
@settings(max_examples=EXAMPLES, deadline=None)
def test_the_order_of_the_tasks_does_not_matter(world: SimWorld, name: str, rng: Random) -> None:
    tasks, incidents = list(world.workload.tasks), list(world.workload.incidents)
    rng.shuffle(tasks)
    rng.shuffle(incidents)
    shuffled = replace(
        world, workload=replace(world.workload, tasks=tuple(tasks), incidents=tuple(incidents))
    )
    assert by_id(simulated(shuffled, LANES[name])) == by_id(simulated(world, LANES[name]))


@given(sim_worlds(), st.sampled_from(sorted(LANES)))
@settings(max_examples=EXAMPLES // 2, deadline=None)
def test_the_same_seed_gives_the_same_record(world: SimWorld, name: str) -> None:
    assert by_id(simulated(world, LANES[name])) == by_id(simulated(world, LANES[name]))


@pytest.mark.parametrize("name", LANES)
@pytest.mark.parametrize("number", BUSY)
def test_busy_pools_break_no_law(number: int, name: str) -> None:
    for decay in (False, True):
        world = busy_world(number, decay=decay)
        through = simulated(world, LANES[name])
        assert laws(through, world.policy) == ()
        halves = prepare(world.policy, world.workload, seed=world.seed, lane=LANES[name])
        for stop in (LENGTH // 3, LENGTH // 2):
            halves.run(until=world.workload.start + stop)
        halves.run()
        assert by_id(halves) == by_id(through)
        backwards = replace(
            world, workload=replace(world.workload, tasks=tuple(reversed(world.workload.tasks)))
        )
        assert by_id(simulated(backwards, LANES[name])) == by_id(through)
