"""A scenario under a policy, run to its end and held to what it expects."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from policyctl.model.policy import Policy
from policyctl.model.workload import Stream, Task, Workload
from policyctl.sim.kernel import Simulation
from policyctl.sim.replay import MakeLane, policy_lane, prepare
from policyctl.sim.scenarios.expectations import IgnoresPriorities
from policyctl.sim.scenarios.history import history
from policyctl.sim.scenarios.miss import Verdict
from policyctl.sim.scenarios.scenario import Scenario, workload_of
from policyctl.sim.scenarios.verdicts import Trial, verdict

__all__ = ["Rehearsal", "rehearse", "verdicts_on"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rehearsal:
    """A scenario that ran with one seed: the simulation for those who measure it, and a verdict on each expectation."""

    scenario: Scenario
    seed: int
    simulation: Simulation
    verdicts: tuple[Verdict, ...]

    @property
    def held(self) -> bool:
        """Say whether every expectation held."""
        return all(one.held for one in self.verdicts)


def rehearse(
    scenario: Scenario,
    policy: Policy,
    *,
    seed: int,
    lane: MakeLane = policy_lane,
    progress: Callable[[int], None] | None = None,
) -> Rehearsal:
    """Run a scenario to its horizon, decided by `lane`, and hold what happened to its expectations."""
    simulation = _run(policy, workload_of(scenario, policy, seed), seed, lane, progress)
    verdicts = verdicts_on(simulation, scenario, policy, seed=seed, lane=lane)
    return Rehearsal(scenario=scenario, seed=seed, simulation=simulation, verdicts=verdicts)


def verdicts_on(
    simulation: Simulation, scenario: Scenario, policy: Policy, *, seed: int, lane: MakeLane = policy_lane
) -> tuple[Verdict, ...]:
    """Hold a simulation of the scenario's workload, run to its end, to what the scenario expects.

    Where priorities shall not matter, the same is run once more without them.
    """
    asked = any(isinstance(one, IgnoresPriorities) for one in scenario.expectations)
    plain = _without_priorities(simulation.workload) if asked else None
    twin = {} if plain is None else history(_run(policy, plain, seed, lane, None))
    trial = Trial(scenario=scenario, policy=policy, now=simulation.now, jobs=history(simulation), twin=twin)
    return tuple(verdict(one, trial) for one in scenario.expectations)


def _run(
    policy: Policy, workload: Workload, seed: int, lane: MakeLane, progress: Callable[[int], None] | None
) -> Simulation:
    simulation = prepare(policy, workload, seed=seed, lane=lane)
    simulation.run(progress=progress)
    return simulation


def _without_priorities(workload: Workload) -> Workload:
    def plain(task: Task) -> Task:
        return replace(task, job=replace(task.job, priority=0))

    def plain_stream(stream: Stream) -> Stream:
        return replace(stream, tasks=tuple(plain(task) for task in stream.tasks))

    return replace(
        workload,
        tasks=tuple(plain(task) for task in workload.tasks),
        streams=tuple(plain_stream(stream) for stream in workload.streams),
    )
