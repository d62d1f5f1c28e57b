"""What a simulation asks of whoever decides: `policyctl.decide.live.LivePool`, or a baseline to compare it with."""

from __future__ import annotations

from collections.abc import Collection
from collections.abc import Set as AbstractSet
from typing import Protocol

from policyctl.decide.live import Trial
from policyctl.decide.live_columns import Contract
from policyctl.decide.live_queue import Shape
from policyctl.model.jobs import Job, Outcome
from policyctl.units import Instant

__all__ = ["Lane"]


class Lane(Protocol):
    """The order and the contracts of one pool; jobs are named by their row in the workload."""

    jobs: list[Job]

    def submit(self, row: int, now: Instant) -> None:
        """Let a job wait."""

    def resubmitted(self, row: int, job: Job) -> None:
        """Replace what is known of a job that does not wait."""

    def withdraw(self, row: int) -> None:
        """Take a waiting job out for good."""

    def claim(self, row: int) -> None:
        """Take a waiting job out because capacity is being freed for it."""

    def unclaim(self, row: int, now: Instant) -> None:
        """Let a claimed job wait again."""

    def start(self, row: int, now: Instant) -> Contract:
        """Start a waiting or claimed job."""

    def saves(self, row: int, since: int, every: int) -> None:
        """Note that a running job saves its work every so many seconds from an instant on."""

    def end(self, row: int, now: Instant, outcome: Outcome) -> None:
        """End a run."""

    def decide(self, now: Instant) -> None:
        """Begin a decision."""

    def first(self, klass: int, fitting: AbstractSet[Shape] | None = None) -> int | None:
        """Return the next job of a class among those shapes."""

    def shapes(self, klass: int) -> set[Shape]:
        """Return the shapes that wait in a class."""

    def project(self, row: int) -> None:
        """Count an opportunistic job as taken in this decision."""

    def next_expiry(self) -> int | None:
        """Return the next instant at which a protection ends."""

    def could_take(self, row: int, now: Instant) -> int:
        """Return at most how many GPUs (thousandths) preemption could free for a job."""

    def plan(
        self, row: int, now: Instant, trial: Trial, *, lost: int, kept: Collection[int]
    ) -> list[int] | None:
        """Return the running jobs to preempt for a waiting one; those in `kept` are leaving already and no victims."""
