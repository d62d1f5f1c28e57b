"""Measures agree with a slow oracle that looks at every second by itself."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from policyctl.model.measures import Measures
from policyctl.sim.baselines import BASELINES
from policyctl.sim.measure import measure
from policyctl.sim.measure_columns import GPU_HOUR, columns_of
from policyctl.sim.measure_recovery import recoveries
from policyctl.sim.replay import policy_lane, prepare
from tests.oracle.seconds import SecondBySecond
from tests.property.strategies import EXAMPLES
from tests.sim.busy import BUSY, LENGTH, busy_world
from tests.sim.workloads import SimWorld, sim_worlds

LANES = {"policy": policy_lane, **BASELINES}
LEAST_IDLE = 20


def measured(world: SimWorld, name: str, until: int) -> tuple[Measures, dict[str, SecondBySecond]]:
    simulation = prepare(world.policy, world.workload, seed=world.seed, lane=LANES[name])
    simulation.run(until=world.workload.start + until)
    measures = measure(simulation, world.policy, name=name, seed=world.seed)
    return measures, {
        pool.name: SecondBySecond(simulation, world.policy, pool) for pool in world.policy.pools
    }


def hours(gpu_time: int | Fraction) -> object:
    return pytest.approx(float(gpu_time) / GPU_HOUR, rel=1e-9, abs=1e-9)


def either(test: Callable[[SimWorld, str, int], None]) -> Callable[..., None]:
    """Hold a law in every busy world under the policy, then in any small world under any lane."""

    @pytest.mark.parametrize("number", [None, *BUSY])
    def both(number: int | None) -> None:
        if number is None:
            drawn(test)()
        else:
            test(busy_world(number), "policy", LENGTH - 37 * (number % 3))

    both.__name__, both.__doc__ = test.__name__, test.__doc__
    return both


def drawn(test: Callable[[SimWorld, str, int], None]) -> Callable[[], None]:
    worlds = given(sim_worlds(most=8), st.sampled_from(sorted(LANES)), st.integers(1, LENGTH))
    return settings(max_examples=EXAMPLES // 2, deadline=None)(worlds(test))


@either
def test_time_of_nodes(world: SimWorld, name: str, until: int) -> None:
    measures, seconds = measured(world, name, until)
    for pool in measures.pools:
        slow = seconds[pool.pool]
        assert pool.offered == hours(slow.offered())
        assert pool.occupied == hours(slow.used())
        assert pool.claimed == hours(slow.claimed())
        assert pool.fragmentation == hours(slow.fragmentation())


@either
def test_what_was_owed_and_delivered(world: SimWorld, name: str, until: int) -> None:
    measures, seconds = measured(world, name, until)
    for row in measures.windows[:30]:
        slow = seconds[row.pool]
        asked = slow.demand(row.account, row.start, row.end)
        entitled = slow.entitlement(row.account, row.start, row.end)
        assert row.delivered == hours(slow.delivered(row.account, row.start, row.end))
        assert row.lost == hours(slow.lost(row.account, row.start, row.end))
        assert row.demand == hours(asked)
        assert row.entitlement == hours(entitled)
        assert row.owed == hours(min(Fraction(asked), entitled))


@either
def test_totals_are_the_sums_of_their_parts(world: SimWorld, name: str, until: int) -> None:
    measures, seconds = measured(world, name, until)
    everybody, programs, rows = measures.overall, measures.programs, measures.windows
    held = sum(one.used() for one in seconds.values())
    assert everybody.delivered == hours(held)
    assert everybody.funded + everybody.opportunistic == pytest.approx(everybody.delivered)
    for group in (*programs, *measures.projects):
        mine = [row for row in rows if row.account == group.path]
        assert group.delivered == pytest.approx(sum(row.delivered for row in mine))
        assert group.lost == pytest.approx(sum(row.lost for row in mine))
        assert group.owed == pytest.approx(sum(row.owed for row in mine))
    assert everybody.owed == pytest.approx(sum(group.owed for group in programs))
    assert everybody.met == pytest.approx(sum(group.met for group in programs))
    assert everybody.preemptions == sum(day.preemptions for day in measures.preemption_days)
    assert everybody.preemptions == sum(sum(series.preemptions) for series in measures.series)
    for series in measures.series:
        drawn = sum(
            sum(program.occupied[place] for program in series.programs)
            * (
                min(series.start + (place + 1) * series.width, measures.end)
                - series.start
                - place * series.width
            )
            for place in range(series.bins)
        )
        inside = sum(
            sum(one.held[path] for path in one.held if path.count("/") == 1)
            for one in seconds[series.pool].seconds
        )
        assert drawn / 3600 == hours(inside)


@either
def test_returns_of_programs(world: SimWorld, name: str, until: int) -> None:
    simulation = prepare(world.policy, world.workload, seed=world.seed, lane=LANES[name])
    simulation.run(until=world.workload.start + until)
    for pool in world.policy.pools:
        slow = SecondBySecond(simulation, world.policy, pool)
        found = list(recoveries(columns_of(simulation, pool), world.policy, least=LEAST_IDLE))
        for program in {one.account for one in found}:
            expected = list(slow.returns(program, LEAST_IDLE))
            lasting = [
                (one.idle, one.returned, one.seconds)
                for one in found
                if one.account == program and one.seconds
            ]
            assert [one for one in expected if one in lasting] == lasting
