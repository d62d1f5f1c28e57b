"""`Workload` to a workload file: the same bytes for the same workload, one task a line."""

from __future__ import annotations

from decimal import Decimal

from policyctl.adapters.state_write import Fields, array, as_text, duration_text, instant_text, job_fields
from policyctl.model.workload import Incident, Stream, Task, Workload

__all__ = ["write_workload"]


def write_workload(workload: Workload) -> bytes:
    """Write a workload as `read_workload` reads it; fields at their default are left out.

    Tasks come by submission and id, incidents by instant, pool and nodes. Streams and their tasks keep their order,
    which is what they mean.
    """
    tasks = sorted(workload.tasks, key=lambda task: (task.job.submit, task.job.id))
    incidents = sorted(workload.incidents, key=lambda one: (one.at, one.pool, one.nodes, one.kind, one.until))
    parts = [f'"start":{instant_text(workload.start)},"end":{instant_text(workload.end)}']
    parts.append(array("tasks", (_task(task, submit=True) for task in tasks)))
    if workload.streams:
        parts.append('"streams":[\n' + ",\n".join(_stream(one) for one in workload.streams) + "\n]")
    if incidents:
        parts.append(array("incidents", (_incident(one) for one in incidents)))
    return ("{" + ",\n".join(parts) + "}\n").encode()


def _task(task: Task, *, submit: bool) -> Fields:
    job = task.job
    fields = job_fields(job, submit=submit)
    if job.topology != "any":
        fields["topology"] = as_text(job.topology)
    fields["work"] = duration_text(task.work)
    if task.checkpoint_every is not None:
        fields["checkpoint_every"] = duration_text(task.checkpoint_every)
    if task.save_time is not None:
        fields["save_time"] = duration_text(task.save_time)
    if task.restart_overhead:
        fields["restart_overhead"] = duration_text(task.restart_overhead)
    if task.restart_failure:
        fields["restart_failure"] = f"{Decimal(repr(task.restart_failure)):f}"
    return fields


def _stream(stream: Stream) -> str:
    fields = {"first": instant_text(stream.first), "depth": str(stream.depth)}
    if stream.pause:
        fields["pause"] = duration_text(stream.pause)
    head = ",".join(f'"{name}":{value}' for name, value in fields.items())
    tasks = (_task(task, submit=task.job.submit > stream.first) for task in stream.tasks)
    return "{" + head + "," + array("tasks", tasks) + "}"


def _incident(incident: Incident) -> Fields:
    return {
        "kind": as_text(incident.kind.value),
        "pool": as_text(incident.pool),
        "nodes": "[" + ",".join(map(str, incident.nodes)) + "]",
        "at": instant_text(incident.at),
        "until": instant_text(incident.until),
    }
