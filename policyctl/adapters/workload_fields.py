"""The fields of a workload file: those of a job that has not run yet, and what only a simulation knows of it."""

from __future__ import annotations

from dataclasses import replace

from policyctl.adapters.json_text import NumberText
from policyctl.adapters.state_fields import (
    JOB,
    BadValue,
    Field,
    Table,
    duration,
    instant,
    one_of,
    records,
    shown,
)
from policyctl.model.workload import IncidentKind
from policyctl.units import BadQuantity, Seconds, parse_share

__all__ = ["INCIDENT", "QUEUED", "STREAM", "TASK", "TOP"]

_OF_A_JOB = (
    "id",
    "account",
    "user",
    "pool",
    "gpus",
    "nodes",
    "submit",
    "min_runtime",
    "time_limit",
    "priority",
    "kind",
    "resumable",
    "labels",
    "topology",
)
_NODES_AT_MOST = 1_000_000


def _length(value: object) -> Seconds:
    """Read a duration above zero."""
    length = duration(value)
    if length:
        return length
    raise BadValue("J004", f"{shown(value)} is no time at all", help="write a duration above zero: `10m`")


def _probability(value: object) -> float:
    """Read a number from 0 to 1."""
    if isinstance(value, bool) or not isinstance(value, (int, NumberText)):
        raise BadValue("J003", f"{shown(value)} is not a number", help="write a number from 0 to 1: `0.02`")
    try:
        return float(parse_share(str(value)))
    except BadQuantity:
        raise BadValue(
            "J004", f"{shown(value)} is not a probability", help="write a number from 0 to 1: `0.02`"
        ) from None


def _depth(value: object) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and value >= 1:
        return value
    raise BadValue("J004", f"{shown(value)} is not a number of jobs", help="a queue holds at least `1` job")


def _node_numbers(value: object) -> tuple[int, ...]:
    """Read a list of node numbers, from 0, and sort them."""
    if not isinstance(value, list) or not value:
        raise BadValue(
            "J003", f"{shown(value)} is not a list of node numbers", help="write numbers from 0: `[0, 1]`"
        )
    for one in value:
        if isinstance(one, bool) or not isinstance(one, int) or not 0 <= one < _NODES_AT_MOST:
            raise BadValue(
                "J004", f"{shown(one)} is not the number of a node", help="nodes are counted from `0`"
            )
    return tuple(sorted(set(value)))


_KINDS = {kind.value: kind for kind in IncidentKind}
_kind_word = one_of(*_KINDS)


def _incident(value: object) -> IncidentKind:
    """Read what happens to the nodes."""
    return _KINDS[_kind_word(value)]


_WORK = {
    "work": Field(read=_length, required=True),
    "checkpoint_every": Field(read=_length),
    "save_time": Field(read=duration),
    "restart_overhead": Field(read=duration),
    "restart_failure": Field(read=_probability),
}

TASK = Table({**{name: JOB[name] for name in _OF_A_JOB}, **_WORK})
QUEUED = Table({**TASK, "submit": replace(TASK["submit"], required=False)})
STREAM = Table(
    {
        "first": Field(read=instant, required=True),
        "depth": Field(read=_depth, required=True),
        "pause": Field(read=duration),
        "tasks": Field(read=records, required=True),
    }
)
INCIDENT = Table(
    {
        "kind": Field(read=_incident, required=True),
        "pool": JOB["pool"],
        "nodes": Field(read=_node_numbers, required=True),
        "at": Field(read=instant, required=True),
        "until": Field(read=instant, required=True),
    }
)
TOP = Table(
    {
        "start": Field(read=instant, required=True),
        "end": Field(read=instant, required=True),
        "tasks": Field(read=records),
        "streams": Field(read=records),
        "incidents": Field(read=records),
    }
)
