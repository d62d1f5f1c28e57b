"""A sweep: which runs it consists of, what one of them scores, and the report that is made of all scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from policyctl.model.measures import Measures, Recovery
from policyctl.model.policy import Policy
from policyctl.model.sweep import Point, Row, Score, SweepReport
from policyctl.model.workload import Workload
from policyctl.sim.cadence import cadence
from policyctl.sim.choosing import choose_option
from policyctl.sim.contest import check_pools
from policyctl.sim.grid import longest_cap, options_of, varied
from policyctl.sim.kernel import Simulation
from policyctl.sim.measure import measure
from policyctl.sim.pressure import jittered, loaded
from policyctl.sim.replay import prepare
from policyctl.sim.volatility import volatility

__all__ = ["Sweep", "SweepRun", "report", "runs_of", "score"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """What the runs of a sweep share: the policy that is varied and that all are measured by, and each seed's workload."""

    policy: Policy
    points: tuple[Point, ...]
    seeds: tuple[int, ...]
    workloads: tuple[Workload, ...]
    jitter: int
    until: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepRun:
    """One run: the place of its point in the sweep, and its seed."""

    point: int
    seed: int


def runs_of(sweep: Sweep) -> tuple[SweepRun, ...]:
    """Return every run, point by point; raises UsageProblem for a policy that lacks a pool of the workload."""
    for workload in sweep.workloads:
        check_pools(sweep.policy, workload)
    return tuple(
        SweepRun(point=number, seed=seed) for number in range(len(sweep.points)) for seed in sweep.seeds
    )


def score(sweep: Sweep, run: SweepRun, progress: Callable[[Simulation, int], None] | None = None) -> Score:
    """Simulate one run and say how it did; `progress` is told the simulation and the instant it has come to."""
    point = sweep.points[run.point]
    workload = sweep.workloads[sweep.seeds.index(run.seed)]
    pressed = jittered(loaded(workload, point.load, run.seed), sweep.jitter, run.seed)
    simulation = prepare(varied(sweep.policy, point.option), pressed, seed=run.seed)
    simulation.run(until=sweep.until, progress=partial(progress, simulation) if progress else None)
    measured = measure(simulation, sweep.policy, name="sweep", seed=run.seed)
    return _score(measured, volatility(simulation, sweep.policy))


def _score(measured: Measures, change: float | None) -> Score:
    waits = measured.wait()
    overall = measured.overall
    returns = measured.recoveries
    return Score(
        volatility=change,
        returns=len(returns),
        recovered=sum(one.seconds is not None for one in returns),
        recovery=sum(_lasted(one, measured.end) for one in returns) / len(returns) if returns else None,
        wait_median=waits.median if waits else 0,
        wait_p90=waits.p90 if waits else 0,
        delivered=overall.delivered,
        lost=overall.lost,
        preemptions=overall.preemptions,
        occupancy=measured.occupancy,
        delivery_ratio=overall.delivery_ratio,
    )


def _lasted(one: Recovery, end: int) -> int:
    return end - one.returned if one.seconds is None else one.seconds


def report(
    sweep: Sweep,
    scores: Mapping[SweepRun, Score],
    *,
    title: str,
    command: str,
    version: str,
    digests: Mapping[str, str],
) -> SweepReport:
    """Return what a sweep found; `scores` has one for every run."""
    rows = tuple(
        Row(
            point=point,
            scores=tuple(scores[SweepRun(point=number, seed=seed)] for seed in sweep.seeds),
        )
        for number, point in enumerate(sweep.points)
    )
    rhythm = cadence(sweep.workloads[0])
    options = options_of(sweep.points)
    span = sweep.until - sweep.workloads[0].start
    return SweepReport(
        title=title,
        command=command,
        version=version,
        digests=digests,
        start=int(sweep.workloads[0].start),
        end=sweep.until,
        seeds=sweep.seeds,
        jitter=sweep.jitter,
        options=options,
        rows=rows,
        cadence=rhythm,
        choice=choose_option(options, rows, rhythm, cap=longest_cap(sweep.policy), span=span),
    )
