"""Volatility of placement: which part of the delivered GPU time goes to other programs than the day before.

For a day d let x_p(d) be the part of a pool's delivered GPU time that program p got; then the change of a day is
`sum over p of |x_p(d) - x_p(d-1)| / 2`, 0 where all is as it was and 1 where everything went to others. Days are counted
from the start of the simulation; an incomplete last day, and pairs with a day on which nothing ran, are left out. The
volatility of a pool is the mean over its pairs of days, that of several pools their mean weighted by their GPUs.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from policyctl.model.policy import Policy
from policyctl.sim.kernel import Simulation
from policyctl.sim.measure_columns import PoolColumns, columns_of
from policyctl.sim.measure_steps import steps_of

__all__ = ["daily_change", "volatility"]

_DAY = 86_400
Floats = npt.NDArray[np.float64]


def volatility(simulation: Simulation, policy: Policy) -> float | None:
    """Return the volatility of placement of a simulation as far as it ran; None where no two days can be compared."""
    weighted, weights = 0.0, 0
    for pool in sorted(policy.pools, key=lambda pool: pool.name):
        changes = daily_change(_daily(columns_of(simulation, pool)))
        if changes:
            weighted += pool.gpus * sum(changes) / len(changes)
            weights += pool.gpus
    return weighted / weights if weights else None


def daily_change(delivered: Floats) -> Sequence[float]:
    """Return the change of every day from the one before; `delivered` has a row for each program, a column for each day."""
    whole = delivered.sum(axis=0)
    busy = whole > 0
    parts = delivered / np.where(busy, whole, 1.0)
    changes = np.abs(np.diff(parts, axis=1)).sum(axis=0) / 2
    found: list[float] = changes[busy[1:] & busy[:-1]].tolist()
    return found


def _daily(columns: PoolColumns) -> Floats:
    days = (columns.now - columns.start) // _DAY
    edges = columns.start + _DAY * np.arange(days + 1, dtype=np.int64)
    runs = columns.runs
    # One row more than there are programs: jobs that belong to none.
    rows = []
    for code in range(-1, len(columns.programs)):
        mine = columns.program[runs.row] == code
        held = steps_of(runs.start[mine], runs.end[mine], columns.gpus[runs.row[mine]])
        rows.append(held.between(edges).astype(np.float64))
    return np.array(rows)
