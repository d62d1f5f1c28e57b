"""A slow oracle of what a simulation measures: every second is looked at by itself, and everything is counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction

from policyctl.model.jobs import Job
from policyctl.model.policy import Policy, Pool
from policyctl.model.tree import Tree, tree_at
from policyctl.sim.kernel import Simulation
from policyctl.sim.record import Hold, Run

__all__ = ["Second", "SecondBySecond", "program_of"]


def program_of(job: Job) -> str | None:
    """Return the program of a job, None for jobs of the root."""
    parts = job.account.split("/")
    return "/" + parts[1] if parts[1] else None


def above(job: Job) -> list[str]:
    """Return the program and the project of a job, as far as it has them."""
    parts = job.account.strip("/").split("/")
    return ["/" + "/".join(parts[:depth]) for depth in (1, 2) if len(parts) >= depth and parts[0]]


@dataclass(slots=True, kw_only=True)
class Second:
    """What one pool is like during one second: GPUs in thousandths."""

    at: int
    running: list[Run]
    waiting: list[int]
    claiming: list[Hold]
    offered: int = 0
    used: int = 0
    claimed: int = 0
    held: Counter[str] = field(default_factory=Counter)

    @property
    def idle(self) -> int:
        return self.offered - self.used - self.claimed


class SecondBySecond:
    """One pool of a simulation, second after second."""

    def __init__(self, simulation: Simulation, policy: Policy, pool: Pool) -> None:
        self.simulation, self.policy, self.pool = simulation, policy, pool
        self.tasks = simulation.tasks(pool.name)
        self.record = simulation.pools[pool.name].record_at(simulation.now)
        self.start, self.now = int(simulation.workload.start), simulation.now
        self.seconds = [
            Second(at=at, running=[], waiting=[], claiming=[]) for at in range(self.start, self.now)
        ]
        self._trees: dict[int, Tree] = {}
        self._fill()

    def _fill(self) -> None:
        for run in self.record.runs:
            for one in self.seconds[run.start - self.start : run.end - self.start]:
                one.running.append(run)
        for row, since, until in self.record.waits:
            for one in self.seconds[since - self.start : None if until is None else until - self.start]:
                one.waiting.append(row)
        for hold in self.record.holds:
            for one in self.seconds[hold.since - self.start : hold.until - self.start]:
                one.claiming.append(hold)
        for one in self.seconds:
            self._count(one)

    def _tree(self, at: int) -> Tree:
        if at not in self._trees:
            self._trees[at] = tree_at(self.policy, self.pool.name, at)
        return self._trees[at]

    def _count(self, second: Second) -> None:
        size = self.pool.gpus_per_node * 1000
        for node in range(self.pool.nodes):
            used = sum(gpus for run in second.running for spot, gpus in run.placement if spot == node)
            held = sum(gpus for hold in second.claiming for spot, gpus in hold.placement if spot == node)
            serving = not self._away(node, second.at)
            second.offered += size if serving else used
            second.claimed += min(held, size - used) if serving else 0
            second.used += used
        for run in second.running:
            for path in above(self.tasks[run.row].job):
                second.held[path] += self.tasks[run.row].job.gpus

    def _away(self, node: int, at: int) -> bool:
        return any(
            one.pool == self.pool.name and node in one.nodes and one.at <= at < one.until
            for one in self.simulation.workload.incidents
        )

    def offered(self) -> int:
        return sum(one.offered for one in self.seconds)

    def used(self) -> int:
        return sum(one.used for one in self.seconds)

    def claimed(self) -> int:
        return sum(one.claimed for one in self.seconds)

    def fragmentation(self) -> int:
        total = 0
        for one in self.seconds:
            claiming = {hold.row for hold in one.claiming}
            looking = [row for row in one.waiting if row not in claiming]
            if any(self.tasks[row].job.gpus <= one.idle for row in looking):
                total += one.idle
        return total

    def entitlement(self, path: str, start: int, end: int) -> Fraction:
        total = Fraction(0)
        for at in range(start, end):
            found = self._tree(at).get(path)
            total += max(Fraction(0), found.absolute if found else Fraction(0)) * self.pool.gpus * 1000
        return total

    def delivered(self, path: str, start: int, end: int) -> int:
        return sum(one.held[path] for one in self.seconds if start <= one.at < end)

    def lost(self, path: str, start: int, end: int) -> int:
        total = 0
        for one in self.seconds:
            if start <= one.at < end:
                for run in one.running:
                    job = self.tasks[run.row].job
                    if path in above(job) and not self._counted(run, one.at):
                        total += job.gpus
        return total

    def _counted(self, run: Run, at: int) -> bool:
        """Say whether a second of a run was spent on work that is kept."""
        task = self.tasks[run.row]
        overhead = task.restart_overhead if run.attempt > 1 else 0
        return overhead <= at - run.start < overhead + run.computed

    def demand(self, path: str, start: int, end: int) -> int:
        total = self.delivered(path, start, end)
        for row, task in enumerate(self.tasks):
            if path in above(task.job):
                waited = sum(row in one.waiting for one in self.seconds if start <= one.at < end)
                total += task.job.gpus * min(waited, self._left(row, end))
        return total

    def _left(self, row: int, end: int) -> int:
        """Return the work that a job has left in the last second before `end`, that second done; 0 if it is not there."""
        last = self.seconds[end - 1 - self.start]
        task = self.tasks[row]
        kept = sum(run.computed for run in self.record.runs if run.row == row and run.end < end)
        limit = task.job.time_limit
        for run in last.running:
            if run.row == row:
                overhead = task.restart_overhead if run.attempt > 1 else 0
                done = sum(overhead <= at - run.start for at in range(run.start, end))
                left = task.work - kept - done
                return max(0, left if limit is None else min(left, limit - (end - run.start)))
        if row in last.waiting:
            return task.work - kept if limit is None else min(task.work - kept, limit)
        return 0

    def returns(self, program: str, least: int) -> Iterator[tuple[int, int, int | None]]:
        """Yield every return of a program after `least` idle seconds: idle seconds, when, and seconds until it had its share.

        Only instants at which something is there for a second or more are seen.
        """
        present = [
            any(
                program_of(self.tasks[row].job) == program
                for row in [*one.waiting, *(run.row for run in one.running)]
            )
            for one in self.seconds
        ]
        idle = 0
        for place, here in enumerate(present):
            if here and idle >= least:
                yield idle, self.start + place, self._recovered(program, place)
            idle = 0 if here else idle + 1

    def _recovered(self, program: str, place: int) -> int | None:
        for passed, one in enumerate(self.seconds[place:]):
            found = self._tree(one.at).get(program)
            share = (found.absolute if found else Fraction(0)) * self.pool.gpus * 1000
            mine = [
                self.tasks[row].job.gpus for row in one.waiting if program_of(self.tasks[row].job) == program
            ]
            if not mine or one.held[program] + min(mine) > share:
                return passed
        return None
