"""The clock of a simulation: a calendar of what happens when, drained instant by instant before anything is decided."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from policyctl.model.workload import Incident, IncidentKind, Stream, Task, Workload
from policyctl.sim.pool import SimPool

__all__ = ["Member", "Simulation"]

_ORDER = {"end": 0, "leave": 1, "back": 2, "gone": 3, "submit": 4, "wake": 5}
Entry = tuple[int, int, int, str, int, int]


@dataclass(frozen=True, slots=True)
class Member:
    """Where a task of the workload is: its pool and its row there, and the stream that it belongs to (-1: none)."""

    pool: str
    row: int
    stream: int = -1


class Simulation:
    """Pools, a calendar, and the open-loop and closed-loop submissions of a workload.

    `make_pool` gets the name of a pool, its tasks and the function that puts things onto the calendar.
    """

    def __init__(
        self,
        workload: Workload,
        pools: Sequence[str],
        make_pool: Callable[[str, Sequence[Task], Callable[[int, str, int, int], None]], SimPool],
        *,
        wakes: Sequence[int] = (),
    ) -> None:
        self.workload = workload
        self.now = int(workload.start)
        self._calendar: list[Entry] = []
        self._serial = 0
        self._tasks: dict[str, list[Task]] = {name: [] for name in pools}
        self._streams: list[tuple[Stream, list[Member]]] = []
        self._next: list[int] = []
        self._stream_of: dict[tuple[str, int], int] = {}
        submissions = self._place(workload)
        self.pools: Mapping[str, SimPool] = {
            name: make_pool(name, tasks, self._scheduler(name)) for name, tasks in self._tasks.items()
        }
        self._submissions = sorted(submissions)
        self._submitted = 0
        for at in wakes:
            for name in self.pools:
                self.push(at, "wake", name, -1, 0)
        for number, incident in enumerate(workload.incidents):
            self.push(incident.at, "gone", incident.pool, number, 0)
            self.push(incident.until, "back", incident.pool, number, 0)

    def tasks(self, pool: str) -> Sequence[Task]:
        """Return the tasks of a pool, by row."""
        return self._tasks[pool]

    def _place(self, workload: Workload) -> list[tuple[int, str, int]]:
        submissions = [(int(task.job.submit), task.job.pool, self._row(task)) for task in workload.tasks]
        for number, stream in enumerate(workload.streams):
            members = [Member(task.job.pool, self._row(task), number) for task in stream.tasks]
            self._streams.append((stream, members))
            self._next.append(min(stream.depth, len(members)))
            for member in members:
                self._stream_of[member.pool, member.row] = number
            submissions += [
                (max(stream.first, self._not_before(one)), one.pool, one.row)
                for one in members[: stream.depth]
            ]
        return submissions

    def _not_before(self, member: Member) -> int:
        return int(self._tasks[member.pool][member.row].job.submit)

    def _row(self, task: Task) -> int:
        rows = self._tasks[task.job.pool]
        rows.append(task)
        return len(rows) - 1

    def _scheduler(self, pool: str) -> Callable[[int, str, int, int], None]:
        return _Scheduler(self, pool)

    def push(self, at: int, what: str, pool: str, row: int, attempt: int) -> None:
        """Put onto the calendar what shall happen in a pool."""
        self._serial += 1
        heapq.heappush(self._calendar, (at, _ORDER[what], self._serial, pool, row, attempt))

    def run(self, *, until: int | None = None, progress: Callable[[int], None] | None = None) -> None:
        """Go on until the workload's end, or until an instant before it; calling again goes on from there."""
        stop = int(self.workload.end) if until is None else min(until, int(self.workload.end))
        while (at := self._next_instant()) is not None and at < stop:
            self._instant(at)
            if progress is not None:
                progress(at)
        self.now = stop

    def _next_instant(self) -> int | None:
        waiting = self._submissions[self._submitted][0] if self._submitted < len(self._submissions) else None
        planned = self._calendar[0][0] if self._calendar else None
        known = [at for at in (waiting, planned) if at is not None]
        return min(known) if known else None

    def _instant(self, at: int) -> None:
        """Drain everything of one instant, then let every pool that was touched decide; again while that causes more."""
        while True:
            touched = self._drain(at)
            if not touched:
                return
            for name in sorted(touched):
                self.pools[name].decide(at)

    def _drain(self, at: int) -> set[str]:
        touched: set[str] = set()
        while self._submitted < len(self._submissions) and self._submissions[self._submitted][0] <= at:
            _, pool, row = self._submissions[self._submitted]
            self._submitted += 1
            self._submit(pool, row, at)
            touched.add(pool)
        while self._calendar and self._calendar[0][0] <= at:
            _, order, _, pool, row, attempt = heapq.heappop(self._calendar)
            touched.add(pool)
            self._happen(at, order, pool, row, attempt)
        return touched

    def _happen(self, at: int, order: int, pool: str, row: int, attempt: int) -> None:
        where = self.pools[pool]
        if order == _ORDER["end"]:
            if where.due(row, attempt, at):
                self._done(pool, row, at)
        elif order == _ORDER["leave"]:
            if where.leave(row, attempt, at):
                self._done(pool, row, at)
        elif order == _ORDER["submit"]:
            self._submit(pool, row, at)
        elif order in {_ORDER["gone"], _ORDER["back"]}:
            self._incident(self.workload.incidents[row], at, gone=order == _ORDER["gone"])

    def _submit(self, pool: str, row: int, at: int) -> None:
        if not self.pools[pool].submit(row, at):
            self._done(pool, row, at)

    def _done(self, pool: str, row: int, at: int) -> None:
        """Let the stream of a task that is done submit its next one."""
        number = self._stream_of.get((pool, row))
        if number is None:
            return
        stream, members = self._streams[number]
        following = self._next[number]
        if following < len(members):
            self._next[number] += 1
            after = members[following]
            self.push(max(at + stream.pause, self._not_before(after)), "submit", after.pool, after.row, 0)

    def _incident(self, incident: Incident, at: int, *, gone: bool) -> None:
        where = self.pools[incident.pool]
        if gone and incident.kind is IncidentKind.FAIL:
            for row in where.fail_nodes(incident.nodes, at):
                self._done(incident.pool, row, at)
            return
        for node in incident.nodes:
            if gone:
                where.drain_node(node, at)
            else:
                where.return_node(node)


@dataclass(frozen=True, slots=True)
class _Scheduler:
    """What a pool puts onto the calendar; plain data, unlike a closure, so that a simulation can be written down."""

    simulation: Simulation
    pool: str

    def __call__(self, at: int, what: str, row: int, attempt: int) -> None:
        self.simulation.push(at, what, self.pool, row, attempt)
