"""The limit on how often one job may be preempted: which preemptions count, and until when they spare it from more."""

from __future__ import annotations

from policyctl.model.jobs import Job
from policyctl.model.policy import PerJobLimit
from policyctl.units import Instant

__all__ = ["ALWAYS", "lapse", "recent_preemptions", "spared_until"]

ALWAYS = 2**62


def recent_preemptions(limit: PerJobLimit, job: Job, now: int) -> list[Instant]:
    """Return the preemptions of a job that count at an instant, the oldest first."""
    return sorted(at for at in job.preemptions if now - limit.within < at <= now)


def lapse(limit: PerJobLimit, recent: list[Instant]) -> Instant | None:
    """Return when so many preemptions are not too many any more; None for a limit of 0, which no time lifts."""
    return Instant(recent[len(recent) - limit.max] + limit.within) if limit.max else None


def spared_until(limit: PerJobLimit | None, job: Job, now: int) -> int:
    """Return until when the preemptions that a job had by `now` spare it, `now` if they do not."""
    if limit is None or len(job.preemptions) < limit.max:
        return now
    recent = recent_preemptions(limit, job, now)
    if len(recent) < limit.max:
        return now
    return lapse(limit, recent) or ALWAYS
