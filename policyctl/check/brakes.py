"""Preemption limits at a value that stops all preemption."""

from __future__ import annotations

from collections.abc import Iterator

from policyctl.catalogue import finding
from policyctl.check.index import Index
from policyctl.diagnostics import Finding
from policyctl.model.policy import place_of

__all__ = ["brakes_always_on"]


def brakes_always_on(index: Index) -> Iterator[Finding]:
    """Find a limit of 0, with which nothing may ever be preempted (P006)."""
    preemption = index.policy.preemption
    if preemption.per_job is not None and preemption.per_job.max == 0:
        yield finding(
            "P006",
            "no job may ever be preempted: the limit for each job is 0",
            place_of(preemption, "perJob.max"),
            help="write how often one job may be preempted within the time, such as `max: 3`",
            subject=f"Preemption {preemption.name}",
        )
    if preemption.max_gpu_hours_per_hour == 0:
        yield finding(
            "P006",
            "nothing may ever be preempted: the hourly limit of each pool is 0",
            place_of(preemption, "perPool.maxGpuHoursPerHour"),
            help="write how many GPU-hours may be preempted in an hour; to stop preemption for a while, write an "
            "Exception with `freeze`",
            subject=f"Preemption {preemption.name}",
        )
