"""From a simulation to its measures: what the policy promised, what each program got, and what it cost.

Definitions and formulas are in `docs/simulator.md`, and each in the docstring of the file that computes it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from policyctl.model.measures import ImpossibleJob, Measures, WindowRow
from policyctl.model.policy import Policy, SlidingWindow, Window
from policyctl.sim.kernel import Simulation
from policyctl.sim.measure_columns import PoolColumns, columns_of
from policyctl.sim.measure_groups import groups, preemption_days, user_protection
from policyctl.sim.measure_nodes import node_time, pool_measures
from policyctl.sim.measure_owed import window_rows
from policyctl.sim.measure_recovery import recoveries
from policyctl.sim.measure_series import pool_series
from policyctl.sim.measure_waits import first_waits, interactive, longest_waits, wait_lines
from policyctl.sim.measure_warnings import warnings
from policyctl.units import format_duration

__all__ = ["measure"]


def measure(simulation: Simulation, policy: Policy, *, name: str, seed: int, label: str = "") -> Measures:
    """Measure a simulation as far as it has run; `policy` says shares and windows, whoever decided.

    Contestants that are compared are measured by the same policy. `label` names it; nothing is changed.
    """
    pools = [columns_of(simulation, pool) for pool in sorted(policy.pools, key=lambda pool: pool.name)]
    incidents = simulation.workload.incidents
    rows = tuple(row for columns in pools for row in window_rows(columns, policy))
    overall, programs, projects = groups(pools, rows)
    accounts = [group.path for group in programs]
    times = [node_time(columns, incidents) for columns in pools]
    waits = [first_waits(columns, policy) for columns in pools]
    longest = tuple(longest_waits(pools))
    impossible = tuple(_impossible(pools))
    return Measures(
        name=name,
        policy=label,
        seed=seed,
        start=int(simulation.workload.start),
        end=simulation.now,
        window=_in_words(policy.accounting.window),
        overall=overall,
        programs=programs,
        projects=projects,
        pools=tuple(
            pool_measures(columns, incidents, time) for columns, time in zip(pools, times, strict=True)
        ),
        windows=tuple(sorted(rows, key=_by_window)),
        waits=tuple(wait_lines(waits)),
        longest_waits=longest,
        preemption_days=tuple(day for columns in pools for day in preemption_days(columns)),
        users=user_protection(pools),
        interactive=interactive(pools, waits),
        recoveries=tuple(one for columns in pools for one in recoveries(columns, policy)),
        series=tuple(
            pool_series(columns, policy, time, accounts) for columns, time in zip(pools, times, strict=True)
        ),
        warnings=tuple(
            warnings(
                overall=overall,
                programs=programs,
                projects=projects,
                rows=rows,
                longest=longest,
                impossible=impossible,
            )
        ),
        impossible=impossible,
    )


def _by_window(row: WindowRow) -> tuple[str, int, list[str]]:
    return row.pool, row.start, row.account.split("/")


def _impossible(pools: Sequence[PoolColumns]) -> Iterator[ImpossibleJob]:
    for columns in pools:
        jobs = sorted(
            (columns.tasks[row].job for row in columns.record.impossible),
            key=lambda job: (job.submit, job.id),
        )
        for job in jobs:
            yield ImpossibleJob(
                job=job.id, pool=job.pool, account=job.account, gpus=job.gpus / 1000, nodes=job.nodes
            )


def _in_words(window: Window) -> str:
    if not isinstance(window, SlidingWindow):
        return f"{window.unit} ({window.timezone})"
    length = format_duration(window.length)
    return length if window.half_life is None else f"{length}, half-life {format_duration(window.half_life)}"
