"""Contestants on one workload with the same luck: which runs that makes, how one goes on, and what is measured of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from policyctl.errors import UsageProblem
from policyctl.model.jobs import Outcome
from policyctl.model.measures import Measures
from policyctl.model.policy import Policy
from policyctl.model.workload import Task, Workload
from policyctl.sim.baselines import BASELINES
from policyctl.sim.kernel import Simulation
from policyctl.sim.measure import measure
from policyctl.sim.replay import policy_lane, prepare

__all__ = [
    "Contest",
    "Contestant",
    "Heat",
    "JobsDone",
    "advance",
    "begin",
    "check_pools",
    "heats",
    "measured",
    "tasks_of",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Contestant:
    """Who decides: a policy, or one of `BASELINES` by its name, which gets the policy's pools and shares."""

    name: str
    policy: Policy
    baseline: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Contest:
    """Contestants, the first of which all are measured by, on the workload of each seed, up to an instant.

    All workloads begin at one instant; where chance has no part in a workload they are one and the same.
    """

    contestants: tuple[Contestant, ...]
    seeds: tuple[int, ...]
    workloads: tuple[Workload, ...]
    until: int
    label: str = ""

    @property
    def start(self) -> int:
        """The instant at which all runs begin."""
        return int(self.workloads[0].start)


@dataclass(frozen=True, slots=True, kw_only=True)
class Heat:
    """One run: the place of its contestant, its seed, and a name that no other run has."""

    contestant: int
    seed: int
    name: str


class _Paused(Exception):
    """Whoever watches a run asked it to stop between two instants."""


def heats(contest: Contest) -> tuple[Heat, ...]:
    """Return every run, contestant by contestant; raises UsageProblem where they cannot be compared."""
    for contestant in contest.contestants:
        for workload in contest.workloads:
            check_pools(contestant.policy, workload)
        _check_cluster(contest.contestants[0], contestant)
    return tuple(
        Heat(
            contestant=place,
            seed=seed,
            name=f"{contestant.name}, seed {seed}" if len(contest.seeds) > 1 else contestant.name,
        )
        for place, contestant in enumerate(contest.contestants)
        for seed in contest.seeds
    )


def check_pools(policy: Policy, workload: Workload) -> None:
    """Raise UsageProblem for a policy that lacks a pool which the workload asks for."""
    known = sorted(pool.name for pool in policy.pools)
    for name in sorted(_pools_asked(workload) - set(known)):
        raise UsageProblem(
            f"the workload asks for pool `{name}`, which the policy does not have",
            help=f"its pools are {', '.join(f'`{one}`' for one in known)}",
        )


def tasks_of(workload: Workload) -> Iterator[Task]:
    """Yield all tasks of a workload, those of its streams last."""
    yield from workload.tasks
    for stream in workload.streams:
        yield from stream.tasks


def _pools_asked(workload: Workload) -> set[str]:
    return {task.job.pool for task in tasks_of(workload)} | {one.pool for one in workload.incidents}


def _check_cluster(first: Contestant, other: Contestant) -> None:
    mine, theirs = (
        {pool.name: (pool.nodes, pool.gpus_per_node) for pool in one.policy.pools} for one in (first, other)
    )
    for name in sorted(mine | theirs):
        if mine.get(name) != theirs.get(name):
            raise UsageProblem(
                f"`{first.name}` and `{other.name}` do not have the same nodes in pool `{name}`",
                help="contestants share one cluster: let both policies describe the same",
            )


def begin(contest: Contest, heat: Heat) -> Simulation:
    """Return the run at its beginning."""
    contestant = contest.contestants[heat.contestant]
    lane = policy_lane if contestant.baseline is None else BASELINES[contestant.baseline]
    workload = contest.workloads[contest.seeds.index(heat.seed)]
    return prepare(contestant.policy, workload, seed=heat.seed, lane=lane)


def advance(simulation: Simulation, until: int, go_on: Callable[[int], bool]) -> bool:
    """Let a run go on to an instant; False if `go_on`, asked after every instant, stopped it before that."""

    def ask(at: int) -> None:
        if not go_on(at):
            simulation.now = at
            raise _Paused

    try:
        simulation.run(until=until, progress=ask)
    except _Paused:
        return False
    return True


def measured(contest: Contest, heat: Heat, simulation: Simulation) -> Measures:
    """Measure a run by the first contestant's policy."""
    return measure(
        simulation,
        contest.contestants[0].policy,
        name=contest.contestants[heat.contestant].name,
        seed=heat.seed,
        label=contest.label or contest.contestants[0].name,
    )


class JobsDone:
    """Counts the jobs of a simulation that are done, looking at each run once."""

    def __init__(self) -> None:
        self.count = 0
        self._seen: dict[str, int] = {}

    def of(self, simulation: Simulation) -> int:
        """Return how many jobs are done so far."""
        for name, pool in simulation.pools.items():
            runs = pool.record.runs
            since = self._seen.get(name, 0)
            self.count += sum(run.outcome in _DONE for run in runs[since:])
            self._seen[name] = len(runs)
        return self.count


_DONE = frozenset({Outcome.COMPLETED, Outcome.TIMEOUT})
