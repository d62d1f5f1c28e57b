"""The nine-column CSV of job logs to log records; its times are Unix seconds and decide over its state word."""

from __future__ import annotations

import csv
import io
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from policyctl.adapters.log_notes import BadRecord, LogNotes
from policyctl.adapters.log_record import LogRead, LogRecord
from policyctl.adapters.log_text import decoded
from policyctl.adapters.slurm_attempts import Attempt, gather
from policyctl.adapters.slurm_words import Phase, outcome_of, state_word
from policyctl.errors import NoAnswer
from policyctl.model.jobs import Outcome
from policyctl.units import BadQuantity, Instant, MilliGpu, parse_gpus

__all__ = ["COLUMNS", "read_csv"]

COLUMNS = ("job_id", "submit_time_s", "start_time_s", "end_time_s", "user", "group", "gpus", "nodes", "state")
_SECONDS = re.compile(r"\d{1,10}", re.ASCII)


class _CsvRows(Protocol):
    """What `csv.reader` gives: rows, and how many lines were read for them, as a quoted field may span several."""

    @property
    def line_num(self) -> int: ...

    def __next__(self) -> list[str]: ...

    def __iter__(self) -> Iterator[list[str]]: ...


def read_csv(data: bytes, *, file: str) -> LogRead:
    """Read a log whose header names the nine columns, in any order; an empty field is unknown, or never.

    Raises NoAnswer for another header.
    """
    notes = LogNotes(file)
    rows = csv.reader(io.StringIO(decoded(data, notes), newline=""))
    reader = _Reader(notes=notes)
    gathered = gather(reader.attempts(rows, _order(rows, file)), notes)
    return LogRead(
        records=gathered.records,
        findings=notes.findings(),
        rows=reader.rows,
        rejected=notes.rejected,
        repeated=gathered.repeated,
        facts=notes.facts(),
    )


def _order(rows: _CsvRows, file: str) -> Sequence[int]:
    header = [name.strip() for name in next(rows, [])]
    missing = [name for name in COLUMNS if name not in header]
    if missing or len(header) != len(COLUMNS):
        problem = (
            f"lacks `{missing[0]}`" if missing else f"has {len(header)} columns instead of {len(COLUMNS)}"
        )
        raise NoAnswer(f"{file}:1: the header {problem}", help=f"the first line is `{','.join(COLUMNS)}`")
    return [header.index(name) for name in COLUMNS]


@dataclass(slots=True)
class _Reader:
    """Rows to attempts, counting what becomes of them."""

    notes: LogNotes
    rows: int = 0

    def attempts(self, rows: _CsvRows, order: Sequence[int]) -> Iterator[Attempt]:
        line = 2
        source = iter(rows)
        while True:
            try:
                row = next(source)
            except StopIteration:
                return
            except csv.Error as problem:
                self.rows += 1
                self.notes.reject(BadRecord("L001", f"it is not CSV: {problem}"), number=self.rows, line=line)
                continue
            if row:
                self.rows += 1
                try:
                    yield self._attempt(row, order, line)
                except BadRecord as problem:
                    self.notes.reject(problem, number=self.rows, line=line)
            line = rows.line_num + 1

    def _attempt(self, row: list[str], order: Sequence[int], line: int) -> Attempt:
        if len(row) != len(COLUMNS):
            raise BadRecord(
                "L001",
                f"it has {len(row)} fields, and the header {len(COLUMNS)}",
                help="quote a field that holds a comma",
            )
        job_id, submit, start, end, user, group, gpus, nodes, state = [row[index] for index in order]
        if not job_id.strip():
            raise BadRecord("L002", "it has no `job_id`")
        submitted = _seconds(submit, "submit_time_s")
        if submitted is None:
            raise BadRecord("L002", "it has no `submit_time_s`")
        word, by = state_word(state)
        ran = self._settled(word, _seconds(start, "start_time_s"), _seconds(end, "end_time_s"), line)
        record = LogRecord(
            number=self.rows,
            line=line,
            id=job_id,
            user=sys.intern(user),
            group=sys.intern(group),
            submit=submitted,
            start=ran[0],
            end=ran[1],
            outcome=ran[2],
            state=sys.intern(word),
            cancelled_by=by,
            gpus=self._gpus(gpus, line),
            gpus_counted=bool(gpus),
            nodes=_nodes(nodes),
        )
        return Attempt(record=record, identity=job_id)

    def _settled(
        self, word: str, start: Instant | None, end: Instant | None, line: int
    ) -> tuple[Instant | None, Instant | None, Outcome | None]:
        state = None if word in {"", "UNKNOWN"} else outcome_of([word])
        outcome = state if isinstance(state, Outcome) else None
        if start is None:
            return self._never_started(state, end, line)
        if end is None:
            if outcome is not None:
                raise BadRecord("L003", f"it ended as `{outcome.value}`, and the log does not say when")
            return start, None, None
        if end < start:
            raise BadRecord("L003", f"it ends at `{end}`, before its start at `{start}`")
        if outcome is None:
            self.notes.count(
                "L016",
                "{count} whose outcome the log does not say, taken as completed: {which}",
                number=self.rows,
                line=line,
            )
        return start, end, outcome or Outcome.COMPLETED

    def _never_started(
        self, state: Outcome | Phase | None, end: Instant | None, line: int
    ) -> tuple[Instant | None, Instant | None, Outcome | None]:
        if state is Phase.RUNNING:
            raise BadRecord("L003", "it runs, and the log does not say since when")
        if state is Phase.PENDING or (state is None and end is None):
            return None, None, None
        if end is None:
            self.notes.count(
                "L011",
                "{count} that ended without a time: they bill nothing and never queue: {which}",
                number=self.rows,
                line=line,
            )
        return None, end, state if isinstance(state, Outcome) else Outcome.CANCELLED

    def _gpus(self, written: str, line: int) -> MilliGpu:
        if not written:
            self.notes.count(
                "L010", "{count} of unknown size bill nothing: {which}", number=self.rows, line=line
            )
            return MilliGpu(0)
        try:
            return parse_gpus(written)
        except BadQuantity as problem:
            raise BadRecord("L002", str(problem), help=problem.help) from None


def _seconds(written: str, column: str) -> Instant | None:
    if not written:
        return None
    if not _SECONDS.fullmatch(written):
        raise BadRecord(
            "L002",
            f"`{written[:40]}` in `{column}` is not a time in Unix seconds",
            help="write whole seconds since 1970, such as `1619827573`",
        )
    return Instant(int(written))


def _nodes(written: str) -> int | None:
    if not written:
        return None
    if not re.fullmatch(r"\d{1,9}", written, re.ASCII):
        raise BadRecord("L002", f"`{written[:40]}` is not a number of nodes")
    return int(written) or None
