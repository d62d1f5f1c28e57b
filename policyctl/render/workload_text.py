"""What a workload asks for, at a glance: each pool with its load, each program with its part of the demand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from policyctl.model.workload import Stream, Task, Workload
from policyctl.render.table_text import hours, table
from policyctl.units import format_duration, format_instant

__all__ = ["render"]


def render(workload: Workload, *, capacity: Mapping[str, int] | None) -> str:
    """Write a few lines and two tables; `capacity` has the GPUs of each pool, without it no load is told."""
    tasks = [*workload.tasks, *(task for stream in workload.streams for task in stream.tasks)]
    length = workload.end - workload.start
    lines = [f"{len(tasks):,} tasks from {format_instant(workload.start)}, {format_duration(length)}"]
    if workload.streams:
        lines += _queues(workload.streams)
    lines += ["", *_pools(tasks, length, capacity), "", *_programs(tasks)]
    return "\n".join(lines) + "\n"


def _queues(streams: Iterable[Stream]) -> Iterator[str]:
    full, limited = ([one for one in streams if one.paced is paced] for paced in (False, True))
    for some, told in ((full, "queues that their owners keep full"), (limited, "queues with a limit")):
        if some:
            yield f"  {sum(len(one.tasks) for one in some):,} of them in {len(some):,} {told}"


def _pools(tasks: Iterable[Task], length: int, capacity: Mapping[str, int] | None) -> list[str]:
    asked = _sums((task.job.pool, task) for task in tasks)
    rows = []
    for pool in sorted(asked):
        number, demand = asked[pool]
        gpus = capacity.get(pool) if capacity is not None else None
        load = f"{demand * 3600 / (gpus * length):.2f}" if gpus else ""
        rows.append([pool, f"{number:,}", hours(demand), load])
    return table(["pool", "tasks", "GPU-hours", "load"], rows, right=frozenset({1, 2, 3}))


def _programs(tasks: Iterable[Task]) -> list[str]:
    asked = _sums(("/" + task.job.account.split("/")[1], task) for task in tasks)
    total = sum(demand for _, demand in asked.values()) or 1.0
    rows = [
        [program, f"{number:,}", hours(demand), f"{100 * demand / total:.1f}%"]
        for program, (number, demand) in sorted(asked.items())
    ]
    return table(["program", "tasks", "GPU-hours", "part"], rows, right=frozenset({1, 2, 3}))


def _sums(named: Iterable[tuple[str, Task]]) -> dict[str, tuple[int, float]]:
    sums: dict[str, tuple[int, int]] = {}
    for name, task in named:
        number, ticks = sums.get(name, (0, 0))
        sums[name] = number + 1, ticks + task.work * task.job.gpus
    return {name: (number, ticks / 3_600_000) for name, (number, ticks) in sums.items()}
