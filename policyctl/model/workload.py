"""The nouns of a simulation: tasks with the work they have to do, who submits them when, and what befalls the nodes."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from policyctl.model.jobs import Job
from policyctl.units import Instant, Seconds

__all__ = ["Incident", "IncidentKind", "Stream", "Task", "Workload"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A job and what only a simulation knows of it.

    `work` is the time it has to compute on its GPUs. It saves its work every `checkpoint_every` of computing (None: never),
    and needs `save_time` of notice to save once more when it is preempted. Each restart costs `restart_overhead` before it
    computes on, and fails with probability `restart_failure`.
    """

    job: Job
    work: Seconds
    checkpoint_every: Seconds | None = None
    save_time: Seconds | None = None
    restart_overhead: Seconds = Seconds(0)
    restart_failure: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Stream:
    """One researcher's work in a closed loop: at most `depth` tasks wait or run, the next follows when one is done.

    `first` is when the stream begins, and `pause` what lies between an end and the submission that follows it. A task whose
    own submission is later than its turn waits for it; one that is always there has the submission `first`.
    """

    tasks: tuple[Task, ...]
    depth: int
    first: Instant
    pause: Seconds = Seconds(0)

    @property
    def paced(self) -> bool:
        """Whether tasks have a time of their own."""
        return any(task.job.submit > self.first for task in self.tasks)


class IncidentKind(StrEnum):
    """What happens to nodes: they fail with everything on them, or take no new work until they are back."""

    FAIL = "fail"
    DRAIN = "drain"


@dataclass(frozen=True, slots=True, kw_only=True)
class Incident:
    """Nodes of a pool (numbered from 0) that are gone during `[at, until)`."""

    kind: IncidentKind
    pool: str
    nodes: tuple[int, ...]
    at: Instant
    until: Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """Everything that happens to a cluster from outside during `[start, end)`."""

    start: Instant
    end: Instant
    tasks: tuple[Task, ...] = ()
    streams: tuple[Stream, ...] = ()
    incidents: tuple[Incident, ...] = ()
