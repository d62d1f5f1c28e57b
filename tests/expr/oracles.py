"""What other implementations of CEL say about a condition on one row: True, False, or None for an error.

cel-python takes the text as it is. The Python package of the C++ implementation takes no durations and instants
inside of maps, so they become variables of their own there (`job.submit` is `job_submit`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

from cel_expr_python import cel
from celpy import Runner, celtypes
from celpy.adapter import json_to_cel
from celpy.evaluation import CELEvalError

from policyctl.expr.parse import environment
from policyctl.expr.scope import JOB_SCOPE, Type

Answer = bool | None

_FIELDS = JOB_SCOPE.records["job"]
_TIMES = {
    name: field.type for name, field in _FIELDS.items() if field.type in {Type.DURATION, Type.TIMESTAMP}
}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

_CELPY: dict[Type, Callable[[Any], Any]] = {
    Type.INT: celtypes.IntType,
    Type.DOUBLE: celtypes.DoubleType,
    Type.STRING: celtypes.StringType,
    Type.BOOL: celtypes.BoolType,
    Type.DURATION: lambda value: celtypes.DurationType(timedelta(seconds=value)),
    Type.TIMESTAMP: lambda value: celtypes.TimestampType(_EPOCH + timedelta(seconds=value)),
    Type.LABELS: json_to_cel,
}


def by_cel_python(source: str, row: Mapping[str, Any], now: int) -> Answer:
    """Evaluate with cel-python's interpreted runner."""
    fields = {
        celtypes.StringType(name): _CELPY[_FIELDS[name].type](value) for name, value in row["job"].items()
    }
    variables = {"job": celtypes.MapType(fields), "now": _CELPY[Type.TIMESTAMP](now)}
    try:
        found = _program(source).evaluate(variables)
    except CELEvalError:
        return None
    return bool(found) if isinstance(found, celtypes.BoolType | bool) else None


@cache
def _program(source: str) -> Runner:
    env = environment()
    return env.program(env.compile(source))


@cache
def _cpp() -> cel.Env:
    variables = {"job": cel.Type.Map(cel.Type.STRING, cel.Type.DYN), "now": cel.Type.TIMESTAMP}
    for name, kind in _TIMES.items():
        variables[f"job_{name}"] = cel.Type.DURATION if kind is Type.DURATION else cel.Type.TIMESTAMP
        variables[f"has_job_{name}"] = cel.Type.BOOL
    return cel.NewEnv(variables=variables)


def by_cpp(source: str, row: Mapping[str, Any], now: int) -> Answer:
    """Evaluate with the C++ implementation, unchecked, so that int and double compare."""
    times = "|".join(_TIMES)
    source = re.sub(rf"has\(job\.({times})\)", r"has_job_\1", source)
    source = re.sub(rf"\bjob\.({times})\b", r"job_\1", source)
    data: dict[str, Any] = {"now": _EPOCH + timedelta(seconds=now), "job": {}}
    for name, kind in _TIMES.items():
        data[f"has_job_{name}"] = name in row["job"]
        if name in row["job"]:
            span = timedelta(seconds=row["job"][name])
            data[f"job_{name}"] = span if kind is Type.DURATION else _EPOCH + span
    data["job"] = {name: value for name, value in row["job"].items() if name not in _TIMES}
    found = _cpp().compile(source, disable_check=True).eval(data=data)
    return found.value() if found.type() == cel.Type.BOOL else None
