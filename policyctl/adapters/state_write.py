"""`ClusterState` to a state file: the same bytes for the same state, one record a line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import lru_cache

from policyctl.adapters.clock_text import write_instant
from policyctl.model.jobs import ClusterState, Job, Node, PastRun
from policyctl.units import MilliGpu, format_duration, gpus_text

__all__ = ["Fields", "array", "as_text", "duration_text", "instant_text", "job_fields", "write_state"]

Fields = dict[str, str]
"""Field name to its value, already JSON."""


def write_state(state: ClusterState) -> bytes:
    """Write a state as `read_state` reads it: fields at their default are left out, records sorted by their key.

    Of a past run the fields that only a live job has (placement, topology, preemptions) are not written.
    """
    parts = [f'"time":{as_text(write_instant(state.time))}']
    parts.append(array("jobs", (_job(job) for job in sorted(state.jobs, key=lambda job: job.id))))
    runs = sorted(state.usage, key=lambda run: (run.job.id, run.job.start or 0, run.end))
    parts.append(array("usage", (_run(run) for run in runs)))
    if state.nodes is not None:
        parts.append(
            array("nodes", (_node(node) for node in sorted(state.nodes, key=lambda node: node.name)))
        )
    return ("{" + ",\n".join(parts) + "}\n").encode()


def array(name: str, records: Iterable[Fields]) -> str:
    """Write a list of records, one a line."""
    lines = ["{" + ",".join(f'"{field}":{value}' for field, value in one.items()) + "}" for one in records]
    return f'"{name}":[\n' + ",\n".join(lines) + "\n]" if lines else f'"{name}":[]'


as_text = json.JSONEncoder(ensure_ascii=False).encode


def instant_text(value: int) -> str:
    return f'"{write_instant(value)}"'


@lru_cache(maxsize=4_096)
def duration_text(value: int) -> str:
    return f'"{format_duration(value)}"'


def _shared(job: Job, *, submit: bool) -> Fields:
    fields = {
        "account": as_text(job.account),
        "user": as_text(job.user),
        "pool": as_text(job.pool),
        "gpus": gpus_text(job.gpus),
    }
    if job.nodes != 1:
        fields["nodes"] = str(job.nodes)
    if submit:
        fields["submit"] = instant_text(job.submit)
    if job.start is not None:
        fields["start"] = instant_text(job.start)
    return fields


def _wishes(job: Job) -> Fields:
    fields: Fields = {}
    if job.min_runtime:
        fields["min_runtime"] = duration_text(job.min_runtime)
    if job.time_limit is not None:
        fields["time_limit"] = duration_text(job.time_limit)
    if job.priority:
        fields["priority"] = str(job.priority)
    if job.kind != "batch":
        fields["kind"] = as_text(job.kind)
    if not job.resumable:
        fields["resumable"] = "false"
    if job.last_checkpoint is not None:
        fields["last_checkpoint"] = instant_text(job.last_checkpoint)
    if job.labels:
        fields["labels"] = _labels(job.labels)
    return fields


def _labels(labels: Mapping[str, str]) -> str:
    return "{" + ",".join(f"{as_text(name)}:{as_text(labels[name])}" for name in sorted(labels)) + "}"


def _placement(places: Mapping[str, MilliGpu]) -> str:
    return "{" + ",".join(f"{as_text(name)}:{gpus_text(places[name])}" for name in sorted(places)) + "}"


def job_fields(job: Job, *, submit: bool) -> Fields:
    """Return what is known of a job before it is placed; without `submit` that field is left out."""
    return {"id": as_text(job.id)} | _shared(job, submit=submit) | _wishes(job)


def _job(job: Job) -> Fields:
    fields = job_fields(job, submit=True)
    if job.preemptions:
        fields["preemptions"] = "[" + ",".join(instant_text(one) for one in sorted(job.preemptions)) + "]"
    if job.placement is not None:
        fields["placement"] = _placement(job.placement)
    if job.topology != "any":
        fields["topology"] = as_text(job.topology)
    return fields


def _run(run: PastRun) -> Fields:
    job = run.job
    fields = {"job": as_text(job.id)} | _shared(job, submit=job.submit != job.start)
    return fields | {"end": instant_text(run.end), "outcome": as_text(run.outcome.value)} | _wishes(job)


def _node(node: Node) -> Fields:
    fields = {"name": as_text(node.name), "pool": as_text(node.pool), "gpus": gpus_text(node.gpus)}
    if not node.available:
        fields["state"] = as_text("down")
    if node.block is not None:
        fields["block"] = as_text(node.block)
    return fields
