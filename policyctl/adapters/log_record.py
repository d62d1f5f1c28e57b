"""One row of a job log in words that all formats share, before anything is mapped."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from policyctl.diagnostics import Finding
from policyctl.model.jobs import Outcome
from policyctl.units import Instant, MilliGpu, Seconds

__all__ = ["LogRead", "LogRecord"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LogRecord:
    """One attempt of one job.

    `number` counts the records of the file from 1, `line` is where it starts. `outcome` is None while the attempt
    has not ended, and then `end` is None too; an attempt that ended without `start` never ran. Texts are empty and
    numbers None where the log does not say. `gpus_counted` is False where the log has no count of GPUs at all,
    which is not the same as none. `group` is what the log divides its users into: Slurm's account, the group of
    SWF and CSV.
    """

    number: int
    line: int
    id: str
    cluster: str = ""
    user: str = ""
    group: str = ""
    partition: str = ""
    qos: str = ""
    name: str = ""
    array: str = ""
    submit: Instant
    start: Instant | None
    end: Instant | None
    outcome: Outcome | None
    state: str
    cancelled_by: str = ""
    gpus: MilliGpu
    gpus_counted: bool = True
    processors: int | None = None
    nodes: int | None = None
    time_limit: Seconds | None = None
    priority: int | None = None
    resumable: bool = True
    declared: Seconds | None = None
    kind: Literal["batch", "interactive"] | None = None
    placement: Mapping[str, MilliGpu] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LogRead:
    """What a log says, and what became of each of its rows.

    `rows` counts the rows that hold a record, and every one is in one place:
    `rows + expanded = len(records) + rejected + aside + repeated + merged`.
    """

    records: tuple[LogRecord, ...]
    findings: tuple[Finding, ...]
    rows: int
    rejected: int = 0
    aside: int = 0
    """Steps, partial records and records without a group: seen, and not billed."""
    repeated: int = 0
    merged: int = 0
    """Components of heterogeneous jobs beyond the first."""
    expanded: int = 0
    """Tasks of pending arrays beyond the first of each row."""
    facts: Mapping[str, int] = field(default_factory=dict)
    """How often each noteworthy thing was seen, by finding code."""
