"""Volatility of placement, worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from policyctl.model.workload import Workload
from policyctl.sim.replay import prepare
from policyctl.sim.volatility import daily_change, volatility
from tests.decide import small
from tests.sweep.small import task, workload


@pytest.mark.parametrize(
    ("delivered", "changes"),
    [
        pytest.param([[1, 1], [3, 3]], [0.0], id="nothing moves"),
        pytest.param([[1, 2], [3, 6]], [0.0], id="more for all in the same parts"),
        pytest.param([[4, 0], [0, 4]], [1.0], id="everything goes to somebody else"),
        pytest.param([[4, 3, 4], [0, 1, 0]], [0.25, 0.25], id="a quarter goes and comes back"),
        pytest.param([[4, 0, 0, 2], [0, 0, 4, 2]], [0.5], id="a day on which nothing ran is no neighbour"),
        pytest.param([[4], [0]], [], id="one day has no day before it"),
    ],
)
def test_daily_change(delivered: list[list[float]], changes: list[float]) -> None:
    assert daily_change(np.array(delivered, dtype=np.float64)) == pytest.approx(changes)


def simulated(some: Workload) -> float | None:
    policy = small.policy()
    simulation = prepare(policy, some, seed=1)
    simulation.run()
    return volatility(simulation, policy)


def test_of_a_simulation() -> None:
    # Day 0 all of /a, day 1 half and half, day 2 all of /b; the half day after that is not counted.
    alternating = workload(
        task("a", 0, 36, gpus=8), task("b", 36, 36, account="/b", gpus=8), task("a2", 73, 9), days=3.5
    )
    assert simulated(alternating) == pytest.approx(0.5)


def test_one_day_is_too_short() -> None:
    assert simulated(workload(task("a", 0, 30), days=1.9)) is None
    assert simulated(workload(days=5)) is None
