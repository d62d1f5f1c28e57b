"""A small simulation that was really run: a large job waits, a preemption makes room for it, one job can never fit."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from policyctl.model.jobs import Job
from policyctl.model.measures import SimulationReport
from policyctl.model.workload import Task, Workload
from policyctl.sim.baselines import BASELINES
from policyctl.sim.kernel import Simulation
from policyctl.sim.measure import measure
from policyctl.sim.replay import policy_lane, prepare
from policyctl.units import Instant, MilliGpu, Seconds
from tests.check.policies import budget, policy
from tests.render.simulation.samples import START

__all__ = ["LAB", "played", "real_report"]

HOUR = 3_600
LAB = policy(budget("/", {"language": Fraction(3, 5), "robotics": Fraction(2, 5)}))


def task(
    name: str, account: str, *, gpus: int, at: int, hours: float, nodes: int = 1, declared: int = 0
) -> Task:
    return Task(
        job=Job(
            id=name,
            account=account,
            user=f"{name[0]}-user",
            pool="h100",
            gpus=MilliGpu(gpus * 1000),
            nodes=nodes,
            submit=Instant(START + at),
            min_runtime=Seconds(declared),
        ),
        work=Seconds(int(hours * HOUR)),
        checkpoint_every=Seconds(1_800),
        restart_overhead=Seconds(120),
    )


WORKLOAD = Workload(
    start=Instant(START),
    end=Instant(START + 12 * HOUR),
    tasks=(
        task("free-1", "/language", gpus=32, nodes=4, at=0, hours=6),
        task("free-2", "/robotics", gpus=32, nodes=4, at=0, hours=6.5),
        task("wanted", "/robotics", gpus=48, nodes=6, at=HOUR, hours=2, declared=HOUR),
        task("endless", "/language", gpus=1, at=2 * HOUR, hours=400, declared=HOUR),
        task("too-large", "/language", gpus=72, nodes=9, at=0, hours=1),
        task("last", "/language", gpus=64, nodes=8, at=11 * HOUR, hours=1, declared=HOUR),
    ),
)


def played(contestant: str = "policy") -> Simulation:
    """Run the workload to its end under the policy or a baseline."""
    lane = policy_lane if contestant == "policy" else BASELINES[contestant]
    simulation = prepare(LAB, WORKLOAD, seed=7, lane=lane)
    simulation.run()
    return simulation


def real_report() -> SimulationReport:
    """Measure the policy and two baselines on the same workload."""
    return SimulationReport(
        title="Half a day",
        command="policyctl simulate --workload workload.json --against fifo --against fairshare",
        version="0.1.0",
        digests={"bundle": f"sha256:{'0a' * 32}"},
        contestants=tuple(
            replace(measure(played(name), LAB, name=name, seed=7), policy="lab")
            for name in ("policy", "fifo", "fairshare")
        ),
    )
