"""What must agree between the records of a workload: ids, pools, nodes, times."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from policyctl.diagnostics import nearest
from policyctl.model.workload import Incident, Stream, Task
from policyctl.units import Instant, format_duration, format_instant

__all__ = ["Contradiction", "check_workload"]

Contradiction = tuple[str, str, str, str | None]
"""Code, path, message and way out."""
Placed = Sequence[tuple[str, Task]]


def check_workload(
    *,
    period: tuple[Instant, Instant] | None,
    tasks: Placed,
    streams: Sequence[tuple[str, Stream]],
    queued: Placed,
    incidents: Sequence[tuple[str, Incident]],
    pools: Mapping[str, int] | None,
) -> Iterator[Contradiction]:
    """Yield every contradiction among records that were read; each comes with its path.

    `queued` are the tasks of the streams; `pools` has the number of nodes of every pool that exists.
    """
    yield from _twice([*tasks, *queued])
    if pools is not None:
        yield from _pools([*tasks, *queued], incidents, pools)
    for path, task in (*tasks, *queued):
        yield from _limit(path, task)
    for path, incident in incidents:
        if incident.until <= incident.at:
            yield _contradiction(f"{path}.until", incident.until, "not after `at`", incident.at)
    if period is not None:
        first = _beginnings(streams, queued)
        paced = [(path, task) for path, task in queued if task.job.submit > first[path]]
        yield from _within(period, [*tasks, *paced], streams, incidents)
    yield from _early(streams, queued)


def _twice(tasks: Placed) -> Iterator[Contradiction]:
    first: dict[str, str] = {}
    for path, task in tasks:
        before = first.setdefault(task.job.id, path)
        if before != path:
            message = f"`{path}.id`: `{task.job.id}` is already the task at `{before}`"
            yield "J005", f"{path}.id", message, None


def _pools(
    tasks: Placed, incidents: Sequence[tuple[str, Incident]], pools: Mapping[str, int]
) -> Iterator[Contradiction]:
    named = [(path, task.job.pool) for path, task in tasks] + [(path, one.pool) for path, one in incidents]
    for path, pool in named:
        if pool not in pools:
            yield (
                "J006",
                f"{path}.pool",
                f"`{path}.pool`: no Cluster document has a pool `{pool}`",
                _meant(pool, pools),
            )
    for path, incident in incidents:
        count = pools.get(incident.pool)
        if count is not None and incident.nodes[-1] >= count:
            field = f"{path}.nodes"
            message = f"`{field}`: pool `{incident.pool}` has no node `{incident.nodes[-1]}`"
            yield "J014", field, message, f"its nodes are `0` to `{count - 1}`"


def _meant(pool: str, pools: Collection[str]) -> str:
    close = nearest(pool, pools)
    return (
        f"did you mean `{close}`?"
        if close
        else f"the pools are {', '.join(f'`{one}`' for one in sorted(pools))}"
    )


def _limit(path: str, task: Task) -> Iterator[Contradiction]:
    limit = task.job.time_limit
    if limit is not None and task.job.min_runtime > limit:
        field = f"{path}.min_runtime"
        message = f"`{field}`: `{format_duration(task.job.min_runtime)}` is longer than the time limit `{format_duration(limit)}`"
        yield "J013", field, message, "what lies beyond the limit protects nothing"


def _within(
    period: tuple[Instant, Instant],
    tasks: Placed,
    streams: Sequence[tuple[str, Stream]],
    incidents: Sequence[tuple[str, Incident]],
) -> Iterator[Contradiction]:
    start, end = period
    if end <= start:
        yield _contradiction("end", end, "not after `start`", start)
        return
    begins = [(f"{path}.submit", task.job.submit) for path, task in tasks]
    begins += [(f"{path}.first", stream.first) for path, stream in streams]
    begins += [(f"{path}.at", incident.at) for path, incident in incidents]
    for field, at in begins:
        if at < start:
            yield _contradiction(field, at, "before the workload's start", start)
        elif at >= end:
            yield _contradiction(field, at, "not before the workload's end", end)


def _early(streams: Sequence[tuple[str, Stream]], queued: Placed) -> Iterator[Contradiction]:
    first = _beginnings(streams, queued)
    for path, task in queued:
        if task.job.submit < first[path]:
            yield _contradiction(
                f"{path}.submit", task.job.submit, "before `first` of its stream", first[path]
            )


def _beginnings(streams: Sequence[tuple[str, Stream]], queued: Placed) -> dict[str, Instant]:
    """Return for each task of a stream when the stream begins, by the task's path."""
    first = {path: stream.first for path, stream in streams}
    return {path: first[path.rpartition(".tasks")[0]] for path, _ in queued}


def _contradiction(field: str, one: Instant, how: str, other: Instant) -> Contradiction:
    message = f"`{field}`: `{format_instant(one)}` is {how} `{format_instant(other)}`"
    return "J008", field, message, None
