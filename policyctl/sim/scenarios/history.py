"""What happened to each job of a simulation, job by job, for those who ask about some of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from policyctl.model.workload import Task
from policyctl.sim.kernel import Simulation
from policyctl.sim.record import Run

__all__ = ["JobHistory", "history", "matching"]


@dataclass(frozen=True, slots=True, kw_only=True)
class JobHistory:
    """A job with its runs in order, the last one perhaps still going on; `submitted` None: it never came."""

    task: Task
    submitted: int | None
    runs: Sequence[Run]

    @property
    def id(self) -> str:
        """The id of the job."""
        return self.task.job.id


def history(simulation: Simulation) -> Mapping[str, JobHistory]:
    """Return what happened up to now, by the id of the job."""
    return {one.id: one for name in sorted(simulation.pools) for one in _of_pool(simulation, name)}


def _of_pool(simulation: Simulation, name: str) -> Iterator[JobHistory]:
    record = simulation.pools[name].record_at(simulation.now)
    runs: dict[int, list[Run]] = {}
    for run in record.runs:
        runs.setdefault(run.row, []).append(run)
    for row, task in enumerate(simulation.tasks(name)):
        mine = sorted(runs.get(row, ()), key=lambda run: run.attempt)
        yield JobHistory(task=task, submitted=record.submitted.get(row), runs=mine)


def matching(jobs: Mapping[str, JobHistory], pattern: str) -> list[JobHistory]:
    """Return the jobs whose id matches a glob, by id."""
    return [jobs[identity] for identity in sorted(jobs) if fnmatchcase(identity, pattern)]
