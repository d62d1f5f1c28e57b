"""Writes jobs, runs and nodes as the records of a state file, one a line, defaults left out."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime

from lab import DAY, HOUR, Pool
from submissions import Task


def instant(at: int) -> str:
    """Write an instant in UTC."""
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def duration(seconds: int) -> str:
    """Write a duration with its units, largest first."""
    text = ""
    for unit, size in (("d", DAY), ("h", HOUR), ("m", 60), ("s", 1)):
        number, seconds = divmod(seconds, size)
        text += f"{number}{unit}" if number else ""
    return text or "0s"


def number(gpus: float) -> float:
    """Write whole GPUs without a decimal point."""
    return int(gpus) if gpus == int(gpus) else gpus


def wishes(task: Task) -> dict[str, object]:
    """Return what the job asked for, as far as it is not the default."""
    record: dict[str, object] = {}
    if task.declared:
        record["min_runtime"] = duration(task.declared)
    record["time_limit"] = duration(task.limit)
    return record


def identity(task: Task) -> dict[str, object]:
    """Return whose job it is, and how large."""
    record: dict[str, object] = {"account": task.account, "user": task.user, "pool": task.pool}
    record["gpus"] = number(task.gpus)
    if task.nodes > 1:
        record["nodes"] = task.nodes
    return record


def past_record(task: Task, end: int, outcome: str) -> dict[str, object]:
    """Return the record of a run that ended."""
    record: dict[str, object] = {"job": task.id, **identity(task), "submit": instant(task.submit)}
    record |= {"start": instant(task.start), "end": instant(end), "outcome": outcome, **wishes(task)}
    if task.form.interactive:
        record["kind"] = "interactive"
    checkpoint = task.checkpoint(end)
    if outcome in {"preempted", "node_fail", "requeued"} and checkpoint is not None:
        record["last_checkpoint"] = instant(checkpoint)
    if task.labels:
        record["labels"] = task.labels
    return record


def live_record(task: Task, at: int, pool: Pool, *, running: bool) -> dict[str, object]:
    """Return the record of a job that runs or waits."""
    record: dict[str, object] = {"id": task.id, **identity(task), "submit": instant(task.submit)}
    if running:
        record["start"] = instant(task.start)
    record |= wishes(task)
    if task.priority:
        record["priority"] = task.priority
    if task.form.interactive:
        record["kind"] = "interactive"
    if not task.resumable:
        record["resumable"] = False
    checkpoint = task.checkpoint(at) if running else None
    if checkpoint is not None:
        record["last_checkpoint"] = instant(checkpoint)
    if task.labels:
        record["labels"] = task.labels
    if task.preempted:
        record["preemptions"] = [instant(one) for one in task.preempted]
    if running:
        places = sorted((f"{pool.name}-{node + 1}", number(gpus)) for node, gpus in task.places.items())
        record["placement"] = dict(places)
    if task.block:
        record["topology"] = "block"
    return record


def node_records(pool: Pool) -> Iterator[dict[str, object]]:
    """Yield the record of every node, down ones too."""
    for place in range(pool.nodes):
        record: dict[str, object] = {
            "name": f"{pool.name}-{place + 1}",
            "pool": pool.name,
            "gpus": pool.width,
        }
        if place + 1 in pool.out:
            record["state"] = "down"
        if pool.block < pool.nodes:
            record["block"] = f"{pool.name}-island-{place // pool.block + 1}"
        yield record


def array(name: str, records: Sequence[dict[str, object]]) -> str:
    """Write a list with one record a line."""
    write: Callable[[object], str] = json.JSONEncoder(separators=(",", ":")).encode
    return f'"{name}":[\n' + ",\n".join(write(record) for record in records) + "\n]"
