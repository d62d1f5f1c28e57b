"""Small workloads by hand: tasks in hours from the start, one pool `p`, and what was measured of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from policyctl.model.jobs import Job
from policyctl.model.measures import Group, Measures, WindowRow
from policyctl.model.policy import Policy
from policyctl.model.workload import Incident, IncidentKind, Task, Workload
from policyctl.sim.kernel import Simulation
from policyctl.sim.measure import measure
from policyctl.sim.replay import MakeLane, policy_lane, prepare
from policyctl.units import Instant, Seconds
from tests.decide.small import NOW, hours

__all__ = ["down", "group", "measured", "run", "starts", "task", "window"]


def task(
    job: Job,
    work: float,
    *,
    every: float | None = None,
    saves_in: int | None = None,
    overhead: int = 0,
    session: bool = False,
    limit: float | None = None,
) -> Task:
    """Give a job `work` hours to do and a checkpoint `every` so many; `saves_in` and `overhead` are seconds."""
    return Task(
        job=replace(
            job,
            kind="interactive" if session else "batch",
            time_limit=None if limit is None else Seconds(hours(limit)),
        ),
        work=Seconds(hours(work)),
        checkpoint_every=None if every is None else Seconds(hours(every)),
        save_time=None if saves_in is None else Seconds(saves_in),
        restart_overhead=Seconds(overhead),
    )


def down(kind: IncidentKind, *nodes: int, at: float, until: float) -> Incident:
    """Take nodes away from one hour to another."""
    return Incident(
        kind=kind, pool="p", nodes=nodes, at=Instant(NOW + hours(at)), until=Instant(NOW + hours(until))
    )


def run(
    policy: Policy,
    tasks: Sequence[Task],
    *,
    length: float,
    lane: MakeLane = policy_lane,
    incidents: Sequence[Incident] = (),
) -> Simulation:
    """Run tasks for `length` hours from NOW."""
    workload = Workload(
        start=NOW, end=Instant(NOW + hours(length)), tasks=tuple(tasks), incidents=tuple(incidents)
    )
    simulation = prepare(policy, workload, seed=0, lane=lane)
    simulation.run()
    return simulation


def measured(
    policy: Policy,
    *tasks: Task,
    length: float,
    lane: MakeLane = policy_lane,
    incidents: Sequence[Incident] = (),
) -> Measures:
    """Run tasks for `length` hours from NOW and measure them."""
    simulation = run(policy, tasks, length=length, lane=lane, incidents=incidents)
    return measure(simulation, policy, name="case", seed=0)


def starts(simulation: Simulation) -> dict[str, list[float]]:
    """Return when each job of the pool started, in hours from NOW."""
    found: dict[str, list[float]] = {}
    jobs = simulation.tasks("p")
    for one in simulation.pools["p"].record_at(simulation.now).runs:
        found.setdefault(jobs[one.row].job.id, []).append((one.start - NOW) / 3600)
    return {name: sorted(times) for name, times in sorted(found.items())}


def group(measures: Measures, path: str) -> Group:
    """Return what was measured of an account."""
    everything = (measures.overall, *measures.programs, *measures.projects)
    return next(one for one in everything if one.path == path)


def window(measures: Measures, account: str, number: int) -> WindowRow:
    """Return what was measured of an account in the n-th accounting window."""
    return [row for row in measures.windows if row.account == account][number]
