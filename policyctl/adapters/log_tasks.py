"""One job of a log to one task: which of its runs were useful, and what is left out because nobody knows its work.

Of the attempts of one job those are useful that the cluster did not take away: a run that was preempted, requeued or
lost its node is done again by the next one, as far as a log can tell. Where every attempt was taken away, the longest
is what is known of the work. Sizes and limits are those of the last attempt that ran.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction

from policyctl.adapters.log_attempts import Lived
from policyctl.adapters.log_jobs import JobMaker
from policyctl.adapters.log_map import LogMap
from policyctl.adapters.log_notes import LogNotes
from policyctl.adapters.log_record import LogRecord
from policyctl.model.jobs import Job
from policyctl.model.workload import Task
from policyctl.units import Instant, Seconds

__all__ = ["NO_HABITS", "Habits", "LeftOut", "TaskMaker", "WorkloadCounts"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Habits:
    """What no log says of its jobs, and a simulation has to assume: the same for all batch jobs that can go on."""

    checkpoint_every: Seconds | None = None
    save_time: Seconds | None = None
    restart_overhead: Seconds = Seconds(0)
    restart_failure: Fraction = Fraction(0)


NO_HABITS = Habits()
"""Nothing is saved, and a restart costs nothing and never fails."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """A job of the log that is no task: its id, its first record, and why."""

    id: str
    number: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkloadCounts:
    """What became of every record and every job; `jobs` is the sum of the six numbers below it.

    `repeated_runs` are runs whose work a later run of their job did again, `longer_limits` time limits that were
    raised to what the job really computed, `provisional` tasks whose run had not ended: their work is what the log saw of it.
    """

    records: int = 0
    jobs: int = 0
    tasks: int = 0
    never_ran: int = 0
    no_time: int = 0
    without_gpus: int = 0
    outside_range: int = 0
    without_pool: int = 0
    repeated_runs: int = 0
    longer_limits: int = 0
    provisional: int = 0
    default_account: int = 0
    default_pool: int = 0
    default_user: int = 0


class TaskMaker:
    """Makes one task of the attempts of a job, and keeps account of what is left out."""

    def __init__(
        self,
        maker: JobMaker,
        notes: LogNotes,
        habits: Habits,
        seen: Instant,
        *,
        gpu_jobs_only: bool,
        since: Instant | None,
        until: Instant | None,
    ) -> None:
        self._maker, self._notes, self._habits, self._seen = maker, notes, habits, seen
        self._gpu_jobs_only, self._since, self._until = gpu_jobs_only, since, until
        self._failure = float(habits.restart_failure)
        self.left_out: list[LeftOut] = []
        self._ids: set[str] = set()
        self._counts: dict[str, int] = {}

    def task(self, attempts: Sequence[Lived]) -> Task | None:
        """Return the task of a job, or None where it is left out."""
        ran = [one.record for one in attempts if one.record.start is not None]
        useful = _useful(ran)
        work = 0
        for record in useful:
            work += self._length(record)
        shown = attempts[-1]
        if len(attempts) > 1:
            shown = next((one for one in reversed(attempts) if one.record.start is not None), shown)
        if (why := self._why_not(shown, ran, work)) is not None:
            self._leave_out(shown, why)
            return None
        job = self._maker.job(shown, at=self._seen, running=False, past=True)
        if job is None:
            self._leave_out(shown, "without_pool")
            return None
        if len(ran) > len(useful):
            self._count("repeated_runs", len(ran) - len(useful))
        if useful[-1].end is None:
            self._count("provisional")
        return self._made(self._within_limit(self._with_own_id(job), work), work)

    def _why_not(self, one: Lived, ran: Sequence[LogRecord], work: int) -> str | None:
        if (self._since is not None and one.first < self._since) or (
            self._until is not None and one.first >= self._until
        ):
            return "outside_range"
        if self._gpu_jobs_only and not _size(one.record, self._maker.log_map):
            return "without_gpus"
        if not ran:
            return "never_ran"
        return "no_time" if work <= 0 else None

    def _with_own_id(self, job: Job) -> Job:
        """Tell jobs apart whose counter of ids began again: the second one carries its user's name."""
        name = job.id
        while name in self._ids:
            name = f"{name}~{job.user}"
        self._ids.add(name)
        return job if name == job.id else replace(job, id=name)

    def _leave_out(self, one: Lived, why: str) -> None:
        self._count(why)
        record = one.record
        self.left_out.append(LeftOut(id=one.id, number=record.number, reason=why))
        if why in _WORDS:
            self._notes.count("L028", _WORDS[why], number=record.number, line=record.line)

    def _length(self, record: LogRecord) -> int:
        assert record.start is not None, "only runs have a length"
        return max(0, (self._seen if record.end is None else record.end) - record.start)

    def _within_limit(self, job: Job, work: int) -> Job:
        """Let the job have the time that it had: schedulers grant some minutes beyond a limit, and suspensions add to it."""
        needed = work + self._habits.restart_overhead
        if job.time_limit is None or needed <= job.time_limit:
            return job
        self._count("longer_limits")
        return replace(job, time_limit=Seconds(needed))

    def _made(self, job: Job, work: int) -> Task:
        habits = self._habits
        goes_on = job.resumable and job.kind == "batch"
        return Task(
            job=job,
            work=Seconds(work),
            checkpoint_every=habits.checkpoint_every if goes_on else None,
            save_time=habits.save_time if goes_on else None,
            restart_overhead=habits.restart_overhead,
            restart_failure=self._failure,
        )

    def _count(self, name: str, number: int = 1) -> None:
        self._counts[name] = self._counts.get(name, 0) + number

    def counts(self, records: int, tasks: int) -> WorkloadCounts:
        known = {field.name for field in fields(WorkloadCounts)}
        defaults = {
            name: number for name, number in self._maker.counted().items() if name in known - {"without_gpus"}
        }
        return WorkloadCounts(
            **{"records": records, "jobs": tasks + len(self.left_out), "tasks": tasks}
            | defaults
            | self._counts
        )


def _size(record: LogRecord, log_map: LogMap) -> int:
    return (record.processors or 0) if log_map.gpus_from == "processors" else record.gpus


def _useful(ran: Sequence[LogRecord]) -> Sequence[LogRecord]:
    if len(ran) == 1:
        return ran
    kept = [record for record in ran if record.outcome is None or not record.outcome.taken_away]
    if kept or not ran:
        return kept
    return [max(ran, key=lambda record: ((record.end or 0) - (record.start or 0), -record.number))]


_WORDS = {
    "never_ran": "{count} of jobs that never ran, left out: {which}",
    "no_time": "{count} of jobs that ran for no time at all, left out: {which}",
}
