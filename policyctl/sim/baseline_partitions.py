"""Hard partitions: every program has its share of a pool's GPUs as a quota, and nobody else may use what it leaves idle.

Quotas are whole GPUs: the n-th program, in the order of paths, gets what the first n shares come to, rounded down, less
what the first n - 1 came to, so that quotas add up. What no share covers is one more partition, for jobs without a share.
They follow the policy over time; what runs when a quota shrinks goes on. A job larger than its quota waits for ever.
"""

from __future__ import annotations

from collections.abc import Sequence

from policyctl.decide.standing import Timeline
from policyctl.model.jobs import Job
from policyctl.model.policy import Policy, Pool
from policyctl.model.tree import ancestors
from policyctl.sim.baseline_order import OrderedLane, Undivided, by_submission
from policyctl.units import Instant

__all__ = ["PartitionLane", "Partitions", "quotas"]

_NO_SHARE = "/"


def quotas(timeline: Timeline, pool: Pool, at: int) -> dict[str, int]:
    """Return the quota of every program with a share at an instant, in thousandths of a GPU; `/` has the rest."""
    tree = timeline.tree(at)
    found: dict[str, int] = {}
    share, given = 0 * tree.accounts[0].absolute, 0
    for program in tree.children("/"):
        if program.absolute > 0:
            share += program.absolute
            whole = int(share * pool.gpus)
            found[program.path] = (whole - given) * 1000
            given = whole
    found[_NO_SHARE] = (pool.gpus - given) * 1000
    return found


class Partitions(Undivided):
    """The parts of a pool by program; part 0 is what no share covers."""

    def __init__(self, policy: Policy, pool: Pool, jobs: Sequence[Job], start: Instant) -> None:
        self._timeline, self._pool = Timeline(policy, pool.name), pool
        names = {job.account: _program(job.account) for job in jobs}
        self._names = (_NO_SHARE, *sorted(set(names.values()) - {_NO_SHARE}))
        number = {name: part for part, name in enumerate(self._names)}
        self._program = [number[names[job.account]] for job in jobs]
        self._part = [0] * len(self._names)
        self._quota = [0] * len(self._names)
        self._held = [0] * len(self._names)
        self._shared = [0] * len(self._names)
        self._stretch = -1
        self.advance(start)

    def part(self, row: int) -> int:
        """Return the part to which a job belongs."""
        return self._program[row]

    def room(self, part: int) -> int:
        """Return the GPUs (thousandths) that a part may still hold."""
        shared = self._part[part]
        return self._quota[shared] - self._shared[shared]

    def hold(self, part: int, gpus: int) -> None:
        """Count GPUs as held by a part, or given back."""
        self._held[part] += gpus
        self._shared[self._part[part]] += gpus

    def advance(self, at: Instant) -> None:
        """Let time pass: quotas follow the policy."""
        stretch = self._timeline.stretch(at)
        if stretch == self._stretch:
            return
        self._stretch = stretch
        found = quotas(self._timeline, self._pool, at)
        for part, name in enumerate(self._names):
            self._part[part] = part if name in found else 0
            self._quota[part] = found.get(name, 0)
        self._shared = [0] * len(self._names)
        for part, gpus in enumerate(self._held):
            self._shared[self._part[part]] += gpus


class PartitionLane(OrderedLane):
    """A lane with hard partitions, in order of submission within each."""

    def __init__(self, policy: Policy, pool: Pool, jobs: Sequence[Job], start: Instant) -> None:
        super().__init__(jobs, by_submission, Partitions(policy, pool, jobs, start))


def _program(path: str) -> str:
    lineage = ancestors(path)
    return lineage[1] if len(lineage) > 1 else _NO_SHARE
