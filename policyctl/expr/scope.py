"""The variables that a rule may name, with the type of each.

Units: `gpus` counts GPUs; `usage`, `entitled` and `work_at_risk` count GPU-hours; durations and timestamps are
whole seconds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

__all__ = ["GUARD_SCOPE", "JOB_SCOPE", "Field", "Record", "Scope", "Type", "article"]


class Type(StrEnum):
    """What an expression can be; the value is how messages call it."""

    INT = "int"
    DOUBLE = "double"
    STRING = "string"
    BOOL = "bool"
    DURATION = "duration"
    TIMESTAMP = "timestamp"
    LABELS = "map(string, string)"
    LIST = "list"

    @property
    def numeric(self) -> bool:
        """Say whether values are numbers, which compare with each other."""
        return self in {Type.INT, Type.DOUBLE}


def article(kind: Type) -> str:
    """Name a type inside a sentence: `an int`, `a string`."""
    return f"an {kind}" if kind is Type.INT else f"a {kind}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A field of a record; an optional one may be absent, and reading it then is a fault unless `has()` guards it.

    `values` lists what a text can be, where that is known; comparing it with anything else is a mistake.
    """

    type: Type
    optional: bool = False
    values: tuple[str, ...] = ()


Record = Mapping[str, Field]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """The names at the root of an expression: records with fields, and plain variables."""

    records: Mapping[str, Record]
    variables: Mapping[str, Type]

    @property
    def names(self) -> tuple[str, ...]:
        """Every root name, sorted."""
        return tuple(sorted((*self.records, *self.variables)))


_JOB: dict[str, Field] = {
    "id": Field(type=Type.STRING),
    "account": Field(type=Type.STRING),
    "user": Field(type=Type.STRING),
    "pool": Field(type=Type.STRING),
    "gpus": Field(type=Type.DOUBLE),
    "nodes": Field(type=Type.INT),
    "kind": Field(type=Type.STRING, values=("batch", "interactive")),
    "interactive": Field(type=Type.BOOL),
    "resumable": Field(type=Type.BOOL),
    "priority": Field(type=Type.INT),
    "labels": Field(type=Type.LABELS),
    "min_runtime": Field(type=Type.DURATION),
    "time_limit": Field(type=Type.DURATION, optional=True),
    "submit": Field(type=Type.TIMESTAMP),
}
_VICTIM: dict[str, Field] = {
    **_JOB,
    "running_for": Field(type=Type.DURATION),
    "protected": Field(type=Type.BOOL),
    "class": Field(type=Type.STRING, values=("funded", "opportunistic")),
    "work_at_risk": Field(type=Type.DOUBLE),
}
_ACCOUNT: dict[str, Field] = {
    "path": Field(type=Type.STRING),
    "share": Field(type=Type.DOUBLE),
    "usage": Field(type=Type.DOUBLE),
    "entitled": Field(type=Type.DOUBLE),
}


def _scope(records: dict[str, dict[str, Field]], variables: dict[str, Type]) -> Scope:
    frozen = {name: MappingProxyType(fields) for name, fields in records.items()}
    return Scope(records=MappingProxyType(frozen), variables=MappingProxyType(variables))


JOB_SCOPE = _scope({"job": _JOB}, {"now": Type.TIMESTAMP})
"""What a protection cap sees: the job that asks."""
GUARD_SCOPE = _scope(
    {"job": _JOB, "preemptor": _JOB, "victim": _VICTIM, "account": _ACCOUNT},
    {"now": Type.TIMESTAMP},
)
"""What a guard sees: the job that asks (`job`, also `preemptor`), one victim, and the account that asks."""
