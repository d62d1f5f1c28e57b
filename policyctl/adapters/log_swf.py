"""Standard Workload Format to log records: 18 numbers a line, of which -1 says that nobody knows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from policyctl.adapters.log_notes import BadRecord, LogNotes
from policyctl.adapters.log_record import LogRead, LogRecord
from policyctl.adapters.slurm_attempts import Attempt, gather
from policyctl.model.jobs import Outcome
from policyctl.units import Instant, MilliGpu, Seconds

__all__ = ["read_swf"]

_FIELDS = 18
_START = re.compile(r";\s*UnixStartTime\s*:\s*(\d{1,10})\b", re.ASCII | re.IGNORECASE)
_WHOLE = re.compile(r"-?\d{1,9}", re.ASCII)
_OUTCOMES = {
    0: Outcome.FAILED,
    1: Outcome.COMPLETED,
    3: Outcome.COMPLETED,
    4: Outcome.FAILED,
    5: Outcome.CANCELLED,
}
_PARTIAL = frozenset({2, 3, 4})


def read_swf(data: bytes, *, file: str) -> LogRead:
    """Read a workload; its times count from the header's UnixStartTime, or from 1970 without one.

    The header is free text in Latin-1 of which nothing else is read. Where a job has a summary and partial records,
    the summary is billed; where it has partial records only, those are.
    """
    notes = LogNotes(file)
    lines = data.decode("latin-1").split("\n")
    header = _header(lines)
    reader = _Reader(notes=notes, header=header, epoch=_epoch(lines[:header], notes))
    swf = list(reader.lines(lines))
    whole = {one.record.id for one in swf if not one.partial}
    kept = [one for one in swf if not one.partial or one.record.id not in whole]
    for one in swf:
        if one.partial and one.record.id in whole:
            notes.count(
                "L018",
                "{count} of parts of a job left aside: its summary is billed: {which}",
                number=one.record.number,
                line=one.record.line,
            )
    gathered = gather((Attempt(record=one.record, identity=one.record.id) for one in kept), notes)
    return LogRead(
        records=gathered.records,
        findings=notes.findings(),
        rows=reader.rows,
        rejected=notes.rejected,
        aside=len(swf) - len(kept),
        repeated=gathered.repeated,
        facts=notes.facts(),
    )


def _header(lines: list[str]) -> int:
    """Return how many lines come before the first that begins with a number: comments, and what broke out of them."""
    data = re.compile(r"\s*-?\d")
    return next((number for number, line in enumerate(lines) if data.match(line)), len(lines))


def _epoch(header: list[str], notes: LogNotes) -> int:
    for line in header:
        if found := _START.match(line.strip()):
            return int(found[1])
    message = "the header has no `UnixStartTime`: times count from 1970"
    notes.say("L014", message, help="instants of this log are only differences")
    return 0


@dataclass(frozen=True, slots=True)
class _Line:
    record: LogRecord
    partial: bool


@dataclass(slots=True)
class _Reader:
    """Lines to records, counting what becomes of them."""

    notes: LogNotes
    header: int
    epoch: int
    rows: int = 0

    def lines(self, lines: list[str]) -> Iterator[_Line]:
        for line, text in enumerate(lines, start=1):
            fields = text.split()
            if line <= self.header or not fields or fields[0].startswith(";"):
                continue
            self.rows += 1
            try:
                yield self._line(fields, line)
            except BadRecord as problem:
                self.notes.reject(problem, number=self.rows, line=line)

    def _line(self, fields: list[str], line: int) -> _Line:
        if len(fields) != _FIELDS:
            raise BadRecord("L001", f"it has {len(fields)} fields instead of {_FIELDS}")
        number, submit, wait, run, allocated = (_whole(fields[index]) for index in range(5))
        requested, limit, status = _whole(fields[7]), _whole(fields[8]), _whole(fields[10])
        if submit < 0:
            raise BadRecord("L002", "it has no time of submission")
        if status not in {-1, 0, 1, 2, 3, 4, 5}:
            raise BadRecord("L004", f"`{status}` is not a status of SWF", help="the statuses are `-1` to `5`")
        processors = allocated if allocated > 0 else requested
        if processors <= 0:
            self.notes.count(
                "L010", "{count} of unknown size bill nothing: {which}", number=self.rows, line=line
            )
        start, end, outcome = self._ran(submit, wait, run, status, line)
        record = LogRecord(
            number=self.rows,
            line=line,
            id=str(number),
            user=_name(fields[11]),
            group=_name(fields[12]),
            partition=_name(fields[15]),
            qos=_name(fields[14]),
            name=_name(fields[13]),
            submit=Instant(self.epoch + submit),
            start=start,
            end=end,
            outcome=outcome,
            state=str(status),
            gpus=MilliGpu(0),
            gpus_counted=False,
            processors=max(processors, 0),
            time_limit=Seconds(limit) if limit > 0 else None,
        )
        return _Line(record, partial=status in _PARTIAL)

    def _ran(
        self, submit: int, wait: int, run: int, status: int, line: int
    ) -> tuple[Instant | None, Instant | None, Outcome]:
        """Return start, end and outcome; a run of unknown length bills nothing, an unknown wait is none."""
        outcome = _OUTCOMES.get(status)
        if status == 2:
            outcome = Outcome.REQUEUED
        if outcome is None:
            self.notes.count(
                "L016",
                "{count} whose outcome the log does not say, taken as completed: {which}",
                number=self.rows,
                line=line,
            )
            outcome = Outcome.COMPLETED
        entered = self.epoch + submit
        if outcome is Outcome.CANCELLED and run <= 0:
            return None, Instant(entered + wait) if wait >= 0 else None, outcome
        if wait < 0 or run < 0:
            self.notes.count(
                "L011",
                "{count} whose wait or run is unknown: an unknown wait is taken as none, an unknown run bills nothing: {which}",
                number=self.rows,
                line=line,
            )
        start = entered + max(wait, 0)
        return Instant(start), Instant(start + max(run, 0)), outcome


def _whole(written: str) -> int:
    if not _WHOLE.fullmatch(written):
        raise BadRecord("L002", f"`{written[:40]}` is not a whole number of at most nine digits")
    return int(written)


def _name(written: str) -> str:
    return "" if written == "-1" else written
