"""A pool that is asked again and again, as a simulation or a resident scheduler asks: the same answers, kept up to date.

`LivePool` follows submissions, starts and ends, and knows at any instant what ranking and planning would answer over
the state as it then is, without building that state anew. Classes, protections, charges and plans come from the same
functions as for a state; only the order is kept incrementally. The instants given never fall.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from policyctl.decide.choose import Freeing, choose, hourly_allowance
from policyctl.decide.claim import Claim
from policyctl.decide.judge import judge
from policyctl.decide.live_classes import FUNDED, HELD, SPARE, LiveClasses
from policyctl.decide.live_columns import Contract, LiveColumns
from policyctl.decide.live_nodes import LiveNodes
from policyctl.decide.live_queue import LiveQueue, Shape
from policyctl.decide.live_reach import LiveReach
from policyctl.decide.live_rivals import LiveRivals
from policyctl.decide.live_usage import LiveUsage
from policyctl.decide.standing import Timeline
from policyctl.decide.table import table_of
from policyctl.decide.too_often import spared_until
from policyctl.ledger.charge import rates_of
from policyctl.model.jobs import Job, Outcome
from policyctl.model.policy import Policy, Pool, SlidingWindow
from policyctl.model.tree import policy_instants
from policyctl.units import Instant

__all__ = ["FUNDED", "HELD", "SPARE", "Contract", "LivePool", "Trial"]

_NEVER = 2**62


class Trial(Freeing[int], Protocol):
    """A try-out by row that can also say at once what the absence of many jobs would do."""

    def fits_without(self, jobs: Sequence[int]) -> bool:
        """Say whether the job could start without some running jobs more; none is taken away."""


@dataclass(slots=True, kw_only=True)
class _Run:
    start: int
    gpus: int
    user: int
    contract: Contract
    rate: int
    arming: int


class LivePool:
    """One pool over time; `jobs` holds every job that will ever come, and each is named by its place in it.

    `start` is the instant from which the pool is followed; nothing ran before it.
    """

    def __init__(self, policy: Policy, pool: Pool, jobs: Sequence[Job], start: Instant) -> None:
        self.policy, self.pool = policy, pool
        self.timeline = Timeline(policy, pool.name)
        window = policy.accounting.window
        decays = isinstance(window, SlidingWindow) and window.half_life is not None
        self.rates = rates_of(policy.accounting.charge, pool.charge_rate, decays=decays)
        self.jobs = list(jobs)
        table = table_of(self.jobs)
        self._columns = LiveColumns(policy, pool, table, self.timeline, self.rates)
        self._nodes = LiveNodes(self.timeline.tree(start), self.jobs)
        self._user = self._nodes.user
        self.classes = LiveClasses(
            self.timeline, pool, self.rates, jobs=self.jobs, table=table, nodes=self._nodes
        )
        self.usage = LiveUsage(self._nodes.parent, window, start)
        self.queue = LiveQueue(self._nodes.parent, self._nodes.weight, self._nodes.tie)
        self._reach = LiveReach()
        self._rivals = LiveRivals(policy, pool, self.rates, self._nodes, self.jobs)
        self._row = {job.id: row for row, job in enumerate(self.jobs)}
        self._runs: dict[int, _Run] = {}
        self._expiries: list[tuple[int, int, int]] = []
        self._armings = 0
        self._ahead: tuple[int, int, list[int]] = (-1, 0, [])
        self._projected: dict[int, int] = {}
        self._claims: dict[int, int] = {}
        self._now = start
        self._changes = [at for at in policy_instants(policy) if at > start]
        self._until_change = self._changes[0] if self._changes else _NEVER
        self._enter(start)

    # -- what happens ---------------------------------------------------------------------------------------------

    def submit(self, row: int, now: Instant) -> None:
        """Let a job wait from now on, or again after it was preempted."""
        self._at(now)
        self.queue.add(self.jobs[row], self._user[row], self.classes.klass(row))

    def resubmitted(self, row: int, job: Job) -> None:
        """Replace what is known of a job that does not wait: its submit time, its preemptions, its last checkpoint."""
        self.jobs[row] = job

    def withdraw(self, row: int) -> None:
        """Take a waiting job out for good."""
        self.queue.remove(self.jobs[row].id)

    def claim(self, row: int) -> None:
        """Take a waiting job out of the queue because capacity is being freed for it: its charge counts already."""
        self.queue.remove(self.jobs[row].id)
        self._claims[row] = self.classes.charge(row, self._now)
        self.usage.change(self._user[row], self._now, owed=self._claims[row])
        self._move(self.classes.judge_overdraft(row, self.usage, self._now))

    def unclaim(self, row: int, now: Instant) -> None:
        """Put a claimed job back into the queue."""
        self._at(now)
        self.usage.change(self._user[row], now, owed=-self._claims.pop(row))
        self.submit(row, now)

    def start(self, row: int, now: Instant) -> Contract:
        """Start a waiting or claimed job; its contract is what the policy gives it at this instant."""
        self._at(now)
        job = self.jobs[row]
        if row in self._claims:
            # Its protection was bought with the claim: an overdraft since then, which it may itself be, does not undo it.
            self.usage.change(self._user[row], now, owed=-self._claims.pop(row))
            contract = self.classes.contract(row, now, bought=True)
        else:
            self.queue.remove(job.id)
            contract = self.classes.contract(row, now)
        funded = contract.funded
        self._columns.start(row, now, funded=funded, seconds=contract.seconds)
        user, gpus, rates = self._user[row], job.gpus, self.rates
        self._armings += 1
        run = _Run(start=now, gpus=gpus, user=user, contract=contract, rate=0, arming=self._armings)
        self._runs[row] = run
        spared = spared_until(self.policy.preemption.per_job, job, now)
        if spared > now:
            self._reach.spare_until(row, spared)
        if contract.seconds:
            run.rate = gpus * rates.protected
            self.usage.change(user, now, rate=run.rate, owed=run.rate * contract.seconds, fall=run.rate)
            heapq.heappush(self._expiries, (now + contract.seconds, self._armings, row))
        else:
            run.rate = gpus * (rates.after_protection if funded else rates.opportunistic)
            if funded:
                self._reach.add_open(row, user, gpus)
            else:
                self._reach.add_spare(row, gpus)
            self.usage.change(user, now, rate=run.rate)
        self._move(self.classes.judge_overdraft(row, self.usage, now))
        return contract

    def saves(self, row: int, since: int, every: int) -> None:
        """Note that a running job saves its work every so many seconds from an instant on."""
        self._columns.saves_from[row] = since
        self._columns.saves_every[row] = every

    def end(self, row: int, now: Instant, outcome: Outcome) -> None:
        """End a run, and charge what was left of its protection unless it was taken away."""
        self._at(now)
        run = self._runs.pop(row)
        left = run.start + run.contract.seconds - now
        self._reach.remove(row, run.user)
        if left <= 0:
            self.usage.change(run.user, now, rate=-run.rate)
            return
        protected = run.gpus * self.rates.protected
        unused = 0 if outcome.taken_away else run.gpus * self.rates.unused_protection * left
        self.usage.change(run.user, now, rate=-run.rate, lump=unused, owed=-protected * left, fall=-protected)

    # -- what is asked --------------------------------------------------------------------------------------------

    def decide(self, now: Instant) -> None:
        """Begin a decision: what earlier decisions projected is forgotten."""
        self._at(now)
        self._projected.clear()
        self._move(self.classes.judge_overdrafts(self.usage, now))

    def first(self, klass: int, fitting: AbstractSet[Shape] | None = None) -> int | None:
        """Return the job that goes next in a class, among jobs of those shapes (None: all); None if there is none."""
        found = self.queue.next(klass, self._used, fitting)
        return None if found is None else self._row[found[0]]

    def shapes(self, klass: int) -> set[Shape]:
        """Return the shapes that wait in a class."""
        return self.queue.shapes(klass)

    def project(self, row: int) -> None:
        """Count an opportunistic job as taken in this decision, as ranking does for the jobs before the next one."""
        ticks = self.jobs[row].gpus * self.policy.accounting.quantum * self.rates.protected
        node = self._user[row]
        while node > 0:
            self._projected[node] = self._projected.get(node, 0) + ticks
            node = self._nodes.parent[node]

    def accounted(self, now: Instant) -> dict[tuple[str, str], int | float]:
        """Return what each user of each account was charged in the window and has committed, in ticks, claims left out."""
        self._at(now)
        ticks = {key: self.usage.used(number, now) for key, number in self._nodes.of_user.items()}
        for row, claimed in self._claims.items():
            ticks[self.jobs[row].account, self.jobs[row].user] -= claimed
        return ticks

    def next_expiry(self) -> int | None:
        """Return the next instant at which a running job's protection ends."""
        while self._expiries and not self._armed(self._expiries[0]):
            heapq.heappop(self._expiries)
        return self._expiries[0][0] if self._expiries else None

    def protected(self, row: int, now: int) -> bool:
        """Say whether a running job is protected."""
        run = self._runs[row]
        return run.contract.funded and now < run.start + run.contract.seconds

    def contract(self, row: int) -> Contract:
        """Return the contract of a running job."""
        return self._runs[row].contract

    def could_take(self, row: int, now: Instant) -> int:
        """Return at most how many GPUs (thousandths) preemption could free for a job: what rules 2 to 4 leave open."""
        self._at(now)
        self._ahead = (row, now, self._users_ahead(row))
        return self._reach.most(self._ahead[2])

    def _users_ahead(self, row: int) -> list[int]:
        """Return the users of whom rule 4 could let a job past its protection give way; in doubt too many."""
        charge = self.classes.charge(row, self._now)
        return self._rivals.ahead(row, charge, self._reach, self.usage, self._now)

    def plan(
        self, row: int, now: Instant, trial: Trial, *, lost: int, kept: Collection[int]
    ) -> list[int] | None:
        """Return the running jobs to preempt for a waiting one, as `Preemptor.plan` would choose them, or None.

        `trial` tries them out by row; `lost` is the GPU time (thousandths times seconds) that the pool lost to
        preemption within the last hour; running jobs in `kept` are no victims, because they are leaving already.
        """
        self._at(now)
        known = self._ahead
        users = known[2] if known[:2] == (row, now) else self._users_ahead(row)
        rows = self._reach.rows(users, kept, now)
        if not trial.fits_without(rows):
            return None
        return self._choose(row, rows, trial, lost)

    def _choose(self, row: int, within_reach: list[int], trial: Trial, lost: int) -> list[int] | None:
        now = self._now
        rows = np.array(within_reach, dtype=np.int64)
        rows = rows[np.argsort(self._columns.id_place[rows])]
        view = self._columns.view(
            now, self._nodes.book(self.usage, now), self.classes.contract(row, now), row, rows
        )
        claim = Claim(situation=view, user=self._user[row], charge=self.classes.charge(row, now))
        victims = [self.jobs[other] for other in rows.tolist()]
        judged = judge(claim, self.jobs[row], row, victims, rows, users=self._nodes.users[rows])
        wanted = judged.clear() & (self._columns.table.gpus[rows] > 0)
        chosen = choose(judged, trial, lambda place: int(rows[place]), lost=lost, wanted=wanted)
        if chosen is None:
            return None
        allowance = hourly_allowance(self.policy.preemption)
        if allowance is not None and lost + int(judged.at_risk[chosen].sum()) > allowance:
            return None
        return [int(rows[place]) for place in chosen]

    # -- how it is kept -------------------------------------------------------------------------------------------

    def _at(self, now: Instant) -> None:
        """Let time pass: protections end, and policy instants change shares and classes."""
        if now < self._until_change:
            self._expire(now)
        else:
            while self._changes and self._changes[0] <= now:
                change = self._changes.pop(0)
                self._expire(change)
                self._enter(Instant(change))
            self._until_change = self._changes[0] if self._changes else _NEVER
            self._expire(now)
        self._now = now

    def _armed(self, expiry: tuple[int, int, int]) -> bool:
        run = self._runs.get(expiry[2])
        return run is not None and run.arming == expiry[1]

    def _expire(self, now: int) -> None:
        while self._expiries and self._expiries[0][0] <= now:
            expiry = heapq.heappop(self._expiries)
            if self._armed(expiry):
                at, _, row = expiry
                run = self._runs[row]
                after = run.gpus * self.rates.after_protection
                self.usage.change(run.user, at, rate=after - run.rate, fall=-run.rate)
                run.rate = after
                self._reach.add_open(row, run.user, run.gpus)

    def _enter(self, at: Instant) -> None:
        """Begin a stretch of time in which nothing in the policy changes."""
        self._nodes.enter(self.timeline.tree(at))
        self.classes.enter(at)
        self._reclassify(self.queue.waiting())

    def _move(self, accounts: Collection[str]) -> None:
        """Let the waiting jobs of some accounts change their class."""
        if accounts:
            waiting = self.queue.waiting()
            self._reclassify([one for one in waiting if self.jobs[self._row[one]].account in accounts])

    def _reclassify(self, waiting: Collection[str]) -> None:
        for identity in waiting:
            row = self._row[identity]
            klass = self.classes.klass(row)
            if self.queue.klass(identity) != klass:
                self.queue.remove(identity)
                self.queue.add(self.jobs[row], self._user[row], klass)

    def _used(self, nodes: Sequence[int]) -> list[int | float]:
        used = self.usage.used_by(nodes, self._now)
        if self._projected:
            projected = self._projected
            return [ticks + projected.get(node, 0) for node, ticks in zip(nodes, used, strict=True)]
        return used
