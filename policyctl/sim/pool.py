"""One pool of a simulation: starts what its lane puts first, frees capacity as its plans say, and keeps the record.

The first job in rank order that fits starts. When the first funded job does not fit, a plan is asked for; when there is
none, no other funded job may pass it, and only opportunistic work, which gives way to it at any moment, uses what is
idle. Capacity freed for a job belongs to it until it starts or the plan is given up whole.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from policyctl.decide.live import FUNDED, SPARE
from policyctl.decide.live_columns import Contract
from policyctl.decide.live_queue import Shape, shape_of
from policyctl.model.jobs import Outcome
from policyctl.model.workload import Task
from policyctl.sim.lane import Lane
from policyctl.sim.luck import chance
from policyctl.sim.nodes import Placement, SimNodes
from policyctl.sim.record import Eviction, Hold, Record, Run
from policyctl.units import Instant

__all__ = ["Schedule", "SimPool"]

_HOUR = 3600
_MOST_TRIES = 10

Schedule = Callable[[int, str, int, int], None]
"""Called with an instant, what shall happen then (`end`, `leave`, `wake`), a row, and the attempt it is meant for."""


@dataclass(slots=True)
class _Running:
    placement: Placement
    contract: Contract
    start: int
    overhead: int
    ends: int
    outcome: Outcome
    leaves_for: int | None = None


@dataclass(slots=True)
class _Claim:
    placement: Placement
    since: int
    waits_for: set[int] = field(default_factory=set)


class SimPool:
    """One pool; `schedule` puts what will happen later onto the simulation's calendar."""

    def __init__(
        self,
        *,
        lane: Lane,
        nodes: SimNodes,
        tasks: Sequence[Task],
        notice: int,
        seed: int,
        schedule: Schedule,
    ) -> None:
        self.lane, self.nodes, self.record = lane, nodes, Record()
        self._tasks = tasks
        self._notice, self._seed, self._schedule = notice, seed, schedule
        self._left = [int(task.work) for task in tasks]
        self._attempts = [0] * len(tasks)
        self._failures = [0] * len(tasks)
        self._since: dict[int, int] = {}
        self._running: dict[int, _Running] = {}
        self._placements: dict[int, Placement] = {}
        self._claims: dict[int, _Claim] = {}
        self._leaving: set[int] = set()
        self._lost: deque[tuple[int, int]] = deque()
        self._version = 0
        self._asked: tuple[int, int] | None = None
        self._woken: int | None = None

    # -- what happens ---------------------------------------------------------------------------------------------

    def submit(self, row: int, now: int) -> bool:
        """Let a task wait; False if the pool can never hold it."""
        job = self.lane.jobs[row]
        self.record.submitted.setdefault(row, now)
        if not self.nodes.ever_fits(shape_of(job)):
            self.record.impossible.append(row)
            return False
        if job.submit != now:
            self.lane.resubmitted(row, replace(job, submit=Instant(now)))
        self._wait(row, now)
        return True

    def due(self, row: int, attempt: int, now: int) -> bool:
        """End a run whose time has come; True if the job is done for good."""
        run = self._running.get(row)
        if run is None or self._attempts[row] != attempt:
            return False
        return self._end(row, now, run.outcome)

    def leave(self, row: int, attempt: int, now: int) -> bool:
        """End a run whose notice is over; True if the job is done for good."""
        run = self._running.get(row)
        if run is None or self._attempts[row] != attempt or run.leaves_for is None:
            return False
        return self._end(row, now, Outcome.PREEMPTED)

    def fail_nodes(self, nodes: Sequence[int], now: int) -> list[int]:
        """Lose nodes and every run on them; return the jobs that are done for good."""
        # First out of service, so that nothing starts there when a run that fails frees what a plan waits for.
        for node in nodes:
            self.drain_node(node, now)
        failed = frozenset(nodes)
        hit = [
            row
            for row, run in sorted(self._running.items())
            if any(spot in failed for spot, _ in run.placement)
        ]
        return [row for row in hit if self._end(row, now, Outcome.NODE_FAIL)]

    def drain_node(self, node: int, now: int) -> None:
        """Take a node out of service; what runs on it goes on, what waits for it gives its plan up."""
        self.nodes.leave(node)
        for row, claim in sorted(self._claims.items()):
            if any(spot == node for spot, _ in claim.placement):
                self._give_up(row, now)

    def return_node(self, node: int) -> None:
        """Put a node back into service."""
        self.nodes.come_back(node)
        self._version += 1

    def busy_on(self, nodes: frozenset[int]) -> bool:
        """Say whether anything runs on some nodes."""
        return any(spot in nodes for run in self._running.values() for spot, _ in run.placement)

    def record_at(self, now: int) -> Record:
        """Return the record with what goes on at an instant added: runs without an outcome, waits without an end."""
        record = self.record
        return replace(
            record,
            waits=[*record.waits, *((row, since, None) for row, since in sorted(self._since.items()))],
            runs=[*record.runs, *(self._so_far(row, run, now) for row, run in sorted(self._running.items()))],
            holds=[
                *record.holds,
                *(
                    Hold(row, claim.since, now, claim.placement)
                    for row, claim in sorted(self._claims.items())
                ),
            ],
        )

    def _so_far(self, row: int, run: _Running, now: int) -> Run:
        done = max(0, min(now - run.start - run.overhead, self._left[row]))
        lost = now - run.start - done
        granted = run.contract
        return Run(
            row,
            self._attempts[row],
            run.start,
            now,
            None,
            granted.funded,
            granted.seconds,
            done,
            lost,
            run.placement,
        )

    # -- a decision -----------------------------------------------------------------------------------------------

    def decide(self, now: int) -> None:
        """Start everything that may start now."""
        at = Instant(now)
        if self._woken is not None and now >= self._woken:
            self._woken = None
            self._version += 1
        self.lane.decide(at)
        blocked = self._start_funded(at)
        self._start_spare(at)
        if blocked is not None:
            expiry = self.lane.next_expiry()
            if expiry is not None and expiry != self._woken:
                self._woken = expiry
                self._schedule(expiry, "wake", -1, 0)

    def _start_funded(self, now: Instant) -> int | None:
        while True:
            row = self.lane.first(FUNDED)
            if row is None:
                return None
            shape = shape_of(self.lane.jobs[row])
            placement = self.nodes.place(shape) if shape[0] <= self.nodes.idle else None
            if placement is not None:
                self.nodes.take(placement)
                self._start(row, now, placement)
            elif not self._make_room(row, shape, now):
                return row

    def _start_spare(self, now: Instant) -> None:
        if self.nodes.idle <= 0:
            return
        fitting = {shape for shape in self.lane.shapes(SPARE) if self.nodes.fits(shape)}
        while fitting:
            row = self.lane.first(SPARE, fitting)
            if row is None:
                return
            placement = self.nodes.place(shape_of(self.lane.jobs[row]))
            assert placement is not None, "its shape was found to fit"
            self.nodes.take(placement)
            self._start(row, now, placement)
            self.lane.project(row)
            fitting = {shape for shape in fitting if self.nodes.fits(shape)}

    def _make_room(self, row: int, shape: Shape, now: Instant) -> bool:
        """Free capacity for the first funded job; False if nothing may be preempted for it now."""
        if self._asked == (row, self._version):
            return False  # nothing ended and no protection ran out since the last refusal
        self._asked = (row, self._version)
        if self.nodes.idle + self.lane.could_take(row, now) < shape[0]:
            return False
        while self._lost and self._lost[0][0] <= now - _HOUR:
            self._lost.popleft()
        victims = self.lane.plan(
            row,
            now,
            self.nodes.trial(shape, self._placements),
            lost=sum(lost for _, lost in self._lost),
            kept=self._leaving,
        )
        if victims is None:
            self.record.refusals += 1
            return False
        placement = self.nodes.place_after(shape, [self._running[other].placement for other in victims])
        if placement is None:
            return False
        self._evict(row, sorted(victims), placement, now)
        return True

    def _evict(self, row: int, victims: list[int], placement: Placement, now: Instant) -> None:
        self.record.evictions.append(Eviction(now, row, tuple(victims)))
        self.nodes.take(placement)
        self.lane.claim(row)
        self._claims[row] = _Claim(placement, int(now), set(victims))
        for other in victims:
            run = self._running[other]
            run.leaves_for = row
            self._leaving.add(other)
            self._schedule(now + self._notice, "leave", other, self._attempts[other])

    def _give_up(self, row: int, now: int) -> None:
        claim = self._claims.pop(row)
        self.record.holds.append(Hold(row, claim.since, now, claim.placement))
        self.nodes.give_back(claim.placement)
        self.lane.unclaim(row, Instant(now))
        for other in claim.waits_for:
            self._running[other].leaves_for = -1

    # -- runs -----------------------------------------------------------------------------------------------------

    def _wait(self, row: int, now: int) -> None:
        self._since[row] = now
        self.lane.submit(row, Instant(now))

    def _start(self, row: int, now: Instant, placement: Placement) -> None:
        task = self._tasks[row]
        self._attempts[row] += 1
        attempt = self._attempts[row]
        self.record.waits.append((row, self._since.pop(row), now))
        contract = self.lane.start(row, now)
        overhead = int(task.restart_overhead) if attempt > 1 else 0
        ends, outcome = now + overhead + self._left[row], Outcome.COMPLETED
        if (
            attempt > 1
            and task.restart_failure
            and chance(self._seed, "restart", task.job.id, attempt) < task.restart_failure
        ):
            ends, outcome = now + overhead, Outcome.FAILED
        limit = task.job.time_limit
        if limit is not None and now + limit < ends:
            ends, outcome = now + limit, Outcome.TIMEOUT
        self._running[row] = _Running(placement, contract, now, overhead, ends, outcome)
        self._placements[row] = placement
        if task.checkpoint_every and task.job.resumable:
            self.lane.saves(row, now + overhead, task.checkpoint_every)
        self._schedule(ends, "end", row, attempt)

    def _end(self, row: int, now: int, outcome: Outcome) -> bool:
        """End a run, free its nodes, and let the job wait again or be done; True if it is done."""
        run = self._running.pop(row)
        del self._placements[row]
        self._leaving.discard(row)
        task = self._tasks[row]
        done = max(0, min(now - run.start - run.overhead, self._left[row]))
        kept = done if outcome in {Outcome.COMPLETED, Outcome.TIMEOUT} else self._saved(row, done, outcome)
        lost = (now - run.start) - kept
        self._left[row] -= kept
        self.nodes.give_back(run.placement)
        self.lane.end(row, Instant(now), outcome)
        self._version += 1
        self.record.runs.append(
            Run(
                row,
                self._attempts[row],
                run.start,
                now,
                outcome,
                run.contract.funded,
                run.contract.seconds,
                kept,
                lost,
                run.placement,
            )
        )
        if outcome is Outcome.PREEMPTED:
            self._lost.append((now, lost * task.job.gpus))
        if run.leaves_for is not None and run.leaves_for >= 0:
            self._freed_for(run.leaves_for, row, now)
        return self._afterwards(row, now, outcome)

    def _saved(self, row: int, done: int, outcome: Outcome) -> int:
        """Return how much of what a run did will not have to be done again."""
        task = self._tasks[row]
        if not task.job.resumable:
            return 0
        if outcome is Outcome.PREEMPTED and task.save_time is not None and task.save_time <= self._notice:
            return done
        every = task.checkpoint_every
        return done - done % every if every else 0

    def _afterwards(self, row: int, now: int, outcome: Outcome) -> bool:
        task = self._tasks[row]
        if outcome is Outcome.FAILED:
            self._failures[row] += 1
        if outcome in {Outcome.COMPLETED, Outcome.TIMEOUT} or self._failures[row] >= _MOST_TRIES:
            return True
        if task.job.kind == "interactive" and outcome is not Outcome.FAILED:
            return True  # the session is cut; nobody waits for it to come back
        if not task.job.resumable:
            self._left[row] = int(task.work)
        if outcome is Outcome.PREEMPTED:
            job = self.lane.jobs[row]
            self.lane.resubmitted(row, replace(job, preemptions=(*job.preemptions, Instant(now))))
        self._wait(row, now)
        return False

    def _freed_for(self, row: int, victim: int, now: int) -> None:
        claim = self._claims[row]
        claim.waits_for.discard(victim)
        if not claim.waits_for:
            del self._claims[row]
            self.record.holds.append(Hold(row, claim.since, now, claim.placement))
            self._start(row, Instant(now), claim.placement)
