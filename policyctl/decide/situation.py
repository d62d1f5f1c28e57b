"""One pool at one instant, made ready for questions: who waits, who runs, in which class, and the books.

`Situation` splits a cluster state by pool and prepares each pool when it is first asked about.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from policyctl.decide.book import Book, open_book
from policyctl.decide.classify import Classes, classify
from policyctl.decide.place import Capacity, capacity_of
from policyctl.decide.standing import Timeline
from policyctl.decide.table import JobTable, table_of
from policyctl.diagnostics import nearest
from policyctl.errors import UsageProblem
from policyctl.ledger.charge import Rates, RunCharges, Runs, charge_runs, must_fit, rates_of
from policyctl.ledger.window import Lookback, lookback
from policyctl.model.jobs import ClusterState, Job, Outcome, PastRun
from policyctl.model.policy import Policy, Pool, SlidingWindow
from policyctl.model.tree import Tree
from policyctl.units import Instant

__all__ = ["PastRuns", "PoolSituation", "Situation", "entitlement", "open_pool", "past_runs", "requeue"]

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class PastRuns:
    """Runs that ended, as columns beside the table of their jobs."""

    table: JobTable
    end: Ints
    taken_away: Bools
    preempted: Bools


def past_runs(runs: Sequence[PastRun]) -> PastRuns:
    """Turn past runs into columns."""
    return PastRuns(
        table=table_of([run.job for run in runs]),
        end=np.array([run.end for run in runs], dtype=np.int64),
        taken_away=np.fromiter((run.outcome.taken_away for run in runs), np.bool_, len(runs)),
        preempted=np.fromiter((run.outcome is Outcome.PREEMPTED for run in runs), np.bool_, len(runs)),
    )


Posted = dict[tuple[str, str], tuple[int, int, int]]
"""Ticks (charged, committed, opportunistic) by account path and user."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolBase:
    """What does not depend on the queue of a pool: what ran and runs, classified and charged.

    `capacity` None leaves open what would fit.
    """

    policy: Policy
    pool: Pool
    now: Instant
    timeline: Timeline
    rates: Rates
    window: Lookback
    running: JobTable
    past: PastRuns
    held: Classes
    held_charges: RunCharges
    posted: Posted
    capacity: Capacity | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolSituation:
    """Everything a decision about one pool reads: `waiting` has the rows of `pending`, `held` those of `running`."""

    base: PoolBase
    pending: JobTable
    waiting: Classes
    book: Book

    @property
    def policy(self) -> Policy:
        """The policy that decides."""
        return self.base.policy

    @property
    def pool(self) -> Pool:
        """The pool as its document describes it."""
        return self.base.pool

    @property
    def now(self) -> Instant:
        """The instant of the question."""
        return self.base.now

    @property
    def timeline(self) -> Timeline:
        """The pool's accounts over time."""
        return self.base.timeline

    @property
    def tree(self) -> Tree:
        """The accounts and their shares at `now`."""
        return self.base.timeline.tree(self.base.now)

    @property
    def rates(self) -> Rates:
        """What GPU time costs, in ticks."""
        return self.base.rates

    @property
    def window(self) -> Lookback:
        """The accounting window as seen from `now`."""
        return self.base.window

    @property
    def running(self) -> JobTable:
        """The jobs that run."""
        return self.base.running

    @property
    def past(self) -> PastRuns:
        """The runs that ended."""
        return self.base.past

    @property
    def held(self) -> Classes:
        """The classes of the jobs that run."""
        return self.base.held

    @property
    def capacity(self) -> Capacity | None:
        """The nodes of the pool and who is on them, None where nobody said."""
        return self.base.capacity

    def entitled(self, absolute: Fraction) -> Fraction:
        """Return the ticks that an absolute share may be charged, all protected, over the whole window."""
        return entitlement(self.pool, self.rates, self.window, max(absolute, Fraction(0)))

    def projected(self) -> Ints:
        """Return per pending row the ticks that taking it projects: its protection, or a quantum if opportunistic."""
        held = np.where(self.waiting.funded, self.waiting.seconds, self.policy.accounting.quantum)
        must_fit(float(np.dot(self.pending.gpus.astype(np.float64), held)) * self.rates.protected)
        return self.pending.gpus * held * self.rates.protected

    def user_nodes(self, table: JobTable) -> Ints:
        """Return the book's node of each row's user."""
        pair = table.account.codes.astype(np.int64) * max(1, len(table.user.table)) + table.user.codes
        distinct, inverse = np.unique(pair, return_inverse=True)
        width = max(1, len(table.user.table))
        nodes = [
            self.book.of_user[table.account.table[code // width], table.user.table[code % width]]
            for code in distinct.tolist()
        ]
        return np.array(nodes, dtype=np.int64)[inverse]


def open_pool(
    policy: Policy,
    pool: Pool,
    *,
    now: Instant,
    pending: JobTable,
    running: JobTable,
    past: PastRuns,
    capacity: Capacity | None = None,
) -> PoolSituation:
    """Classify and charge everything in a pool, and open its books."""
    timeline = Timeline(policy, pool.name)
    accounting = policy.accounting
    decays = isinstance(accounting.window, SlidingWindow) and accounting.window.half_life is not None
    rates = rates_of(accounting.charge, pool.charge_rate, decays=decays)
    window = lookback(accounting.window, now)
    nobody = frozenset[str]()

    everyone = np.arange(len(running))
    held = classify(timeline, running, everyone, started=running.start, now=now, overdrawn=nobody)
    ended = np.arange(len(past.table))
    was = classify(timeline, past.table, ended, started=past.table.start, now=now, overdrawn=nobody)
    held_charges = charge_runs(_still_running(running, held), rates, window)
    past_charges = charge_runs(_over(past, was), rates, window)

    posted: Posted = {}
    _post(posted, running, held_charges, keep_idle=True)
    _post(posted, past.table, past_charges, keep_idle=False)
    return _queue(
        PoolBase(
            policy=policy,
            pool=pool,
            now=now,
            timeline=timeline,
            rates=rates,
            window=window,
            running=running,
            past=past,
            held=held,
            held_charges=held_charges,
            posted=posted,
            capacity=capacity,
        ),
        pending,
    )


def requeue(situation: PoolSituation, pending: JobTable) -> PoolSituation:
    """Return the same pool with other jobs waiting, without charging its runs again."""
    return _queue(situation.base, pending)


def _queue(base: PoolBase, pending: JobTable) -> PoolSituation:
    posted = dict(base.posted)
    _post(posted, pending, None, keep_idle=True)
    book = open_book(base.timeline.tree(base.now), posted)
    overdrawn = _overdrawn(base.policy, base.pool, base.rates, base.window, book)
    queue = np.arange(len(pending))
    waiting = classify(base.timeline, pending, queue, started=None, now=base.now, overdrawn=overdrawn)
    return PoolSituation(base=base, pending=pending, waiting=waiting, book=book)


def entitlement(pool: Pool, rates: Rates, window: Lookback, absolute: Fraction) -> Fraction:
    """Return the ticks that an absolute share of a pool may be charged, all protected, over the whole window."""
    return absolute * (pool.gpus * 1000 * rates.protected) * Fraction(window.seconds)


def _overdrawn(policy: Policy, pool: Pool, rates: Rates, window: Lookback, book: Book) -> frozenset[str]:
    allowed = policy.accounting.overdraft
    if allowed is None:
        return frozenset()
    usage = book.usage.tolist()
    return frozenset(
        node.path
        for node, used in zip(book.nodes, usage, strict=True)
        if node.user is None
        and used > entitlement(pool, rates, window, max(node.absolute, Fraction(0))) * (1 + allowed)
    )


def _still_running(table: JobTable, held: Classes) -> Runs:
    size = len(table)
    return Runs(
        gpus=table.gpus,
        start=table.start,
        end=table.start,
        open=np.ones(size, np.bool_),
        funded=held.funded,
        protection=held.seconds,
        taken_away=np.zeros(size, np.bool_),
    )


def _over(past: PastRuns, was: Classes) -> Runs:
    return Runs(
        gpus=past.table.gpus,
        start=past.table.start,
        end=past.end,
        open=np.zeros(len(past.end), np.bool_),
        funded=was.funded,
        protection=was.seconds,
        taken_away=past.taken_away,
    )


def _post(posted: Posted, table: JobTable, charges: RunCharges | None, *, keep_idle: bool) -> None:
    """Add the charges of a table's rows to their users; a past run outside the window leaves no trace."""
    width = max(1, len(table.user.table))
    pair = table.account.codes.astype(np.int64) * width + table.user.codes
    distinct, inverse = np.unique(pair, return_inverse=True)
    sums = np.zeros((len(distinct), 3), dtype=np.int64)
    if charges is not None:
        for column, ticks in enumerate((charges.charged, charges.committed, charges.opportunistic)):
            np.add.at(sums[:, column], inverse, ticks)
    for code, (charged, committed, opportunistic) in zip(distinct.tolist(), sums.tolist(), strict=True):
        if keep_idle or charged or committed or opportunistic:
            key = (table.account.table[code // width], table.user.table[code % width])
            before = posted.get(key, (0, 0, 0))
            posted[key] = (before[0] + charged, before[1] + committed, before[2] + opportunistic)


@dataclass(frozen=True, slots=True)
class Situation:
    """A policy, a cluster state and an instant: the questions' common ground. Pools are prepared when first asked."""

    policy: Policy
    state: ClusterState
    now: Instant
    _pools: dict[str, PoolSituation] = field(init=False, repr=False, compare=False, default_factory=dict)

    def pools(self) -> tuple[str, ...]:
        """Return the names of the pools, in order."""
        return tuple(sorted(pool.name for pool in self.policy.pools))

    def pool(self, name: str) -> PoolSituation:
        """Return a pool, prepared; UsageProblem where the policy has none of that name."""
        if name not in self._pools:
            pool = self.policy.pool(name)
            if pool is None:
                known = ", ".join(f"`{known}`" for known in self.pools())
                close = nearest(name, self.pools())
                hint = f"did you mean `{close}`? " if close else ""
                raise UsageProblem(f"the policy has no pool `{name}`", help=f"{hint}its pools are {known}")
            running = self.jobs(name, running=True)
            self._pools[name] = open_pool(
                self.policy,
                pool,
                now=self.now,
                pending=table_of(self.jobs(name, running=False)),
                running=table_of(running),
                past=past_runs([run for run in self.state.usage if run.job.pool == name]),
                capacity=capacity_of(pool, self.state.nodes, running),
            )
        return self._pools[name]

    def jobs(self, pool: str, *, running: bool) -> list[Job]:
        """Return the jobs of a pool that wait or run, in the order of their ids."""
        return sorted(
            (job for job in self.state.jobs if job.pool == pool and (job.start is not None) is running),
            key=lambda job: job.id,
        )

    def job(self, identity: str) -> Job:
        """Return a job of the state; UsageProblem where it has none of that id."""
        for job in self.state.jobs:
            if job.id == identity:
                return job
        close = nearest(identity, (job.id for job in self.state.jobs))
        raise UsageProblem(
            f"the state has no job `{identity}`", help=f"did you mean `{close}`?" if close else None
        )
