"""Log records to the cluster's state as it stood at one instant: who waited, who ran, what the window had used."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, fields
from enum import Enum

from policyctl.adapters.log_attempts import Lived, lived
from policyctl.adapters.log_jobs import JobMaker
from policyctl.adapters.log_map import LogMap
from policyctl.adapters.log_notes import LogNotes
from policyctl.adapters.log_record import LogRecord
from policyctl.diagnostics import Finding, ordered
from policyctl.model.jobs import ClusterState, Job, Outcome, PastRun
from policyctl.units import Instant, format_instant

__all__ = ["ImportCounts", "StateBuild", "build_state"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportCounts:
    """What became of every record, and how many of those in the state needed a default.

    `records` is the sum of the eight numbers below it.
    """

    records: int = 0
    queue: int = 0
    running: int = 0
    usage: int = 0
    before_window: int = 0
    not_yet_submitted: int = 0
    never_ran: int = 0
    superseded: int = 0
    without_pool: int = 0
    default_account: int = 0
    default_pool: int = 0
    default_user: int = 0
    without_gpus: int = 0
    provisional: int = 0
    """Running jobs whose end the log does not know."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StateBuild:
    """The state, what was counted on the way, and what an operator should know about it."""

    state: ClusterState
    counts: ImportCounts
    findings: tuple[Finding, ...]


class _Fate(Enum):
    """What a record is at the instant."""

    QUEUE = "queue"
    RUNNING = "running"
    USAGE = "usage"
    BEFORE_WINDOW = "before_window"
    NOT_YET_SUBMITTED = "not_yet_submitted"
    NEVER_RAN = "never_ran"


def build_state(
    records: Sequence[LogRecord],
    log_map: LogMap,
    *,
    at: Instant,
    window_start: Instant | None = None,
    pools: Collection[str] | None = None,
    file: str = "log",
) -> StateBuild:
    """Return the state at `at`, with the runs that ended by then and after `window_start` (None: all of them).

    Records that no rule maps go to the map's defaults; where there is no default pool, or the pool is none of
    `pools`, the record is an error and left out.
    """
    notes = LogNotes(file)
    maker = JobMaker(log_map, notes, pools, any(record.gpus_counted for record in records))
    tally = _Tally(records=len(records))
    live: dict[str, _Live] = {}
    usage: dict[tuple[str, Instant | None], _Run] = {}
    for one in lived(records):
        fate = _fate(one, at, window_start)
        if fate in _GONE:
            tally.add(fate.value)
            continue
        job = maker.job(one, at=at, running=fate is not _Fate.QUEUE, past=fate is _Fate.USAGE)
        if job is None:
            tally.add("without_pool")
        elif fate is _Fate.USAGE:
            _keep_run(usage, _Run(record=one.record, past=_past(one.record, job)), notes, tally)
        else:
            _keep_one(live, _Live(one=one, fate=fate, job=job), notes, tally)
    jobs = [entry.job for entry in live.values()]
    _count_live(live, tally, notes, at)
    tally.add("usage", len(usage))
    maker.say_defaults()
    counts = tally.counts(maker)
    state = ClusterState(
        time=at,
        jobs=tuple(sorted(jobs, key=lambda job: job.id)),
        usage=tuple(
            sorted(
                (run.past for run in usage.values()),
                key=lambda run: (run.job.id, run.job.start or 0, run.end),
            )
        ),
    )
    return StateBuild(state=state, counts=counts, findings=ordered(notes.findings()))


_GONE = frozenset({_Fate.BEFORE_WINDOW, _Fate.NOT_YET_SUBMITTED, _Fate.NEVER_RAN})


def _fate(one: Lived, at: Instant, window_start: Instant | None) -> _Fate:
    record = one.record
    start, end = record.start, record.end
    if start is not None and start <= at:
        if end is None or at < end:
            return _Fate.RUNNING
        seen = window_start is None or end > window_start or (end == start and end >= window_start)
        return _Fate.USAGE if seen else _Fate.BEFORE_WINDOW
    if one.entered > at:
        return _Fate.NOT_YET_SUBMITTED
    if start is None and record.outcome is not None and (end is None or end <= at):
        return _Fate.NEVER_RAN
    return _Fate.QUEUE


def _past(record: LogRecord, job: Job) -> PastRun:
    assert record.end is not None, "a past run has an end"
    return PastRun(job=job, end=record.end, outcome=record.outcome or Outcome.COMPLETED)


@dataclass(slots=True)
class _Tally:
    """Counts by the names of ImportCounts."""

    records: int
    seen: dict[str, int] = field(default_factory=dict)

    def add(self, name: str, number: int = 1) -> None:
        self.seen[name] = self.seen.get(name, 0) + number

    def counts(self, maker: JobMaker) -> ImportCounts:
        numbers = {"records": self.records} | self.seen | maker.counted()
        return ImportCounts(**{one.name: numbers.get(one.name, 0) for one in fields(ImportCounts)})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Live:
    """A record that is in the queue or runs, with the job made of it."""

    one: Lived
    fate: _Fate
    job: Job

    @property
    def claim(self) -> tuple[bool, int, int, int]:
        record = self.one.record
        return self.fate is _Fate.RUNNING, record.start or 0, record.submit, record.number


def _keep_one(live: dict[str, _Live], entry: _Live, notes: LogNotes, tally: _Tally) -> None:
    """Keep one live record a job: a running one before a waiting one, then the one that started last."""
    before = live.get(entry.one.id)
    if before is None:
        live[entry.one.id] = entry
        return
    left, kept = sorted((before, entry), key=lambda two: two.claim)
    live[entry.one.id] = kept
    record = left.one.record
    tally.add("superseded")
    message = "{count} of jobs that have another live record, left out: {which}"
    notes.count("L012", message, number=record.number, line=record.line)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Run:
    """A record that ended, with the run made of it."""

    record: LogRecord
    past: PastRun


def _keep_run(
    usage: dict[tuple[str, Instant | None], _Run], run: _Run, notes: LogNotes, tally: _Tally
) -> None:
    """Keep one run for a job and a start: the longest, then the first."""
    key = run.past.job.id, run.past.job.start
    before = usage.setdefault(key, run)
    if before is run:
        return
    left, kept = sorted((before, run), key=lambda two: (two.past.end, -two.record.number))
    usage[key] = kept
    tally.add("superseded")
    message = "{count} of runs that have another record with the same start, left out: {which}"
    notes.count("L012", message, number=left.record.number, line=left.record.line)


def _count_live(live: dict[str, _Live], tally: _Tally, notes: LogNotes, at: Instant) -> None:
    for entry in live.values():
        tally.add(entry.fate.value)
        record = entry.one.record
        if entry.fate is _Fate.RUNNING and record.end is None:
            tally.add("provisional")
            notes.count(
                "L021",
                f"{{count}} of runs without an end, charged up to `{format_instant(at)}`: {{which}}",
                number=record.number,
                line=record.line,
            )
