"""What must agree between the fields and the records of a state: ids, pools, times, placements."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise

from policyctl.diagnostics import nearest
from policyctl.model.jobs import Job, Node, PastRun
from policyctl.units import Instant, format_duration, format_instant, gpus_text

__all__ = ["check_state"]

Contradiction = tuple[str, str, str, str | None]
"""Code, path, message and way out."""


def check_state(
    *,
    time: Instant | None,
    jobs: Sequence[tuple[str, Job]],
    usage: Sequence[tuple[str, PastRun]],
    nodes: Sequence[tuple[str, Node]] | None,
    pools: Collection[str] | None,
) -> Iterator[Contradiction]:
    """Yield every contradiction among records that were read; each record comes with its path."""
    yield from _twice(((path, job.id) for path, job in jobs), "id", "job")
    yield from _twice(((path, node.name) for path, node in nodes or ()), "name", "node")
    yield from _twice(
        ((path, (run.job.id, run.job.start)) for path, run in usage),
        "start",
        "run of the same job with this start",
    )
    if pools is not None:
        named = [(path, job.pool) for path, job in jobs] + [(path, run.job.pool) for path, run in usage]
        named += [(path, node.pool) for path, node in nodes or ()]
        yield from _unknown_pools(named, pools)
    for path, job in jobs:
        yield from _job_times(path, job, time)
        if job.placement is not None:
            yield from _placement(path, job)
    for path, run in usage:
        yield from _run_times(path, run, time)
    if nodes is not None:
        yield from _unknown_nodes(jobs, {node.name: node.pool for _, node in nodes})
    yield from _overlaps(jobs, usage)


def _twice(records: Iterable[tuple[str, object]], field: str, noun: str) -> Iterator[Contradiction]:
    first: dict[object, str] = {}
    for path, key in records:
        before = first.setdefault(key, path)
        if before != path:
            written = key if isinstance(key, str) else _text_of(key)
            yield (
                "J005",
                f"{path}.{field}",
                f"`{path}.{field}`: `{written}` is already the {noun} at `{before}`",
                None,
            )


def _text_of(key: object) -> str:
    return str(key[0]) if isinstance(key, tuple) else str(key)


def _unknown_pools(named: Iterable[tuple[str, str]], pools: Collection[str]) -> Iterator[Contradiction]:
    known = sorted(pools)
    hints: dict[str, str] = {}
    for path, pool in named:
        if pool in pools:
            continue
        if pool not in hints:
            close = nearest(pool, known)
            hints[pool] = (
                f"did you mean `{close}`?"
                if close
                else f"the pools are {', '.join(f'`{one}`' for one in known)}"
            )
        yield "J006", f"{path}.pool", f"`{path}.pool`: no Cluster document has a pool `{pool}`", hints[pool]


def _job_times(path: str, job: Job, time: Instant | None) -> Iterator[Contradiction]:
    if job.start is not None and job.start < job.submit:
        yield _order(path, "start", job.start, "before its submit", job.submit)
    if time is not None:
        if job.submit > time:
            yield _order(path, "submit", job.submit, "after the state's time", time)
        elif job.start is not None and job.start > time:
            yield _order(path, "start", job.start, "after the state's time", time)
        for one in job.preemptions:
            if one > time:
                yield _order(path, "preemptions", one, "after the state's time", time)
    yield from _checkpoint(path, job, time, "the state's time")
    yield from _limit(path, job)


def _run_times(path: str, run: PastRun, time: Instant | None) -> Iterator[Contradiction]:
    job = run.job
    start = job.submit if job.start is None else job.start
    if run.end < start:
        yield _order(path, "end", run.end, "before its start", start)
    if start < job.submit:
        yield _order(path, "start", start, "before its submit", job.submit)
    if time is not None and run.end > time:
        yield _order(path, "end", run.end, "after the state's time", time)
    yield from _checkpoint(path, job, run.end, "the run's end")
    yield from _limit(path, job)


def _checkpoint(path: str, job: Job, latest: Instant | None, what: str) -> Iterator[Contradiction]:
    checkpoint = job.last_checkpoint
    if checkpoint is None:
        return
    if job.start is None:
        field = f"{path}.last_checkpoint"
        yield (
            "J008",
            field,
            f"`{field}`: a job that does not run has no checkpoint of this run",
            "leave it out",
        )
    elif checkpoint < job.start:
        yield _order(path, "last_checkpoint", checkpoint, "before its start", job.start)
    elif latest is not None and checkpoint > latest:
        yield _order(path, "last_checkpoint", checkpoint, f"after {what}", latest)


def _limit(path: str, job: Job) -> Iterator[Contradiction]:
    if job.time_limit is not None and job.min_runtime > job.time_limit:
        field = f"{path}.min_runtime"
        yield (
            "J013",
            field,
            f"`{field}`: `{format_duration(job.min_runtime)}` is longer than the time limit `{format_duration(job.time_limit)}`",
            "the job pays for protection that it cannot use",
        )


def _order(path: str, field: str, value: Instant, wrong: str, other: Instant) -> Contradiction:
    return (
        "J008",
        f"{path}.{field}",
        f"`{path}.{field}`: `{format_instant(value)}` is {wrong}, `{format_instant(other)}`",
        None,
    )


def _placement(path: str, job: Job) -> Iterator[Contradiction]:
    field = f"{path}.placement"
    places = job.placement or {}
    if job.start is None:
        yield (
            "J009",
            field,
            f"`{field}`: the job has no `start`, so it runs nowhere",
            "leave the placement out, or say when it started",
        )
        return
    total = sum(places.values())
    if total != job.gpus:
        message = f"`{field}` adds up to `{gpus_text(total)}` GPUs, and the job has `{gpus_text(job.gpus)}`"
        yield "J009", field, message, None
    if len(places) != job.nodes:
        yield (
            "J009",
            field,
            f"`{field}` names `{len(places)}` nodes, and the job has `{job.nodes}`",
            "write `nodes` to match",
        )


def _unknown_nodes(jobs: Iterable[tuple[str, Job]], pools: dict[str, str]) -> Iterator[Contradiction]:
    for path, job in jobs:
        for name in job.placement or ():
            field = f"{path}.placement.{name}"
            if name not in pools:
                close = nearest(name, pools)
                yield (
                    "J009",
                    field,
                    f"`{field}`: no node of the state has this name",
                    f"did you mean `{close}`?" if close else None,
                )
            elif pools[name] != job.pool:
                yield (
                    "J009",
                    field,
                    f"`{field}`: the node is in pool `{pools[name]}`, and the job in `{job.pool}`",
                    None,
                )


def _overlaps(
    jobs: Iterable[tuple[str, Job]], usage: Iterable[tuple[str, PastRun]]
) -> Iterator[Contradiction]:
    runs: dict[str, list[tuple[int, int | None, str]]] = {}
    for path, run in usage:
        start = run.job.start
        if start is not None and run.end > start:
            runs.setdefault(run.job.id, []).append((start, run.end, path))
    for path, job in jobs:
        if job.start is not None and job.id in runs:
            runs[job.id].append((job.start, None, path))
    for name, spans in runs.items():
        if len(spans) == 1:
            continue
        spans.sort(key=lambda span: (span[0], span[2]))
        for (first, end, earlier), (begin, last, later) in pairwise(spans):
            twice = begin == first and end is not None and last is not None  # told as a repeated key already
            if (end is None or begin < end) and not twice:
                field = f"{later}.start"
                yield (
                    "J012",
                    field,
                    f"`{field}`: job `{name}` runs here while its run at `{earlier}` has not ended",
                    None,
                )
