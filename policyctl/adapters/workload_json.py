"""A workload file to `Workload`: every problem at its record, and no workload at all while there is one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from policyctl.adapters.json_records import JsonRecords, Problem
from policyctl.adapters.json_text import read_json
from policyctl.adapters.workload_checks import check_workload
from policyctl.adapters.workload_fields import INCIDENT, QUEUED, STREAM, TASK, TOP
from policyctl.adapters.workload_write import write_workload
from policyctl.diagnostics import Finding, Severity
from policyctl.errors import NoAnswer
from policyctl.model.jobs import Job
from policyctl.model.workload import Incident, Stream, Task, Workload
from policyctl.units import Instant, Seconds

__all__ = ["WorkloadRead", "read_workload", "write_workload"]

_OF_A_TASK = ("work", "checkpoint_every", "save_time", "restart_overhead", "restart_failure")


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkloadRead:
    """What a workload file says: the workload, or None while a finding is an error."""

    workload: Workload | None
    findings: tuple[Finding, ...]


def read_workload(data: bytes, *, file: str, pools: Mapping[str, int] | None = None) -> WorkloadRead:
    """Read a workload file; `pools` has the nodes of every pool that exists, None accepts any.

    Tasks come sorted by submission and id. Raises NoAnswer, with line and column, for text that is not one JSON object.
    """
    text, value = read_json(data, file=file)
    if not isinstance(value, dict):
        help_ = 'write `{"start": "…Z", "end": "…Z", "tasks": []}`'
        raise NoAnswer(f"{file}:1:1: a workload is one JSON object", help=help_)
    records = JsonRecords("a workload file")
    top = records.record(value, TOP, "")
    tasks = records.all(top.get("tasks"), TASK, "tasks", _task)
    streams, queued = _streams(records, top.get("streams"))
    incidents = records.all(top.get("incidents"), INCIDENT, "incidents", lambda fields: Incident(**fields))
    period = (top["start"], top["end"]) if "start" in top and "end" in top else None
    for code, path, message, way_out in check_workload(
        period=period, tasks=tasks, streams=streams, queued=queued, incidents=incidents, pools=pools
    ):
        parent = path.rpartition(".")[0]
        records.problems.append(Problem(code=code, path=path, message=message, help=way_out, instead=parent))
    findings = records.placed(text, file)
    if period is None or any(one.severity is Severity.ERROR for one in findings):
        return WorkloadRead(workload=None, findings=findings)
    workload = Workload(
        start=period[0],
        end=period[1],
        tasks=tuple(sorted((task for _, task in tasks), key=lambda one: (one.job.submit, one.job.id))),
        streams=tuple(stream for _, stream in streams),
        incidents=tuple(sorted((one for _, one in incidents), key=lambda one: (one.at, one.pool, one.nodes))),
    )
    return WorkloadRead(workload=workload, findings=findings)


def _streams(records: JsonRecords, values: object) -> tuple[list[tuple[str, Stream]], list[tuple[str, Task]]]:
    """Return the streams, and beside them their tasks with the path of each."""
    read = records.all(values, STREAM, "streams", lambda fields: fields)
    streams: list[tuple[str, Stream]] = []
    queued: list[tuple[str, Task]] = []
    for path, fields in read:
        first: Instant = fields["first"]
        mine = records.all(fields["tasks"], QUEUED, f"{path}.tasks", partial(_queued_task, first))
        queued += mine
        tasks = tuple(task for _, task in mine)
        pause: Seconds = fields.get("pause", Seconds(0))
        streams.append((path, Stream(tasks=tasks, depth=fields["depth"], first=first, pause=pause)))
    return streams, queued


def _queued_task(first: Instant, fields: dict[str, Any]) -> Task:
    return _task({"submit": first} | fields)


def _task(fields: dict[str, Any]) -> Task:
    own = {name: fields.pop(name) for name in _OF_A_TASK if name in fields}
    return Task(job=Job(**fields), **own)
