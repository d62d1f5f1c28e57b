"""`ClusterState` to a state file: the same bytes for the same state, one record a line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import lru_cache

from policyctl.adapters.clock_text import write_instant
from policyctl.model.jobs import ClusterState, Job, Node, PastRun
from policyctl.units import MilliGpu, format_duration, gpus_text

__all__ = ["write_state"]

_Fields = dict[str, str]
"""Field name to its value, already JSON."""


def write_state(state: ClusterState) -> bytes:
    """Write a state as `read_state` reads it: fields at their default are left out, records sorted by their key.

    Of a past run the fields that only a live job has (placement, topology, preemptions) are not written.
    """
    parts = [f'"time":{_text(write_instant(state.time))}']
    parts.append(_array("jobs", (_job(job) for job in sorted(state.jobs, key=lambda job: job.id))))
    runs = sorted(state.usage, key=lambda run: (run.job.id, run.job.start or 0, run.end))
    parts.append(_array("usage", (_run(run) for run in runs)))
    if state.nodes is not None:
        parts.append(
            _array("nodes", (_node(node) for node in sorted(state.nodes, key=lambda node: node.name)))
        )
    return ("{" + ",\n".join(parts) + "}\n").encode()


def _array(name: str, records: Iterable[_Fields]) -> str:
    lines = ["{" + ",".join(f'"{field}":{value}' for field, value in one.items()) + "}" for one in records]
    return f'"{name}":[\n' + ",\n".join(lines) + "\n]" if lines else f'"{name}":[]'


_text = json.JSONEncoder(ensure_ascii=False).encode


def _instant(value: int) -> str:
    return f'"{write_instant(value)}"'


@lru_cache(maxsize=4_096)
def _duration(value: int) -> str:
    return f'"{format_duration(value)}"'


def _shared(job: Job, *, submit: bool) -> _Fields:
    fields = {
        "account": _text(job.account),
        "user": _text(job.user),
        "pool": _text(job.pool),
        "gpus": gpus_text(job.gpus),
    }
    if job.nodes != 1:
        fields["nodes"] = str(job.nodes)
    if submit:
        fields["submit"] = _instant(job.submit)
    if job.start is not None:
        fields["start"] = _instant(job.start)
    return fields


def _wishes(job: Job) -> _Fields:
    fields: _Fields = {}
    if job.min_runtime:
        fields["min_runtime"] = _duration(job.min_runtime)
    if job.time_limit is not None:
        fields["time_limit"] = _duration(job.time_limit)
    if job.priority:
        fields["priority"] = str(job.priority)
    if job.kind != "batch":
        fields["kind"] = _text(job.kind)
    if not job.resumable:
        fields["resumable"] = "false"
    if job.last_checkpoint is not None:
        fields["last_checkpoint"] = _instant(job.last_checkpoint)
    if job.labels:
        fields["labels"] = _labels(job.labels)
    return fields


def _labels(labels: Mapping[str, str]) -> str:
    return "{" + ",".join(f"{_text(name)}:{_text(labels[name])}" for name in sorted(labels)) + "}"


def _placement(places: Mapping[str, MilliGpu]) -> str:
    return "{" + ",".join(f"{_text(name)}:{gpus_text(places[name])}" for name in sorted(places)) + "}"


def _job(job: Job) -> _Fields:
    fields = {"id": _text(job.id)} | _shared(job, submit=True) | _wishes(job)
    if job.preemptions:
        fields["preemptions"] = "[" + ",".join(_instant(one) for one in sorted(job.preemptions)) + "]"
    if job.placement is not None:
        fields["placement"] = _placement(job.placement)
    if job.topology != "any":
        fields["topology"] = _text(job.topology)
    return fields


def _run(run: PastRun) -> _Fields:
    job = run.job
    fields = {"job": _text(job.id)} | _shared(job, submit=job.submit != job.start)
    return fields | {"end": _instant(run.end), "outcome": _text(run.outcome.value)} | _wishes(job)


def _node(node: Node) -> _Fields:
    fields = {"name": _text(node.name), "pool": _text(node.pool), "gpus": gpus_text(node.gpus)}
    if not node.available:
        fields["state"] = _text("down")
    if node.block is not None:
        fields["block"] = _text(node.block)
    return fields
