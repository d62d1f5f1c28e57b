"""The same workload under more or less pressure, and with the luck of its arrivals: what a sweep changes outside of the policy.

More load repeats jobs, less leaves some out, each by the chance of its own id: the days stay where they are, so that
bursts and idle spells keep their lengths, and a larger load has all that a smaller one has.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from math import ceil, floor

from policyctl.model.workload import Stream, Task, Workload
from policyctl.sim.luck import chance
from policyctl.units import Instant

__all__ = ["jittered", "loaded"]


def loaded(workload: Workload, load: Fraction, seed: int) -> Workload:
    """Return a workload whose tasks come `load` times on average; queues that are always full are that many times as long."""
    if load == 1:
        return workload
    return replace(
        workload,
        tasks=tuple(copy for task in workload.tasks for copy in _copies(task, load, seed)),
        streams=tuple(_loaded(stream, load, seed) for stream in workload.streams),
    )


def _copies(task: Task, load: Fraction, seed: int) -> Iterator[Task]:
    whole = floor(load)
    count = whole + (chance(seed, "load", task.job.id) < load - whole)
    for number in range(1, count + 1):
        yield task if number == 1 else replace(task, job=replace(task.job, id=f"{task.job.id}~{number}"))


def _loaded(stream: Stream, load: Fraction, seed: int) -> Stream:
    if stream.paced:
        return replace(
            stream, tasks=tuple(copy for task in stream.tasks for copy in _copies(task, load, seed))
        )
    return replace(stream, depth=max(1, ceil(stream.depth * load)))


def jittered(workload: Workload, most: int, seed: int) -> Workload:
    """Return a workload whose submissions come up to `most` seconds later, each by its own chance.

    Nothing that matters differs between two such workloads, so what a policy makes of them differs by luck alone.
    """
    if most <= 0:
        return workload
    return replace(
        workload,
        tasks=tuple(_later(task, most, seed) for task in workload.tasks),
        streams=tuple(
            _later_stream(stream, most, seed, number) for number, stream in enumerate(workload.streams)
        ),
    )


def _later_stream(stream: Stream, most: int, seed: int, number: int) -> Stream:
    if stream.paced:
        return replace(stream, tasks=tuple(_later(task, most, seed) for task in stream.tasks))
    return replace(stream, first=_moved(stream.first, most, seed, f"stream {number}"))


def _later(task: Task, most: int, seed: int) -> Task:
    return replace(task, job=replace(task.job, submit=_moved(task.job.submit, most, seed, task.job.id)))


def _moved(at: Instant, most: int, seed: int, name: str) -> Instant:
    return Instant(at + int(chance(seed, "jitter", name) * (most + 1)))
