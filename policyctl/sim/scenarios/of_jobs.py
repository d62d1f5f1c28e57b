"""Expectations of single jobs: when they start and end, how often they run, what their contracts were worth."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from policyctl.model.jobs import Outcome
from policyctl.sim.record import Run
from policyctl.sim.scenarios.expectations import (
    Completes,
    KeepsContracts,
    LosesAtMost,
    Preempted,
    ProtectedAtMost,
    RunsAtMost,
    StartsWithin,
)
from policyctl.sim.scenarios.history import JobHistory
from policyctl.sim.scenarios.miss import Miss

__all__ = [
    "completes",
    "keeps_contracts",
    "loses_at_most",
    "preempted",
    "protected_at_most",
    "runs_at_most",
    "starts_within",
]

Jobs = Sequence[JobHistory]


def starts_within(wanted: StartsWithin, jobs: Jobs, now: int) -> Iterator[Miss]:
    """Yield late starts; a job that still waits is missed only once its time is over."""
    for job in jobs:
        if job.submitted is not None:
            began = job.runs[0].start if job.runs else None
            yield from _late(job, job.submitted, began, wanted.within, now)


def completes(wanted: Completes, jobs: Jobs, now: int) -> Iterator[Miss]:
    """Yield jobs not done in time; without a time, whatever was submitted has to be done at the end."""
    for job in jobs:
        if job.submitted is not None:
            done = next((run.end for run in job.runs if run.outcome is Outcome.COMPLETED), None)
            within = now - job.submitted if wanted.within is None else wanted.within
            yield from _late(job, job.submitted, done, within, now)


def _late(job: JobHistory, since: int, at: int | None, within: int, now: int) -> Iterator[Miss]:
    if at is None and since + within <= now:
        yield Miss(subject=job.id, seen=None, bound=within, unit="seconds")
    elif at is not None and at - since > within:
        yield Miss(subject=job.id, seen=at - since, bound=within, unit="seconds")


def runs_at_most(wanted: RunsAtMost, jobs: Jobs) -> Iterator[Miss]:
    """Yield jobs that ran too often; every attempt is a run."""
    for job in jobs:
        if len(job.runs) > wanted.times:
            yield Miss(subject=job.id, seen=len(job.runs), bound=wanted.times, unit="times")


def preempted(wanted: Preempted, jobs: Jobs) -> Iterator[Miss]:
    """Yield how many runs were preempted, if it is not as expected; one job may count several times."""
    times = sum(run.outcome is Outcome.PREEMPTED for job in jobs for run in job.runs)
    if times < wanted.at_least:
        yield Miss(subject=wanted.jobs, seen=times, bound=wanted.at_least, unit="times")
    if wanted.at_most is not None and times > wanted.at_most:
        yield Miss(subject=wanted.jobs, seen=times, bound=wanted.at_most, unit="times")


def keeps_contracts(wanted: KeepsContracts, jobs: Jobs) -> Iterator[Miss]:
    """Yield broken promises; a run may end by itself, or with its node, whatever it was promised."""
    del wanted
    for job in jobs:
        for run in job.runs:
            held = run.end - run.start
            if run.outcome is Outcome.PREEMPTED and held < run.protection:
                yield Miss(subject=job.id, seen=held, bound=run.protection, unit="seconds")


def protected_at_most(wanted: ProtectedAtMost, jobs: Jobs) -> Iterator[Miss]:
    """Yield jobs that were granted more; how long they then ran is not asked."""
    for job in jobs:
        most = max((run.protection for run in job.runs), default=0)
        if most > wanted.length:
            yield Miss(subject=job.id, seen=most, bound=wanted.length, unit="seconds")


def loses_at_most(wanted: LosesAtMost, jobs: Jobs) -> Iterator[Miss]:
    """Compare what was lost, restart overhead included, with what all runs held."""
    held = sum(_ticks(job, run.end - run.start) for job in jobs for run in job.runs)
    lost = sum(_ticks(job, run.lost) for job in jobs for run in _ended(job.runs))
    part = Fraction(lost, held) if held else Fraction(0)
    if part > wanted.part:
        yield Miss(subject=wanted.jobs, seen=part, bound=wanted.part, unit="part")


def _ended(runs: Sequence[Run]) -> Iterator[Run]:
    return (run for run in runs if run.outcome is not None)


def _ticks(job: JobHistory, seconds: int) -> int:
    return job.task.job.gpus * seconds
