"""The live pool decides as the full evaluator does: at every decision of small simulations both are asked."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings

from policyctl.model.jobs import Job
from policyctl.model.policy import Policy, Pool
from policyctl.sim.replay import prepare
from policyctl.units import Instant
from tests.property.strategies import EXAMPLES
from tests.sim.busy import BUSY, busy_world
from tests.sim.witness import WitnessLane
from tests.sim.workloads import SimWorld, sim_worlds


def watched(world: SimWorld, *, exact: bool) -> list[WitnessLane]:
    """Run a world with a witness in every pool."""
    lanes: dict[str, WitnessLane] = {}

    def lane(policy: Policy, pool: Pool, jobs: Sequence[Job], start: Instant) -> WitnessLane:
        lanes[pool.name] = WitnessLane(policy, pool, jobs, start, exact=exact)
        return lanes[pool.name]

    simulation = prepare(world.policy, world.workload, seed=world.seed, lane=lane)
    for name, witness in lanes.items():
        witness.sim = simulation.pools[name]
    simulation.run()
    return [lanes[name] for name in sorted(lanes)]


@given(sim_worlds())
@settings(max_examples=2 * EXAMPLES, deadline=None)
def test_the_live_order_and_plans_are_those_of_the_whole_state(world: SimWorld) -> None:
    watched(world, exact=True)


@given(sim_worlds(decay=True))
@settings(max_examples=EXAMPLES, deadline=None)
def test_with_a_half_life_the_live_order_differs_by_rounding_at_most(world: SimWorld) -> None:
    watched(world, exact=False)


@pytest.mark.parametrize("number", BUSY)
def test_busy_pools_decide_as_the_whole_state_says(number: int) -> None:
    (witness,) = watched(busy_world(number), exact=True)
    assert not witness.blind
    assert witness.seen.funded_orders > 10
    assert witness.seen.granted > 3
    assert witness.seen.spare > 10


@pytest.mark.parametrize("number", BUSY)
def test_busy_pools_with_a_half_life_differ_by_rounding_at_most(number: int) -> None:
    watched(busy_world(number, decay=True), exact=False)
