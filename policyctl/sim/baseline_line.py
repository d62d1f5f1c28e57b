"""A lane in which nobody passes: the first job in the order holds the line, and only work that asked for nothing goes around.

Jobs that declare a minimum runtime start strictly in the order of `key`: while the first of them does not fit, the
others wait, as they do under a policy. Jobs that declare none are what a cluster calls preemptible: they fill what is
idle, in the same order, whoever fits first. Here too nobody is ever preempted, so they can keep the line waiting.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from collections.abc import Set as AbstractSet

from policyctl.decide.live import FUNDED, SPARE, Trial
from policyctl.decide.live_columns import Contract
from policyctl.decide.live_queue import Shape
from policyctl.model.jobs import Job, Outcome
from policyctl.sim.baseline_order import Key, OrderedLane
from policyctl.units import Instant

__all__ = ["LineLane"]


class LineLane:
    """Two ordered lanes in one: the line (asked for like funded work) and what may go around it (spare work)."""

    def __init__(self, jobs: Sequence[Job], key: Callable[[Job], Key]) -> None:
        self.jobs = list(jobs)
        self._lanes = {FUNDED: OrderedLane(jobs, key), SPARE: OrderedLane(jobs, key)}

    def _lane(self, row: int) -> OrderedLane:
        return self._lanes[FUNDED if self.jobs[row].min_runtime else SPARE]

    def submit(self, row: int, now: Instant) -> None:
        """Let a job wait."""
        self._lane(row).submit(row, now)

    def resubmitted(self, row: int, job: Job) -> None:
        """Replace what is known of a job that does not wait."""
        self.jobs[row] = job
        for lane in self._lanes.values():
            lane.resubmitted(row, job)

    def withdraw(self, row: int) -> None:
        """Take a waiting job out for good."""
        self._lane(row).withdraw(row)

    def claim(self, row: int) -> None:
        """Take a waiting job out; nothing is ever freed for it here."""
        self.withdraw(row)

    def unclaim(self, row: int, now: Instant) -> None:
        """Let a claimed job wait again."""
        self.submit(row, now)

    def start(self, row: int, now: Instant) -> Contract:
        """Start a waiting job, with no protection."""
        return self._lane(row).start(row, now)

    def saves(self, row: int, since: int, every: int) -> None:
        """Take no note of saved work: nobody is preempted."""

    def end(self, row: int, now: Instant, outcome: Outcome) -> None:
        """End a run."""
        self._lane(row).end(row, now, outcome)

    def decide(self, now: Instant) -> None:
        """Begin a decision."""
        for lane in self._lanes.values():
            lane.decide(now)

    def first(self, klass: int, fitting: AbstractSet[Shape] | None = None) -> int | None:
        """Return the next job of the line or, for spare work, the next among those shapes."""
        return self._lanes[klass].first(SPARE, fitting)

    def shapes(self, klass: int) -> set[Shape]:
        """Return the shapes that wait in the line, or around it."""
        return self._lanes[klass].shapes(SPARE)

    def project(self, row: int) -> None:
        """Count nothing: what a job holds decides no order."""

    def next_expiry(self) -> int | None:
        """Return None: nothing is protected."""
        return None

    def could_take(self, row: int, now: Instant) -> int:
        """Return 0: nothing is ever preempted."""
        return self._lane(row).could_take(row, now)

    def plan(
        self, row: int, now: Instant, trial: Trial, *, lost: int, kept: Collection[int]
    ) -> list[int] | None:
        """Return None: nothing is ever preempted."""
        return self._lane(row).plan(row, now, trial, lost=lost, kept=kept)
