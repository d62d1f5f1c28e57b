"""A scenario: what happens to a cluster, for how long, with which seeds, and what is expected of the policy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from policyctl.model.policy import Policy
from policyctl.model.workload import Incident, Stream, Task, Workload
from policyctl.sim.scenarios.expectations import Expectation
from policyctl.sim.workloads.lab import generate
from policyctl.sim.workloads.mix import LabMix
from policyctl.units import Instant, Seconds

__all__ = ["Scenario", "workload_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """What is rehearsed during `[start, start + horizon)`; `lab` is a mix whose seed is replaced by each of `seeds`."""

    name: str
    about: str
    start: Instant
    horizon: Seconds
    seeds: tuple[int, ...]
    tasks: tuple[Task, ...] = ()
    streams: tuple[Stream, ...] = ()
    incidents: Mapping[str, Incident] = field(default_factory=dict)
    lab: LabMix | None = None
    expectations: tuple[Expectation, ...] = ()

    @property
    def end(self) -> Instant:
        """The instant up to which it is rehearsed."""
        return Instant(self.start + self.horizon)


def workload_of(scenario: Scenario, policy: Policy, seed: int) -> Workload:
    """Return everything that happens: what is written, and what a lab adds to it with this seed."""
    workload = Workload(
        start=scenario.start,
        end=scenario.end,
        tasks=scenario.tasks,
        streams=scenario.streams,
        incidents=tuple(scenario.incidents.values()),
    )
    if scenario.lab is None:
        return workload
    drawn = generate(policy, replace(scenario.lab, seed=seed))
    return replace(
        workload,
        tasks=(*workload.tasks, *(task for task in drawn.tasks if task.job.submit < scenario.end)),
        streams=(*workload.streams, *drawn.streams),
    )
