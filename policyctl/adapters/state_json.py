"""A state file to `ClusterState`: every problem at its record, and no state at all while there is one."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from policyctl.adapters.json_records import JsonRecords, Problem
from policyctl.adapters.json_text import read_json
from policyctl.adapters.state_checks import check_state
from policyctl.adapters.state_fields import JOB, NODE, RUN, TOP
from policyctl.adapters.state_write import write_state
from policyctl.catalogue import CATALOGUE
from policyctl.diagnostics import Finding, Severity
from policyctl.errors import NoAnswer
from policyctl.model.jobs import ClusterState, Job, Node, PastRun

__all__ = ["StateRead", "read_state", "state_of", "write_state"]


@dataclass(frozen=True, slots=True, kw_only=True)
class StateRead:
    """What a state file says: the state, or None while a finding is an error."""

    state: ClusterState | None
    findings: tuple[Finding, ...]


def read_state(data: bytes, *, file: str, pools: Collection[str] | None = None) -> StateRead:
    """Read a state file; `pools` are the pools that exist, or None to accept any.

    Records keep no order of the file: jobs come sorted by id, runs by job and start, nodes by name. Raises
    NoAnswer, with line and column, for text that is not one JSON object.
    """
    text, value = read_json(data, file=file)
    if not isinstance(value, dict):
        raise NoAnswer(f"{file}:1:1: a state is one JSON object", help='write `{"time": "…Z", "jobs": []}`')
    records = JsonRecords("a state file")
    state = state_of(value, records, pools=pools)
    return StateRead(state=state, findings=records.placed(text, file))


def state_of(
    value: dict[str, object], records: JsonRecords, *, pools: Collection[str] | None = None
) -> ClusterState | None:
    """Return the state that an object describes, or None while a problem in `records` is an error."""
    top = records.record(value, TOP, "")
    jobs = records.all(top.get("jobs"), JOB, "jobs", _job)
    usage = records.all(top.get("usage"), RUN, "usage", _run)
    nodes = records.all(top.get("nodes"), NODE, "nodes", _node)
    for code, path, message, way_out in check_state(
        time=top.get("time"), jobs=jobs, usage=usage, nodes=nodes if "nodes" in top else None, pools=pools
    ):
        parent = path.rpartition(".")[0]
        records.problems.append(Problem(code=code, path=path, message=message, help=way_out, instead=parent))
    failed = any(CATALOGUE[one.code].severity is Severity.ERROR for one in records.problems)
    if "time" not in top or failed:
        return None
    return ClusterState(
        time=top["time"],
        jobs=tuple(sorted((job for _, job in jobs), key=lambda job: job.id)),
        usage=tuple(
            sorted((run for _, run in usage), key=lambda run: (run.job.id, run.job.start or 0, run.end))
        ),
        nodes=tuple(sorted((node for _, node in nodes), key=lambda node: node.name))
        if "nodes" in top
        else None,
    )


def _job(fields: dict[str, Any]) -> Job:
    return Job(**fields)


def _run(fields: dict[str, Any]) -> PastRun:
    end, outcome = fields.pop("end"), fields.pop("outcome")
    fields["id"] = fields.pop("job")
    fields.setdefault("submit", fields["start"])
    return PastRun(job=Job(**fields), end=end, outcome=outcome)


def _node(fields: dict[str, Any]) -> Node:
    if "state" in fields:
        fields["available"] = fields.pop("state")
    return Node(**fields)
