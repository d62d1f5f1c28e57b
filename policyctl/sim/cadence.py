"""The rhythm of a workload: how long its jobs are, and how programs alternate between bursts and idle spells.

A program is busy from the submission of a job until that job would be done if it started at once; a gap shorter than a
day is a night, not an idle spell. A closed loop is busy from its first submission until its stock would be used up. What
comes before a program's first burst is an idle spell too, but only bursts that follow each other make a rhythm.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from statistics import median

from policyctl.model.sweep import Cadence, ProgramCadence
from policyctl.model.tree import ancestors
from policyctl.model.workload import Stream, Task, Workload
from policyctl.sim.measure_recovery import IDLE

__all__ = ["cadence"]

Stretch = tuple[int, int]


def cadence(workload: Workload) -> Cadence:
    """Measure the rhythm of a workload."""
    tasks = [*workload.tasks, *(task for stream in workload.streams for task in stream.tasks)]
    bursts = {
        account: _bursts(stretches, int(workload.end)) for account, stretches in _busy(workload).items()
    }
    cycles = [after[0] - before[0] for found in bursts.values() for before, after in pairwise(found)]
    return Cadence(
        jobs=len(tasks),
        job=_weighted(tasks, 50),
        job_long=_weighted(tasks, 90),
        cycle=int(median(cycles)) if cycles else None,
        programs=tuple(
            _program(account, found, int(workload.start)) for account, found in sorted(bursts.items())
        ),
    )


def _busy(workload: Workload) -> dict[str, list[Stretch]]:
    busy: dict[str, list[Stretch]] = defaultdict(list)
    for task in workload.tasks:
        busy[_program_of(task.job.account)].append((task.job.submit, task.job.submit + task.work))
    for stream in workload.streams:
        if stream.tasks:
            busy[_program_of(stream.tasks[0].job.account)] += _stretches(stream)
    return busy


def _stretches(stream: Stream) -> list[Stretch]:
    if stream.paced:
        return [(task.job.submit, task.job.submit + task.work) for task in stream.tasks]
    work = sum(task.work + stream.pause for task in stream.tasks)
    return [(stream.first, stream.first + work // max(1, stream.depth))]


def _program_of(account: str) -> str:
    lineage = ancestors(account)
    return lineage[1] if len(lineage) > 1 else account


def _bursts(stretches: Iterable[Stretch], end: int) -> tuple[Stretch, ...]:
    """Merge what lies less than a day apart, up to the end of the workload."""
    merged: list[Stretch] = []
    for since, until in sorted(stretches):
        if since >= end:
            continue
        if merged and since - merged[-1][1] < IDLE:
            merged[-1] = (merged[-1][0], max(merged[-1][1], min(until, end)))
        else:
            merged.append((since, min(until, end)))
    return tuple(merged)


def _program(account: str, bursts: Sequence[Stretch], start: int) -> ProgramCadence:
    ends = [start, *(until for _, until in bursts)]
    gaps = [since - end for end, (since, _) in zip(ends, bursts, strict=False)]
    spells = [gap for gap in gaps if gap >= IDLE]
    return ProgramCadence(
        account=account,
        bursts=len(bursts),
        burst=_median(until - since for since, until in bursts),
        spells=len(spells),
        spell=_median(spells),
        longest_spell=max(spells, default=None),
    )


def _median(values: Iterable[int]) -> int | None:
    found = sorted(values)
    return int(median(found)) if found else None


def _weighted(tasks: Sequence[Task], percent: int) -> int:
    """Return the length of jobs below which that percentage of all GPU time lies; 0 where there is none."""
    total = sum(task.work * task.job.gpus for task in tasks)
    passed = 0
    for length, time in _by_length(tasks):
        passed += time
        if passed * 100 >= total * percent:
            return length
    return 0


def _by_length(tasks: Sequence[Task]) -> Iterator[tuple[int, int]]:
    yield from sorted((int(task.work), task.work * task.job.gpus) for task in tasks)
