"""A lane that looks over the shoulder of the live pool: before each answer it builds the whole state and asks that too.

The state is made only of what a scheduler would know: jobs that wait, jobs that run and where, runs that ended. Two
things that a state has no words for are said in its own: a job that GPUs are being freed for counts as started now, and
a job that is leaving for it counts as ended now, while its nodes stay as full as they are.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from collections.abc import Set as AbstractSet
from copy import deepcopy
from dataclasses import dataclass, replace

from policyctl.decide.live import FUNDED, SPARE, LivePool, Trial
from policyctl.decide.live_columns import Contract
from policyctl.decide.live_queue import Shape, shape_of
from policyctl.decide.preempt import Preemptor
from policyctl.decide.rank import rank_pool
from policyctl.decide.situation import Situation
from policyctl.model.jobs import ClusterState, Job, Node, Outcome, PastRun
from policyctl.model.policy import Policy, Pool
from policyctl.model.tree import policy_instants, tree_at
from policyctl.sim.pool import SimPool
from policyctl.units import Instant, MilliGpu

__all__ = ["Seen", "WitnessLane"]


@dataclass(slots=True, kw_only=True)
class Seen:
    """How often each kind of answer was compared, so that a test can say that it compared something."""

    funded: int = 0
    funded_orders: int = 0
    spare: int = 0
    plans: int = 0
    granted: int = 0
    lost_track: int = 0


class WitnessLane:
    """A `Lane` that answers as a LivePool does, once the full evaluator has agreed.

    Contracts that a state cannot tell (bought before an overdraft, or by an account without a budget at the start) end
    the comparison: `blind` is set. `exact` asks for the same order; otherwise only for one within rounding.
    """

    def __init__(
        self, policy: Policy, pool: Pool, jobs: Sequence[Job], start: Instant, *, exact: bool
    ) -> None:
        self.live = LivePool(policy, pool, jobs, start)
        self.jobs: list[Job] = self.live.jobs
        self.policy, self.pool, self.exact = policy, pool, exact
        self.seen = Seen()
        self.blind = False
        self.sim: SimPool | None = None
        self.now = start
        self.waiting: set[int] = set()
        self.claimed: dict[int, Instant] = {}
        self.running: dict[int, Instant] = {}
        self.contracts: dict[int, Contract] = {}
        self.saving: dict[int, tuple[int, int]] = {}
        self.past: list[PastRun] = []
        self.taken: list[int] = []

    # -- what happens: passed on, and noted ----------------------------------------------------------------------

    def submit(self, row: int, now: Instant) -> None:
        self.waiting.add(row)
        self.live.submit(row, now)

    def resubmitted(self, row: int, job: Job) -> None:
        self.live.resubmitted(row, job)

    def withdraw(self, row: int) -> None:
        self.waiting.remove(row)
        self.live.withdraw(row)

    def claim(self, row: int) -> None:
        self.waiting.remove(row)
        self.claimed[row] = self.now
        self.live.claim(row)

    def unclaim(self, row: int, now: Instant) -> None:
        del self.claimed[row]
        self.waiting.add(row)
        self.live.unclaim(row, now)

    def start(self, row: int, now: Instant) -> Contract:
        self.waiting.discard(row)
        self.claimed.pop(row, None)
        self.running[row] = now
        self.saving.pop(row, None)
        self.contracts[row] = contract = self.live.start(row, now)
        return contract

    def saves(self, row: int, since: int, every: int) -> None:
        self.saving[row] = (since, every)
        self.live.saves(row, since, every)

    def end(self, row: int, now: Instant, outcome: Outcome) -> None:
        job = replace(self.jobs[row], start=self.running.pop(row))
        self.past.append(PastRun(job=job, end=now, outcome=outcome))
        self.live.end(row, now, outcome)

    def decide(self, now: Instant) -> None:
        self.now = now
        self.taken = []
        self.live.decide(now)
        if not self.blind:
            self._same_contracts()
        if not self.blind and self.exact and self.policy.accounting.overdraft is None:
            self._same_funded_order()  # one ranking judges overdrafts once, dispatch after every start

    def shapes(self, klass: int) -> set[Shape]:
        return self.live.shapes(klass)

    def project(self, row: int) -> None:
        self.taken.append(row)
        self.live.project(row)

    def next_expiry(self) -> int | None:
        return self.live.next_expiry()

    def could_take(self, row: int, now: Instant) -> int:
        most = self.live.could_take(row, now)
        if not self.blind:
            plan = Preemptor(self._situation(self.waiting)).plan(self.jobs[row].id)
            victims = {one.job for one in plan.victims} if plan.outcome == "granted" else set()
            assert (
                sum(self.jobs[other].gpus for other in self.running if self.jobs[other].id in victims) <= most
            )
        return most

    # -- what is asked: compared ---------------------------------------------------------------------------------

    def first(self, klass: int, fitting: AbstractSet[Shape] | None = None) -> int | None:
        found = self.live.first(klass, fitting)
        if not self.blind:
            if klass == FUNDED:
                self._same_first_funded(found)
            elif klass == SPARE and fitting is not None:
                self._same_next_spare(found, fitting)
        return found

    def plan(
        self, row: int, now: Instant, trial: Trial, *, lost: int, kept: Collection[int]
    ) -> list[int] | None:
        chosen = self.live.plan(row, now, trial, lost=lost, kept=kept)
        if not self.blind and self.exact:
            self.seen.plans += 1
            answer = Preemptor(self._situation(self.waiting)).plan(self.jobs[row].id)
            granted = [one.job for one in answer.victims] if answer.outcome == "granted" else None
            self.seen.granted += granted is not None
            assert granted == (None if chosen is None else sorted(self.jobs[other].id for other in chosen)), (
                answer
            )
        return chosen

    def _same_first_funded(self, found: int | None) -> None:
        self.seen.funded += found is not None
        order = self._order(self.waiting, "funded")
        self._same(found, order[0] if order else None, self.waiting)

    def _same_funded_order(self) -> None:
        """Take all funded jobs from a copy, each paid for as it is taken, and compare with the whole order."""
        copy = deepcopy(self.live)
        mine = []
        while (row := copy.first(FUNDED)) is not None:
            mine.append(copy.jobs[row].id)
            copy.claim(row)
        assert mine == self._order(self.waiting, "funded")
        self.seen.funded_orders += len(mine) > 1

    def _same_next_spare(self, found: int | None, fitting: Collection[Shape]) -> None:
        """Compare with the order of the jobs taken in this decision and those that fit: after the former comes the next.

        Jobs that cannot start now, funded ones among them, are no candidates and project nothing.
        """
        self.seen.spare += found is not None
        spare = set(self._order(self.waiting, "opportunistic"))
        candidates = {
            row for row in self.waiting if shape_of(self.jobs[row]) in fitting and self.jobs[row].id in spare
        }
        pending = candidates | set(self.taken)
        order = self._order(pending, "opportunistic", without=self.taken)
        if self.exact:
            assert order[: len(self.taken)] == [self.jobs[row].id for row in self.taken]
        left = [identity for identity in order if identity not in {self.jobs[row].id for row in self.taken}]
        if self.exact or not self.taken:
            self._same(found, left[0] if left else None, pending)

    def _same(self, found: int | None, expected: str | None, pending: Collection[int]) -> None:
        mine = None if found is None else self.jobs[found].id
        if self.exact or mine is None or expected is None:
            assert mine == expected
        elif mine != expected:
            self._tied(mine, expected, pending)

    def _tied(self, one: str, other: str, pending: Collection[int]) -> None:
        """Assert that two jobs differ only by rounding: at the accounts where their ways part, v is almost the same."""
        situation = self._situation(pending).pool(self.pool.name)
        users = situation.user_nodes(situation.pending).tolist()
        place = {identity: row for row, identity in enumerate(situation.pending.ids)}
        book = situation.book
        chains = (book.chain(users[place[one]]), book.chain(users[place[other]]))
        assert chains[0] != chains[1], "one user's own order has nothing to round"
        left, right = next(pair for pair in zip(*chains, strict=False) if pair[0] != pair[1])
        values = (book.virtual_time(left), book.virtual_time(right))
        assert values[0] is not None
        assert values[1] is not None
        assert abs(values[0] - values[1]) <= 2 * max(abs(values[0]), abs(values[1])) / 10**6 + 100

    def _order(self, pending: Collection[int], klass: str, without: Collection[int] = ()) -> list[str]:
        ranking = rank_pool(self._situation(pending, without=without).pool(self.pool.name))
        return [one.job for one in ranking.order if one.klass == klass]

    # -- the whole state -----------------------------------------------------------------------------------------

    def _same_contracts(self) -> None:
        """Hold what jobs got at their start to what the state says of them; lose track where it cannot know."""
        situation = self._situation(self.waiting).pool(self.pool.name)
        for place, identity in enumerate(situation.running.ids):
            row = next(row for row, job in enumerate(self.jobs) if job.id == identity)
            if row in self.claimed:
                continue
            contract = self.contracts[row]
            same = contract.funded == bool(situation.held.funded[place]) and (
                not contract.funded or contract.seconds == int(situation.held.seconds[place])
            )
            if not same:
                assert self.policy.accounting.overdraft is not None or not self._named(row)
                self._lose_track()
        if any(self._named_late(run) for run in self.past):
            self._lose_track()
        moved = any(
            since < at <= self.now for since in self.claimed.values() for at in policy_instants(self.policy)
        )
        if moved or (self.claimed and self.live.classes.clocked):
            self._lose_track()

    def _lose_track(self) -> None:
        self.blind = True
        self.seen.lost_track = 1

    def _row(self, identity: str) -> int:
        return next(row for row, job in enumerate(self.jobs) if job.id == identity)

    def _named(self, row: int, at: Instant | None = None) -> bool:
        """Say whether a budget named the account of a job at its start; otherwise the present stands in for it."""
        account = tree_at(self.policy, self.pool.name, self.running[row] if at is None else at).get(
            self.jobs[row].account
        )
        return account is not None and (account.place is not None or account.path == "/")

    def _named_late(self, run: PastRun) -> bool:
        row = self._row(run.job.id)
        return self._named(row, self.now) and not self._named(row, run.job.start)

    def _situation(self, pending: Collection[int], *, without: Collection[int] = ()) -> Situation:
        return Situation(policy=self.policy, state=self._state(pending, without), now=self.now)

    def _state(self, pending: Collection[int], without: Collection[int]) -> ClusterState:
        assert self.sim is not None
        leaving = self.sim._leaving
        jobs = [replace(self.jobs[row], start=None) for row in sorted(pending)]
        jobs += [
            replace(
                self.jobs[row],
                start=since,
                placement=self._on(self.sim._running[row].placement) if row in self.sim._running else {},
                last_checkpoint=self._saved(row),
            )
            for row, since in sorted(self.running.items())
            if row not in leaving and row not in without
        ]
        jobs += [
            replace(self.jobs[row], start=self.now, placement=self._on(self.sim._claims[row].placement))
            for row in sorted(self.claimed)
            if row in self.sim._claims
        ]
        gone = [
            PastRun(job=replace(self.jobs[row], start=since), end=self.now, outcome=Outcome.REQUEUED)
            for row, since in sorted(self.running.items())
            if row in leaving
        ]
        return ClusterState(
            time=self.now, jobs=tuple(jobs), usage=(*self.past, *gone), nodes=self._nodes(leaving)
        )

    def _saved(self, row: int) -> Instant | None:
        since, every = self.saving.get(row, (0, 0))
        done = self.now - since
        return Instant(since + done - done % every) if every and done >= every else None

    def _on(self, placement: Sequence[tuple[int, int]]) -> dict[str, MilliGpu]:
        return {f"node-{node:03}": MilliGpu(gpus) for node, gpus in placement}

    def _nodes(self, leaving: Collection[int]) -> tuple[Node, ...]:
        assert self.sim is not None
        nodes = self.sim.nodes
        held = [0] * nodes.count
        for row in leaving:
            for node, gpus in self.sim._running[row].placement:
                held[node] += gpus
        return tuple(
            Node(
                name=f"node-{node:03}",
                pool=self.pool.name,
                gpus=MilliGpu(nodes.size - held[node]),
                available=nodes.in_service(node),
                block=str(nodes._block[node]),
            )
            for node in range(nodes.count)
        )
