"""A lane that knows one order of jobs, divides its pool into parts with quotas, and nothing else: the baselines.

Whatever is free goes to the first job that fits it and its part's quota; a job that does not fit keeps its place and is
passed. A pool that is not divided is one part without a quota.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection, Iterator, Sequence
from collections.abc import Set as AbstractSet

from policyctl.decide.choose import Freeing
from policyctl.decide.live import SPARE
from policyctl.decide.live_columns import Contract
from policyctl.decide.live_queue import Shape, shape_of
from policyctl.model.jobs import Job, Outcome
from policyctl.units import Instant

__all__ = ["NOTHING", "Key", "OrderedLane", "Undivided", "by_label", "by_submission"]

Key = tuple[int, int, str]
NOTHING = Contract(funded=False, seconds=0, why=0)


def by_submission(job: Job) -> Key:
    """Order by submission, then id."""
    return (0, job.submit, job.id)


def by_label(job: Job) -> Key:
    """Order by the user's priority, higher first, then by submission and id."""
    return (-job.priority, job.submit, job.id)


class Undivided:
    """A pool as one part without a quota."""

    def part(self, row: int) -> int:  # noqa: ARG002 - the part of any row
        """Return the part to which a job belongs."""
        return 0

    def room(self, part: int) -> int | None:  # noqa: ARG002 - the room of any part
        """Return the GPUs (thousandths) that a part may still hold, None without a quota."""
        return None

    def hold(self, part: int, gpus: int) -> None:
        """Count GPUs as held by a part, or given back (negative)."""

    def advance(self, at: Instant) -> None:
        """Let time pass."""


class _Line:
    """The waiting jobs of one part by shape, each a heap by key; those that left are dropped when they come up."""

    def __init__(self) -> None:
        self._heaps: dict[Shape, list[tuple[Key, int]]] = {}
        self._waiting: dict[int, Key] = {}
        self._counts: dict[Shape, int] = {}

    def add(self, row: int, shape: Shape, key: Key) -> None:
        self._waiting[row] = key
        self._counts[shape] = self._counts.get(shape, 0) + 1
        heapq.heappush(self._heaps.setdefault(shape, []), (key, row))

    def remove(self, row: int, shape: Shape) -> None:
        del self._waiting[row]
        self._counts[shape] -= 1
        if not self._counts[shape]:
            del self._counts[shape], self._heaps[shape]

    def shapes(self, room: int | None) -> Iterator[Shape]:
        return (shape for shape in self._counts if room is None or shape[0] <= room)

    def first(self, shapes: Collection[Shape], room: int | None) -> tuple[Key, int] | None:
        found: tuple[Key, int] | None = None
        few = shapes if len(shapes) < len(self._counts) else self._counts
        for shape in few:
            if shape in self._counts and shape in shapes and (room is None or shape[0] <= room):
                heap = self._heaps[shape]
                while self._waiting.get(heap[0][1]) != heap[0][0]:
                    heapq.heappop(heap)
                if found is None or heap[0] < found:
                    found = heap[0]
        return found


class OrderedLane:
    """A lane over `jobs` in the order of `key`, within the quotas of `parts`; it grants nothing and never preempts.

    Dispatch passes whoever does not fit in the spare class, so all jobs are offered in that one.
    """

    def __init__(
        self, jobs: Sequence[Job], key: Callable[[Job], Key], parts: Undivided | None = None
    ) -> None:
        self.jobs = list(jobs)
        self._key = key
        self._parts = Undivided() if parts is None else parts
        self._lines: dict[int, _Line] = {}

    def submit(self, row: int, now: Instant) -> None:
        """Let a job wait."""
        self._parts.advance(now)
        job = self.jobs[row]
        line = self._lines.setdefault(self._parts.part(row), _Line())
        line.add(row, shape_of(job), self._key(job))

    def resubmitted(self, row: int, job: Job) -> None:
        """Replace what is known of a job that does not wait."""
        self.jobs[row] = job

    def withdraw(self, row: int) -> None:
        """Take a waiting job out for good."""
        self._lines[self._parts.part(row)].remove(row, shape_of(self.jobs[row]))

    def claim(self, row: int) -> None:
        """Take a waiting job out; nothing is ever freed for it here."""
        self.withdraw(row)

    def unclaim(self, row: int, now: Instant) -> None:
        """Let a claimed job wait again."""
        self.submit(row, now)

    def start(self, row: int, now: Instant) -> Contract:
        """Start a waiting job, with no protection."""
        self._parts.advance(now)
        self.withdraw(row)
        self._parts.hold(self._parts.part(row), self.jobs[row].gpus)
        return NOTHING

    def saves(self, row: int, since: int, every: int) -> None:
        """Take no note of saved work: nobody is preempted."""

    def end(self, row: int, now: Instant, outcome: Outcome) -> None:  # noqa: ARG002 - all ends are alike
        """End a run."""
        self._parts.advance(now)
        self._parts.hold(self._parts.part(row), -self.jobs[row].gpus)

    def decide(self, now: Instant) -> None:
        """Begin a decision."""
        self._parts.advance(now)

    def first(self, klass: int, fitting: AbstractSet[Shape] | None = None) -> int | None:
        """Return the next job among those shapes."""
        if klass != SPARE:
            return None
        shapes = self.shapes(SPARE) if fitting is None else fitting
        heads = [
            head for part, line in self._lines.items() if (head := line.first(shapes, self._parts.room(part)))
        ]
        return min(heads)[1] if heads else None

    def shapes(self, klass: int) -> set[Shape]:
        """Return the shapes that wait for their turn and are within their part's quota."""
        if klass != SPARE:
            return set()
        return {shape for part, line in self._lines.items() for shape in line.shapes(self._parts.room(part))}

    def project(self, row: int) -> None:
        """Count nothing: what a job holds decides no order."""

    def next_expiry(self) -> int | None:
        """Return None: nothing is protected."""
        return None

    def could_take(self, row: int, now: Instant) -> int:  # noqa: ARG002 - nothing, for any job
        """Return 0: nothing is ever preempted."""
        return 0

    def plan(
        self,
        row: int,  # noqa: ARG002 - no plan, for any job
        now: Instant,  # noqa: ARG002
        trial: Freeing[int],  # noqa: ARG002
        *,
        lost: int,  # noqa: ARG002
        kept: Collection[int],  # noqa: ARG002
    ) -> list[int] | None:
        """Return None: nothing is ever preempted."""
        return None
