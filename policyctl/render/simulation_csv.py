"""A simulation as rows for spreadsheets and programs: one for each job, or one for each decision."""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from collections.abc import Iterable, Sequence

from policyctl.model.jobs import Outcome
from policyctl.model.workload import Task
from policyctl.sim.kernel import Simulation
from policyctl.sim.record import Record, Run
from policyctl.units import format_instant, gpus_text

__all__ = ["DECISION_HEADER", "JOB_HEADER", "decisions", "jobs"]

JOB_HEADER = (
    *("contestant", "pool", "job", "account", "user", "kind", "gpus", "nodes", "submitted", "first_start"),
    *("wait_seconds", "class", "protection_seconds", "runs", "preemptions", "last_end", "state"),
    *("held_gpu_hours", "lost_gpu_hours"),
)
DECISION_HEADER = (
    *("contestant", "at", "pool", "decision", "job", "account", "user", "gpus", "attempt", "class"),
    *("protection_seconds", "waited_seconds", "victims"),
)
_THOUSANDTHS = 3_600_000  # of GPU-seconds, in one GPU-hour
Row = tuple[object, ...]


def jobs(contestants: Iterable[tuple[str, Simulation]]) -> str:
    """Write one row for each job that was submitted, by contestant, pool and submission.

    `class`, `protection_seconds` are those of its last run; `state` is `impossible`, `waiting`, `running` or how the last
    run ended. Time held and lost counts all runs up to the instant at which the simulation stands.
    """
    return _written(JOB_HEADER, (row for name, simulation in contestants for row in _jobs(name, simulation)))


def decisions(contestants: Iterable[tuple[str, Simulation]]) -> str:
    """Write one row for each start and each granted preemption, by contestant, instant, pool and job.

    The job of a `preempt` is the one that capacity was freed for; `victims` are ids with a space between them.
    """
    return _written(
        DECISION_HEADER, (row for name, simulation in contestants for row in _decisions(name, simulation))
    )


def _written(header: Sequence[str], rows: Iterable[Row]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue()


def _jobs(name: str, simulation: Simulation) -> Iterable[Row]:
    for pool in sorted(simulation.pools):
        record, tasks = simulation.pools[pool].record_at(simulation.now), simulation.tasks(pool)
        runs: dict[int, list[Run]] = defaultdict(list)
        for run in record.runs:
            runs[run.row].append(run)
        special = dict.fromkeys((row for row, _, until in record.waits if until is None), "waiting")
        special |= dict.fromkeys(record.impossible, "impossible")
        for row in sorted(record.submitted, key=lambda row: (record.submitted[row], tasks[row].job.id)):
            made = sorted(runs[row], key=lambda run: run.attempt)
            state = special.get(row) or (made[-1].outcome or "running")
            yield (name, pool, *_job(tasks[row], record.submitted[row], made, state))


def _job(task: Task, submitted: int, runs: Sequence[Run], state: str) -> Row:
    job = task.job
    first, last = (runs[0], runs[-1]) if runs else (None, None)
    held = sum(run.end - run.start for run in runs) * job.gpus / _THOUSANDTHS
    lost = sum(run.lost for run in runs) * job.gpus / _THOUSANDTHS
    return (
        *(job.id, job.account, job.user, job.kind, gpus_text(job.gpus), job.nodes),
        format_instant(submitted),
        format_instant(first.start) if first else "",
        first.start - submitted if first else "",
        _klass(last) if last else "",
        last.protection if last else "",
        len(runs),
        sum(run.outcome is Outcome.PREEMPTED for run in runs),
        format_instant(last.end) if last and last.outcome is not None else "",
        state,
        f"{held:.6f}",
        f"{lost:.6f}",
    )


def _klass(run: Run) -> str:
    return "funded" if run.funded else "opportunistic"


def _decisions(name: str, simulation: Simulation) -> Iterable[Row]:
    made: list[tuple[int, str, str, int, Row]] = []
    for pool in sorted(simulation.pools):
        record, tasks = simulation.pools[pool].record_at(simulation.now), simulation.tasks(pool)
        made += _starts(pool, record, tasks)
        made += _evictions(pool, record, tasks)
    for at, pool, _, _, row in sorted(made, key=lambda one: one[:4]):
        yield (name, format_instant(at), pool, *row)


def _starts(pool: str, record: Record, tasks: Sequence[Task]) -> Iterable[tuple[int, str, str, int, Row]]:
    waited = {(row, until): until - since for row, since, until in record.waits if until is not None}
    for run in record.runs:
        job = tasks[run.row].job
        row: Row = (
            *("start", job.id, job.account, job.user, gpus_text(job.gpus)),
            *(run.attempt, _klass(run), run.protection, waited.get((run.row, run.start), ""), ""),
        )
        yield run.start, pool, job.id, run.attempt, row


def _evictions(pool: str, record: Record, tasks: Sequence[Task]) -> Iterable[tuple[int, str, str, int, Row]]:
    for number, eviction in enumerate(record.evictions):
        job = tasks[eviction.row].job
        victims = " ".join(sorted(tasks[row].job.id for row in eviction.victims))
        row: Row = (
            "preempt",
            job.id,
            job.account,
            job.user,
            gpus_text(job.gpus),
            "",
            "funded",
            "",
            "",
            victims,
        )
        # Before whatever starts at the same instant: a plan for a job comes before its start.
        yield eviction.at, pool, job.id, number - len(record.evictions), row
