"""The waiting jobs of a pool, kept so that the next one in rank order is found without ranking all of them.

At every account the child with the smallest virtual time goes next. Only children below which a job waits are looked
at, and for opportunistic work only those below which a job waits that fits what is free: jobs that do not fit are no
candidates, and project nothing.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from operator import truediv

from policyctl.model.jobs import Job

__all__ = ["LiveQueue", "Shape", "shape_of"]

Shape = tuple[int, int, str]
"""GPUs (thousandths), nodes, topology: all that decides whether a job fits."""

Ticks = int | float
Key = tuple[int, int, str]
_CLOSE = 1e-12
_SEVERAL = 2


def shape_of(job: Job) -> Shape:
    """Return the shape of a job."""
    return (job.gpus, job.nodes, job.topology)


Lines = dict[Shape, list[Key]]
"""The jobs of one user in one class, by shape, each in the user's own order; those taken out wait to be dropped."""


class LiveQueue:
    """Waiting jobs by class (0 funded, 1 opportunistic, 2 held back) and user, with counts on every node above them.

    `parent`, `weight` (whole, 0 for share 0) and `tie` (place among siblings) are those of the nodes and may grow.
    """

    def __init__(self, parent: Sequence[int], weight: Sequence[float], tie: Sequence[int]) -> None:
        self._parent, self._weight, self._tie = parent, weight, tie
        self._lines: dict[tuple[int, int], Lines] = defaultdict(dict)
        self._waiting: dict[str, tuple[int, int, Shape, Key]] = {}
        self._below: tuple[dict[int, dict[int, dict[Shape, int]]], ...] = (
            defaultdict(dict),
            defaultdict(dict),
            defaultdict(dict),
        )
        self._shapes: tuple[dict[Shape, int], ...] = ({}, {}, {})

    def __len__(self) -> int:
        """Return how many jobs wait."""
        return len(self._waiting)

    def __contains__(self, identity: str) -> bool:
        """Say whether a job waits."""
        return identity in self._waiting

    def waiting(self) -> list[str]:
        """Return the ids of all waiting jobs, in no meaningful order."""
        return list(self._waiting)

    def klass(self, identity: str) -> int:
        """Return the class in which a job waits."""
        return self._waiting[identity][1]

    def add(self, job: Job, user: int, klass: int) -> None:
        """Let a job wait below the node of its user."""
        shape = shape_of(job)
        key = (-job.priority, job.submit, job.id)
        self._waiting[job.id] = (user, klass, shape, key)
        heapq.heappush(self._lines[user, klass].setdefault(shape, []), key)
        self._count(user, klass, shape, 1)

    def remove(self, identity: str) -> None:
        """Take a waiting job out."""
        user, klass, shape, _ = self._waiting.pop(identity)
        self._count(user, klass, shape, -1)

    def _count(self, node: int, klass: int, shape: Shape, change: int) -> None:
        _add(self._shapes[klass], shape, change)
        below = self._below[klass]
        while node > 0:
            above = self._parent[node]
            shapes = below[above].setdefault(node, {})
            _add(shapes, shape, change)
            if not shapes:
                del below[above][node]
            node = above

    def shapes(self, klass: int) -> set[Shape]:
        """Return the shapes that wait in a class."""
        return set(self._shapes[klass])

    def next(
        self,
        klass: int,
        used: Callable[[Sequence[int]], Sequence[Ticks]],
        fitting: AbstractSet[Shape] | None = None,
    ) -> tuple[str, int] | None:
        """Return the id and the user of the first job of a class (of those shapes), or None.

        `used` gives the ticks of some nodes: their usage and what this decision has projected onto them.
        """
        node = 0
        below = self._below[klass]
        while True:
            children = below.get(node)
            if not children:
                return None if node == 0 else self._take(node, klass, fitting)
            best = self._least(children, used, fitting)
            if best is None:
                return None
            node = best

    def _take(self, user: int, klass: int, fitting: AbstractSet[Shape] | None) -> tuple[str, int]:
        best: Key | None = None
        lines = self._lines[user, klass]
        empty = []
        for shape, heap in lines.items():
            if fitting is None or shape in fitting:
                # A job may have left, or come back in another class, since its key was pushed.
                while heap and self._waiting.get(heap[0][2]) != (user, klass, shape, heap[0]):
                    heapq.heappop(heap)
                if not heap:
                    empty.append(shape)
                elif best is None or heap[0] < best:
                    best = heap[0]
        for shape in empty:
            del lines[shape]
        assert best is not None, "the counts say that such a job waits"
        return best[2], user

    def _least(
        self,
        children: Mapping[int, Mapping[Shape, int]],
        used: Callable[[Sequence[int]], Sequence[Ticks]],
        fitting: AbstractSet[Shape] | None,
    ) -> int | None:
        """Return the child that goes next: positive shares before share 0, then the least ticks for its weight."""
        candidates = (
            list(children)
            if fitting is None
            else [child for child, shapes in children.items() if not shapes.keys().isdisjoint(fitting)]
        )
        if len(candidates) < _SEVERAL:
            return candidates[0] if candidates else None
        weights = list(map(self._weight.__getitem__, candidates))
        if 0 in weights and any(weights):
            candidates = [child for child, weight in zip(candidates, weights, strict=True) if weight]
            weights = [weight for weight in weights if weight]
        ticks = used(candidates)
        values = list(map(truediv, ticks, weights)) if weights[0] else list(map(float, ticks))
        least = min(values)
        # Division rounds: whatever could be the least is compared exactly.
        close = least + _CLOSE * abs(least)
        best, *others = [place for place, value in enumerate(values) if value <= close]
        for place in others:
            if self._before(candidates[place], ticks[place], candidates[best], ticks[best]):
                best = place
        return candidates[best]

    def _before(self, one: int, ticks: Ticks, other: int, other_ticks: Ticks) -> bool:
        weight, other_weight = self._weight[one], self._weight[other]
        if not weight:
            weight = other_weight = 1  # both shares are 0
        mine, its = ticks * other_weight, other_ticks * weight
        return mine < its or (mine == its and self._tie[one] < self._tie[other])


def _add(counts: dict[Shape, int], shape: Shape, change: int) -> None:
    number = counts.get(shape, 0) + change
    if number:
        counts[shape] = number
    else:
        del counts[shape]
