"""Expectations of incidents: a failure hits what runs on its nodes and nothing else, a drain hits nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from policyctl.model.jobs import Outcome
from policyctl.model.workload import Incident
from policyctl.sim.record import Run
from policyctl.sim.scenarios.expectations import EmptiesWithin
from policyctl.sim.scenarios.history import JobHistory
from policyctl.sim.scenarios.miss import Miss

__all__ = ["empties_within", "hits_only"]


def hits_only(incident: Incident, jobs: Sequence[JobHistory]) -> Iterator[Miss]:
    """Yield runs on the nodes that outlived the failure, runs elsewhere that did not, and jobs that did not come back."""
    for job, run in _runs(incident, jobs):
        there = _touches(run, incident) and run.start < incident.at
        ended = run.outcome is Outcome.NODE_FAIL and run.end == incident.at
        if there and run.end > incident.at:
            yield Miss(subject=job.id, seen=run.end, bound=incident.at, unit="instant")
        elif ended and not there:
            yield Miss(subject=job.id, seen=1, bound=0, unit="times")
        elif ended and job.task.job.kind == "batch" and job.runs[-1] is run:
            yield Miss(subject=job.id, seen=None, bound=incident.at, unit="instant")


def empties_within(wanted: EmptiesWithin, incident: Incident, jobs: Sequence[JobHistory]) -> Iterator[Miss]:
    """Yield runs that began on the nodes meanwhile, that were there for too long, or that the drain ended."""
    latest = incident.at + wanted.within
    for job, run in _runs(incident, jobs):
        if not _touches(run, incident):
            continue
        if incident.at <= run.start < incident.until:
            yield Miss(subject=job.id, seen=run.start, bound=incident.until, unit="instant")
        elif (run.start < incident.at and run.end > latest) or (
            run.end == incident.at and run.outcome is Outcome.NODE_FAIL
        ):
            yield Miss(subject=job.id, seen=run.end, bound=latest, unit="instant")


def _runs(incident: Incident, jobs: Sequence[JobHistory]) -> Iterator[tuple[JobHistory, Run]]:
    return ((job, run) for job in jobs if job.task.job.pool == incident.pool for run in job.runs)


def _touches(run: Run, incident: Incident) -> bool:
    return any(node in incident.nodes for node, _ in run.placement)
