"""From a policy and a workload to a simulation that is ready to run."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from policyctl.decide.live import LivePool
from policyctl.model.jobs import Job
from policyctl.model.policy import Policy, Pool
from policyctl.model.tree import policy_instants
from policyctl.model.workload import Task, Workload
from policyctl.sim.kernel import Simulation
from policyctl.sim.lane import Lane
from policyctl.sim.nodes import SimNodes
from policyctl.sim.pool import Schedule, SimPool
from policyctl.units import Instant

__all__ = ["MakeLane", "policy_lane", "prepare"]

MakeLane = Callable[[Policy, Pool, Sequence[Job], Instant], Lane]
"""Makes whoever decides in one pool: `policy_lane`, or one of the baselines."""


def policy_lane(policy: Policy, pool: Pool, jobs: Sequence[Job], start: Instant) -> Lane:
    """Let the policy decide."""
    return LivePool(policy, pool, jobs, start)


def prepare(policy: Policy, workload: Workload, *, seed: int, lane: MakeLane = policy_lane) -> Simulation:
    """Return a simulation of a workload on the pools of a policy, decided by `lane`.

    Chance depends on the seed and on jobs alone, so two lanes with one seed meet the same luck.
    """
    pools = {pool.name: pool for pool in policy.pools}

    def make(name: str, tasks: Sequence[Task], schedule: Schedule) -> SimPool:
        jobs = [task.job for task in tasks]
        return SimPool(
            lane=lane(policy, pools[name], jobs, workload.start),
            nodes=SimNodes(pools[name]),
            tasks=tasks,
            notice=policy.preemption.notice,
            seed=seed,
            schedule=schedule,
        )

    wakes = [at for at in policy_instants(policy) if workload.start < at < workload.end]
    return Simulation(workload, sorted(pools), make, wakes=wakes)
