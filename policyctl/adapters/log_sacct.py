"""`sacct --parsable2` text to log records: allocations, never steps, each attempt once."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from policyctl.adapters.log_notes import BadRecord, LogNotes
from policyctl.adapters.log_record import LogRead, LogRecord
from policyctl.adapters.log_text import decoded, text_lines
from policyctl.adapters.slurm_attempts import NO_PROOF, Attempt, settle
from policyctl.adapters.slurm_rows import Row, Rows
from policyctl.adapters.slurm_times import naive, read_time
from policyctl.adapters.slurm_words import (
    Tres,
    array_tasks,
    outcome_of,
    parse_elapsed,
    parse_limit,
    parse_tres,
    set_number,
    state_word,
)
from policyctl.errors import NoAnswer
from policyctl.model.jobs import Outcome
from policyctl.units import Instant, MilliGpu, Seconds

__all__ = ["read_sacct"]

_HEADER_WITHIN = 10
_NEEDED = ("jobid", "state", "submit", "start", "end")
_PENDING_ARRAY = re.compile(r"(\d+)_(\[.+\])", re.ASCII)
_COMPONENT = re.compile(r"(\d+)\+(\d+)", re.ASCII)
_HELP = "name the columns of a log without a header in the map: `columns: [JobID, State, …]`"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Layout:
    """Which column is where, how rows are cut, and where the data begin."""

    columns: tuple[str, ...]
    delimiter: str
    header: int | None


def read_sacct(
    data: bytes,
    *,
    file: str,
    zone: str = "UTC",
    columns: Sequence[str] = (),
    delimiter: str = "",
    tres: Mapping[str, str] | None = None,
) -> LogRead:
    """Read what `sacct --parsable2` printed, with its header or with the names of its `columns`.

    `zone` is the time zone of times without an offset, `tres` names TRES that are only numbers. Raises NoAnswer
    when neither a header nor `columns` say which field is which.
    """
    notes = LogNotes(file)
    lines = text_lines(decoded(data, notes))
    layout = _layout(lines, tuple(columns), delimiter, file)
    rows = Rows(notes=notes)
    reader = _Reader(rows=rows, layout=layout, zone=zone, tres=dict(tres or {}))
    if any(naive(piece) for line in lines for piece in line.split(layout.delimiter)):
        help_ = "set `timezone` in the map to the cluster's"
        notes.say("L014", f"times without an offset were read as `{zone}`", help=help_)
    notes.say("L015", NO_PROOF)
    return rows.read(_data_lines(lines, layout), reader.row)


def _data_lines(lines: Sequence[str], layout: _Layout) -> Iterator[tuple[int, str, object]]:
    """Yield the lines that hold records; a header that comes again, as in exports put together, is none."""
    header = None if layout.header is None else lines[layout.header]
    for line, text in enumerate(lines, start=1):
        if text.strip() and text != header:
            yield line, "", text


def _layout(lines: Sequence[str], columns: tuple[str, ...], delimiter: str, file: str) -> _Layout:
    for number, line in enumerate(lines[:_HEADER_WITHIN]):
        cut = delimiter or _delimiter_of(line)
        names = tuple(name.strip().lower().partition("%")[0] for name in line.split(cut)) if cut else ()
        if {"jobid", "jobidraw"} & set(names) and "state" in names:
            return _complete(_Layout(columns=names, delimiter=cut, header=number), file)
    if not columns:
        raise NoAnswer(f"{file}: no line of the first {_HEADER_WITHIN} is a header of sacct", help=_HELP)
    names = tuple(name.strip().lower() for name in columns)
    return _complete(_Layout(columns=names, delimiter=delimiter or "|", header=None), file)


def _delimiter_of(line: str) -> str:
    found = re.match(r"\s*[A-Za-z]+([^A-Za-z0-9_% ]+)[A-Za-z]", line)
    return found[1] if found else ""


def _complete(layout: _Layout, file: str) -> _Layout:
    missing = [
        name
        for name in _NEEDED
        if name not in layout.columns and not (name == "jobid" and "jobidraw" in layout.columns)
    ]
    if missing:
        names = ", ".join(f"`{name}`" for name in missing)
        raise NoAnswer(
            f"{file}: the columns {names} are missing",
            help="export with --format=JobID,JobIDRaw,State,Submit,Start,End,…",
        )
    return layout


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reader:
    """One row to one attempt."""

    rows: Rows
    layout: _Layout
    zone: str
    tres: dict[str, str]

    def row(self, text: object) -> Row | None:
        row = self._fields(str(text))
        job_id = (row.get("jobid") or row.get("jobidraw", "")).strip()
        if not job_id:
            raise BadRecord("L002", "it has no `JobID`")
        if "." in job_id:
            self.rows.note("L018", "{count} of steps left aside: their allocation is billed")
            return None
        found = _PENDING_ARRAY.fullmatch(job_id)
        attempt = self._attempt(row, job_id)
        return (
            Row(attempt=attempt, base=found[1], tasks=array_tasks(found[2]))
            if found
            else Row(attempt=attempt)
        )

    def _fields(self, text: str) -> dict[str, str]:
        fields = text.split(self.layout.delimiter)
        wanted = len(self.layout.columns)
        if len(fields) != wanted:
            raise BadRecord(
                "L001",
                f"it has {len(fields)} fields, and the header {wanted}",
                help="a job's name may hold the delimiter: export with another, such as `--delimiter='|#'`",
            )
        return dict(zip(self.layout.columns, fields, strict=True))

    def _attempt(self, row: Mapping[str, str], job_id: str) -> Attempt:
        word, by = state_word(row["state"])
        state = outcome_of([word] if word else [])
        submit, settled_start, end = self._times(row)
        elapsed = _elapsed(row)
        if word == "RESIZING" and settled_start is not None and end is not None and end > settled_start:
            state = Outcome.REQUEUED
        settled = settle(state, start=settled_start, end=end, elapsed=elapsed)
        if submit is None:
            raise BadRecord("L002", "it has no time of submission")
        used = self._tres(row, ran=settled.start is not None)
        component = _COMPONENT.fullmatch(job_id)
        raw = row.get("jobidraw", "").strip() or job_id
        declared = self.rows.declared(row.get("comment", ""))
        record = LogRecord(
            number=self.rows.number,
            line=self.rows.line,
            id=raw,
            cluster=row.get("cluster", ""),
            user=row.get("user", ""),
            group=row.get("account", ""),
            partition=row.get("partition", ""),
            qos=row.get("qos", ""),
            name=row.get("jobname", ""),
            array=job_id if "_" in job_id else "",
            submit=submit,
            start=settled.start,
            end=settled.end,
            outcome=settled.outcome,
            state=word,
            cancelled_by=by,
            gpus=used.gpus or MilliGpu(0),
            gpus_counted=used.gpus is not None,
            processors=_count(row, "ncpus"),
            nodes=_count(row, "nnodes") or used.nodes,
            time_limit=_limit(row),
            priority=_count(row, "priority"),
            declared=declared.min_runtime,
            kind=declared.kind,
        )
        return Attempt(
            record=record, identity=row.get("dbindex") or raw, part_of=component[1] if component else ""
        )

    def _times(self, row: Mapping[str, str]) -> tuple[Instant | None, Instant | None, Instant | None]:
        submit, start = read_time(row["submit"], self.zone), read_time(row["start"], self.zone)
        end = read_time(row["end"], self.zone)
        if start is not None and end is not None and end < start:
            end = read_time(row["end"], self.zone, later=True)
        return submit, start, end

    def _tres(self, row: Mapping[str, str], *, ran: bool) -> Tres:
        written = row.get("alloctres", "") if ran else ""
        return self.rows.named(parse_tres(written or row.get("reqtres", ""), self.tres))


def _elapsed(row: Mapping[str, str]) -> Seconds | None:
    raw = row.get("elapsedraw", "").strip()
    if raw:
        if not re.fullmatch(r"\d{1,9}", raw, re.ASCII):
            raise BadRecord(
                "L002" if not raw.startswith("-") else "L003", f"`{raw[:20]}` is not a time that passed"
            )
        return Seconds(int(raw))
    written = row.get("elapsed", "").strip()
    if written.startswith("-"):
        raise BadRecord("L003", f"`{written[:20]}` is a negative time")
    return parse_elapsed(written) if written and written.upper() not in {"INVALID", "UNKNOWN"} else None


def _limit(row: Mapping[str, str]) -> Seconds | None:
    raw = parse_limit(row.get("timelimitraw", ""))
    return parse_limit(row.get("timelimit", "")) if raw is None else raw


def _count(row: Mapping[str, str], name: str) -> int | None:
    written = row.get(name, "").strip()
    if not written:
        return None
    if not re.fullmatch(r"-?\d{1,20}", written, re.ASCII):
        raise BadRecord("L002", f"`{written[:20]}` is not a number in `{name}`")
    return set_number(int(written))
