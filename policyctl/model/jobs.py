"""The nouns of a cluster: jobs, past runs, nodes, and the state that holds them at one instant."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

from policyctl.units import Instant, MilliGpu, Seconds

__all__ = ["ClusterState", "Job", "Node", "Outcome", "PastRun"]


class Outcome(StrEnum):
    """How a run ended, in Slurm's words, lower case."""

    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"
    TIMEOUT = "timeout"
    DEADLINE = "deadline"
    OUT_OF_MEMORY = "out_of_memory"
    PREEMPTED = "preempted"
    REQUEUED = "requeued"
    NODE_FAIL = "node_fail"
    BOOT_FAIL = "boot_fail"

    @property
    def taken_away(self) -> bool:
        """Say whether the cluster ended the run, so that unused protection is not the job's to pay."""
        return self in {Outcome.PREEMPTED, Outcome.REQUEUED, Outcome.NODE_FAIL, Outcome.BOOT_FAIL}


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A submission; it runs since `start` if that is set, and then `placement` may say where (node: GPUs).

    `gpus` is the total over all nodes. `min_runtime` is the protection that the job declared it wants.
    `preemptions` are the instants at which earlier runs of it were preempted.
    """

    id: str
    account: str
    user: str
    pool: str
    gpus: MilliGpu
    nodes: int = 1
    submit: Instant
    start: Instant | None = None
    min_runtime: Seconds = Seconds(0)
    time_limit: Seconds | None = None
    priority: int = 0
    kind: Literal["batch", "interactive"] = "batch"
    resumable: bool = True
    last_checkpoint: Instant | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    preemptions: tuple[Instant, ...] = ()
    placement: Mapping[str, MilliGpu] | None = None
    topology: Literal["any", "block"] = "any"


@dataclass(frozen=True, slots=True, kw_only=True)
class PastRun:
    """One run that ended: the job as it was, with its `start` set, and the half-open interval up to `end`."""

    job: Job
    end: Instant
    outcome: Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A node that the scheduler names; not available means down, drained or draining."""

    name: str
    pool: str
    gpus: MilliGpu
    available: bool = True
    block: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterState:
    """What a scheduler knows at `time`; `nodes` None means the Cluster document says all there is to know."""

    time: Instant
    jobs: tuple[Job, ...] = ()
    usage: tuple[PastRun, ...] = ()
    nodes: tuple[Node, ...] | None = None
