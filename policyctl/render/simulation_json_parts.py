"""The smaller nouns of a simulation as JSON values: pools, waits, users, sessions, returns, series."""

from __future__ import annotations

from typing import Any

from policyctl.model.measures import (
    Drain,
    ImpossibleJob,
    Interactive,
    LongestWait,
    PoolMeasures,
    PoolSeries,
    PreemptionDay,
    Recovery,
    UserProtection,
    WaitLine,
    WaitStatistics,
)
from policyctl.units import format_instant

__all__ = [
    "impossible_job",
    "interactive",
    "longest_wait",
    "pool",
    "preemption_day",
    "recovery",
    "series",
    "user",
    "wait_line",
]


def pool(one: PoolMeasures) -> dict[str, Any]:
    """Return what was measured of a pool."""
    return {
        "pool": one.pool,
        "gpus": one.gpus,
        "capacity_gpu_hours": one.capacity,
        "offered_gpu_hours": one.offered,
        "occupied_gpu_hours": one.occupied,
        "claimed_gpu_hours": one.claimed,
        "fragmentation_gpu_hours": one.fragmentation,
        "occupancy": one.occupancy,
        "drains": [_drain(drain) for drain in one.drains],
    }


def _drain(one: Drain) -> dict[str, Any]:
    return {
        "nodes": one.nodes,
        "at": format_instant(one.at),
        "until": format_instant(one.until),
        "empty_after_seconds": one.seconds,
    }


def wait_line(line: WaitLine) -> dict[str, Any]:
    """Return the waits of one cut through the jobs."""
    return {
        "pool": line.pool,
        "account": line.account,
        "size": line.size,
        "class": line.klass,
        **_waits(line.waits),
    }


def _waits(one: WaitStatistics) -> dict[str, Any]:
    return {
        "jobs": one.jobs,
        "never_started": one.never_started,
        "median_seconds": one.median,
        "p90_seconds": one.p90,
        "p99_seconds": one.p99,
        "longest_seconds": one.longest,
    }


def longest_wait(one: LongestWait) -> dict[str, Any]:
    """Return the longest wait of a size."""
    return {
        "size": one.size,
        "job": one.job,
        "pool": one.pool,
        "account": one.account,
        "since": format_instant(one.since),
        "seconds": one.seconds,
        "still_waiting": one.still_waiting,
    }


def preemption_day(one: PreemptionDay) -> dict[str, Any]:
    """Return the preemptions of a day in a pool."""
    return {"pool": one.pool, "day": one.day, "preemptions": one.preemptions, "lost_gpu_hours": one.lost}


def user(one: UserProtection) -> dict[str, Any]:
    """Return the protection that a user bought."""
    return {
        "account": one.account,
        "user": one.user,
        "runs": one.runs,
        "bought_gpu_hours": one.bought,
        "used_gpu_hours": one.used,
        "unused_gpu_hours": one.unused,
    }


def interactive(one: Interactive) -> dict[str, Any]:
    """Return what became of interactive sessions."""
    return {
        "sessions": one.sessions,
        "started": one.started,
        "completed": one.completed,
        "cut": one.cut,
        "cut_protected": one.cut_protected,
        "waits": None if one.waits is None else _waits(one.waits),
        "shortest_warning_seconds": one.shortest_warning,
        "median_warning_seconds": one.median_warning,
    }


def recovery(one: Recovery) -> dict[str, Any]:
    """Return how long a program that came back took to have its share."""
    return {
        "pool": one.pool,
        "account": one.account,
        "idle_seconds": one.idle,
        "returned": format_instant(one.returned),
        "recovered_after_seconds": one.seconds,
    }


def series(one: PoolSeries) -> dict[str, Any]:
    """Return a pool over time: GPUs as means over each bin, usage and share as parts of one at each bin's end."""
    return {
        "pool": one.pool,
        "start": format_instant(one.start),
        "bin_seconds": one.width,
        "bins": one.bins,
        "offered_gpus": list(one.offered),
        "preemptions": list(one.preemptions),
        "programs": [
            {
                "account": program.account,
                "occupied_gpus": list(program.occupied),
                "usage": list(program.usage),
                "share": list(program.share),
            }
            for program in one.programs
        ],
    }


def impossible_job(one: ImpossibleJob) -> dict[str, Any]:
    """Return a job that its pool could not hold even if empty."""
    return {"job": one.job, "pool": one.pool, "account": one.account, "gpus": one.gpus, "nodes": one.nodes}
