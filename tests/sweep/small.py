"""Workloads of a few jobs in one pool of eight GPUs, on days counted from a start."""

from __future__ import annotations

from policyctl.model.workload import Stream, Task, Workload
from policyctl.units import Instant, Seconds
from tests.decide import small

__all__ = ["DAY", "HOUR", "START", "task", "workload"]

HOUR, DAY = 3600, 86_400
START = small.NOW


def task(name: str, at: float, hours: float, *, account: str = "/a", gpus: int = 1) -> Task:
    """Return a task submitted `at` hours after the start; it computes for `hours`, and declares nothing."""
    job = small.job(name, account=account, gpus=gpus, submit=round(at * HOUR))
    return Task(job=job, work=Seconds(round(hours * HOUR)))


def workload(*tasks: Task, days: float = 30, streams: tuple[Stream, ...] = ()) -> Workload:
    """Return these tasks over so many days."""
    end = Instant(START + round(days * DAY))
    return Workload(start=START, end=end, tasks=tasks, streams=streams)
