"""A pool over time, for charts: GPUs held by every program, their use beside their shares, and preemptions, in bins.

`usage` at the end of a bin is the program's GPU time over the pool's, both weighted as the accounting window weighs
them at that instant, from the start of the simulation at the earliest; inside a bin time counts as spread evenly.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from policyctl.decide.standing import Timeline
from policyctl.ledger.window import lookback
from policyctl.model.jobs import Outcome
from policyctl.model.measures import PoolSeries, ProgramSeries
from policyctl.model.policy import Policy
from policyctl.sim.measure_columns import PoolColumns
from policyctl.sim.measure_nodes import NodeTime
from policyctl.sim.measure_steps import steps_of

__all__ = ["bin_width", "pool_series"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
_MOST_BINS = 240
_WIDTHS = (1, 10, 60, 300, 900, 1800, 3600, 7200, 14_400, 21_600, 43_200, 86_400)


def bin_width(seconds: int) -> int:
    """Return the width of the bins for a simulation of that length: a round one that makes at most 240, or whole days."""
    for width in _WIDTHS:
        if seconds <= width * _MOST_BINS:
            return width
    day = _WIDTHS[-1]
    return day * -(-seconds // (day * _MOST_BINS))


def pool_series(columns: PoolColumns, policy: Policy, time: NodeTime, accounts: Sequence[str]) -> PoolSeries:
    """Measure a pool over time, with a series for every program of `accounts`."""
    width = bin_width(columns.now - columns.start)
    edges = np.append(np.arange(columns.start, columns.now, width), columns.now)
    weights = _weights(policy, edges)
    runs = columns.runs
    cut = np.searchsorted(edges, runs.end[runs.ended(Outcome.PREEMPTED)], side="right") - 1
    bins = len(edges) - 1
    return PoolSeries(
        pool=columns.pool.name,
        start=columns.start,
        width=width,
        bins=bins,
        offered=_mean(time.offered.between(edges), edges),
        programs=tuple(_program(columns, policy, account, edges, weights) for account in accounts),
        preemptions=tuple(np.bincount(cut.clip(max=max(bins - 1, 0)), minlength=bins)[:bins].tolist()),
    )


def _mean(gpu_time: Ints, edges: Ints) -> tuple[float, ...]:
    """Return the mean GPUs of each bin from its GPU time in thousandths times seconds."""
    return tuple((gpu_time / 1000 / np.diff(edges)).tolist())


def _weights(policy: Policy, edges: Ints) -> list[Floats]:
    """Return for the end of each bin the part that every bin has in the window as it is seen from there."""
    found = []
    for end in edges[1:].tolist():
        weights = lookback(policy.accounting.window, end).weigh_intervals(edges[:-1], edges[1:])
        whole = weights.sum()
        found.append(weights / whole if whole else np.zeros(len(weights)))
    return found


def _program(
    columns: PoolColumns, policy: Policy, account: str, edges: Ints, weights: Sequence[Floats]
) -> ProgramSeries:
    timeline = Timeline(policy, columns.pool.name)
    occupied = np.zeros(len(edges) - 1, np.int64)
    if account in columns.programs:
        runs = columns.runs
        mine = columns.program[runs.row] == columns.programs.index(account)
        held = steps_of(runs.start[mine], runs.end[mine], columns.gpus[runs.row[mine]])
        occupied = held.between(edges)
    part = occupied / 1000 / np.diff(edges) / max(columns.pool.gpus, 1)
    shares = [timeline.tree(at - 1).get(account) for at in edges[1:].tolist()]
    return ProgramSeries(
        account=account,
        occupied=_mean(occupied, edges),
        usage=tuple(float(weight @ part) for weight in weights),
        share=tuple(0.0 if one is None else float(one.absolute) for one in shares),
    )
