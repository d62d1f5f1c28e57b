"""Log records to a workload: the jobs of a range as tasks, and an account of all that is not in it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from policyctl.adapters.log_attempts import Lived, lived
from policyctl.adapters.log_jobs import JobMaker
from policyctl.adapters.log_map import LogMap
from policyctl.adapters.log_notes import LogNotes
from policyctl.adapters.log_record import LogRecord
from policyctl.adapters.log_tasks import NO_HABITS, Habits, LeftOut, TaskMaker, WorkloadCounts
from policyctl.diagnostics import Finding, ordered
from policyctl.errors import NothingVerified
from policyctl.model.workload import Task, Workload
from policyctl.units import Instant

__all__ = ["WorkloadBuild", "build_workload"]


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkloadBuild:
    """The workload, what is not in it, what was counted on the way, and what an operator should know."""

    workload: Workload
    left_out: tuple[LeftOut, ...]
    counts: WorkloadCounts
    findings: tuple[Finding, ...]


def build_workload(
    records: Sequence[LogRecord],
    log_map: LogMap,
    *,
    since: Instant | None = None,
    until: Instant | None = None,
    scale: Fraction = Fraction(1),
    gpu_jobs_only: bool = False,
    habits: Habits = NO_HABITS,
    pools: Collection[str] | None = None,
    file: str = "log",
) -> WorkloadBuild:
    """Return the jobs submitted in `[since, until)` (None: of the whole log) as tasks, by submission and id.

    `scale` is the factor on the load: the same jobs come in `1/scale` of the time, every gap between two submissions
    shrinks alike. The workload begins with `since` or the first submission, and ends with `until` (scaled) or where
    the log does. Raises NothingVerified where no job is left.
    """
    notes = LogNotes(file)
    maker = JobMaker(log_map, notes, pools, any(record.gpus_counted for record in records))
    seen = max((record.end or record.start or record.submit for record in records), default=Instant(0))
    making = TaskMaker(maker, notes, habits, seen, gpu_jobs_only=gpu_jobs_only, since=since, until=until)
    tasks = [task for attempts in _jobs(records) if (task := making.task(attempts)) is not None]
    if not tasks:
        raise NothingVerified(f"no job of `{file}` becomes a task", help="look at the range and at the map")
    tasks.sort(key=lambda task: (task.job.submit, task.job.id))
    start = since if since is not None else tasks[0].job.submit
    last = until if until is not None else Instant(max(seen, tasks[-1].job.submit) + 1)
    tasks = [_scaled(task, start, scale) for task in tasks]
    maker.say_defaults()
    return WorkloadBuild(
        workload=Workload(
            start=start,
            end=Instant(_after(Instant(last - 1), start, scale) + 1),
            tasks=tuple(sorted(tasks, key=lambda task: (task.job.submit, task.job.id))),
        ),
        left_out=tuple(making.left_out),
        counts=making.counts(len(records), len(tasks)),
        findings=ordered(notes.findings()),
    )


def _jobs(records: Sequence[LogRecord]) -> list[list[Lived]]:
    """Return the attempts of each job in order, jobs in the order of their first record."""
    jobs: dict[tuple[str, str], list[Lived]] = {}
    for one in lived(records):
        jobs.setdefault((one.id, one.record.user), []).append(one)
    for attempts in jobs.values():
        if len(attempts) > 1:
            attempts.sort(key=lambda one: (one.entered, one.record.number))
    return list(jobs.values())


def _scaled(task: Task, start: Instant, scale: Fraction) -> Task:
    if scale == 1:
        return task
    return replace(task, job=replace(task.job, submit=_after(task.job.submit, start, scale)))


def _after(at: Instant, start: Instant, scale: Fraction) -> Instant:
    return Instant(start + (at - start) * scale.denominator // scale.numerator)
