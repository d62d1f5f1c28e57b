"""A lane with one order and backfill: others pass the first job as long as it could start no later for them.

What runs is expected to end by its time limit. There is one reservation, and a limit on how far down the line it looks, as
batch schedulers have it.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Collection, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Protocol, cast

from policyctl.decide.live import FUNDED, SPARE, Trial
from policyctl.decide.live_columns import Contract
from policyctl.decide.live_queue import Shape, shape_of
from policyctl.model.jobs import Job, Outcome
from policyctl.sim.baseline_order import NOTHING, Key
from policyctl.units import Instant

__all__ = ["BackfillLane"]

_LOOKED_AT = 500
"""How many jobs of the line may pass at most, as Slurm's `bf_max_job_test` has it."""
_ANY_NUMBER = 2**62


class _Forecast(Trial, Protocol):
    """A try-out that goes on while jobs start."""

    def fits_beside(self, shape: Shape) -> bool:
        """Say whether the job could start although one of a shape started now and stayed."""

    def started(self, job: int, *, stays: bool) -> None:
        """Note that a job has started, and whether it will still be there."""

    def anew(self) -> _Forecast:
        """Return a try-out for the same job from how the nodes are now."""


@dataclass(slots=True)
class _Place:
    """When the first of the line can start at the latest, None if that cannot be told, and what will be free then."""

    row: int
    at: int | None
    forecast: _Forecast
    beside: dict[Shape, bool] = field(default_factory=dict)


class BackfillLane:
    """A lane over `jobs` in the order of `key`; it grants nothing and never preempts."""

    def __init__(self, jobs: Sequence[Job], key: Callable[[Job], Key]) -> None:
        self.jobs = list(jobs)
        self._key = key
        self._line: list[tuple[Key, int]] = []
        self._shapes: dict[Shape, int] = {}
        self._ends: list[tuple[int, int]] = []
        self._started: dict[int, int] = {}
        self._place: _Place | None = None
        self._seen = False
        self._now = 0

    def submit(self, row: int, now: Instant) -> None:  # noqa: ARG002 - waiting costs nothing
        """Let a job wait."""
        insort(self._line, (self._key(self.jobs[row]), row))
        shape = shape_of(self.jobs[row])
        self._shapes[shape] = self._shapes.get(shape, 0) + 1

    def resubmitted(self, row: int, job: Job) -> None:
        """Replace what is known of a job that does not wait."""
        self.jobs[row] = job

    def withdraw(self, row: int) -> None:
        """Take a waiting job out for good."""
        job = self.jobs[row]
        del self._line[bisect_left(self._line, (self._key(job), row))]
        shape = shape_of(job)
        self._shapes[shape] -= 1
        if not self._shapes[shape]:
            del self._shapes[shape]

    def claim(self, row: int) -> None:
        """Take a waiting job out; nothing is ever freed for it here."""
        self.withdraw(row)

    def unclaim(self, row: int, now: Instant) -> None:
        """Let a claimed job wait again."""
        self.submit(row, now)

    def start(self, row: int, now: Instant) -> Contract:
        """Start a waiting job, with no protection."""
        self.withdraw(row)
        ends = self._latest_end(row, now)
        self._started[row] = ends
        insort(self._ends, (ends, row))
        return NOTHING

    def _latest_end(self, row: int, now: int) -> int:
        limit = self.jobs[row].time_limit
        return _ANY_NUMBER if limit is None else now + limit

    def saves(self, row: int, since: int, every: int) -> None:
        """Take no note of saved work: nobody is preempted."""

    def end(self, row: int, now: Instant, outcome: Outcome) -> None:  # noqa: ARG002 - all ends are alike
        """End a run."""
        del self._ends[bisect_left(self._ends, (self._started.pop(row), row))]
        self._place = None

    def decide(self, now: Instant) -> None:
        """Begin a decision; since the last one nodes may have gone, or a job may have come that goes first and starts."""
        self._now = int(now)
        self._seen = False

    def first(self, klass: int, fitting: AbstractSet[Shape] | None = None) -> int | None:
        """Return the first of the line, or the next job that may pass it."""
        if not self._line:
            return None
        if klass == FUNDED:
            return self._line[0][1]
        place = self._place
        if klass != SPARE or place is None or place.row != self._line[0][1]:
            return None
        if not self._seen:
            place = self._foresee(place.row, place.forecast.anew())
        for _, row in self._line[1 : 1 + _LOOKED_AT]:
            shape = shape_of(self.jobs[row])
            if (fitting is None or shape in fitting) and self._may_pass(place, row, shape):
                return row
        return None

    def _may_pass(self, place: _Place, row: int, shape: Shape) -> bool:
        if place.at is None or self._latest_end(row, self._now) <= place.at:
            return True
        known = place.beside.get(shape)
        if known is None:
            known = place.beside[shape] = place.forecast.fits_beside(shape)
        return known

    def shapes(self, klass: int) -> set[Shape]:
        """Return the shapes that wait for their turn."""
        return set(self._shapes) if klass in {FUNDED, SPARE} else set()

    def project(self, row: int) -> None:
        """Note that a job has passed the first."""
        place = self._place
        assert place is not None, "nobody passes without it"
        place.forecast.started(row, stays=place.at is not None and self._started[row] > place.at)
        place.beside.clear()

    def next_expiry(self) -> int | None:
        """Return None: nothing is protected."""
        return None

    def could_take(self, row: int, now: Instant) -> int:  # noqa: ARG002 - asked so that `plan` is
        """Return any number: whatever runs will have ended some day."""
        return _ANY_NUMBER

    def plan(
        self,
        row: int,
        now: Instant,  # noqa: ARG002 - limits are instants here
        trial: Trial,
        *,
        lost: int,  # noqa: ARG002 - nothing is lost
        kept: Collection[int],  # noqa: ARG002 - nothing leaves
    ) -> list[int] | None:
        """Return None, as nothing is preempted; find out when the job can start at the latest."""
        self._foresee(row, cast("_Forecast", trial))
        return None

    def _foresee(self, row: int, trial: _Forecast) -> _Place:
        at: int | None = None
        for ends, other in self._ends:
            if ends == _ANY_NUMBER or (ends != at and trial.fits()):
                break
            trial.remove(other)
            at = ends
        self._place = place = _Place(row, at if trial.fits() else None, trial)
        self._seen = True
        return place
