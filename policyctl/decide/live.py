"""A pool that is asked again and again, as a simulation or a resident scheduler asks: the same answers, kept up to date.

`LivePool` follows submissions, starts and ends, and knows at any instant what ranking and planning would answer over
the state as it then is, without building that state anew. Classes, protections, charges and plans come from the same
functions as for a state; only the order is kept incrementally. The instants given never fall.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Collection, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from fractions import Fraction
from math import floor
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from policyctl.decide.book import Book, Node, number_nodes, weigh
from policyctl.decide.choose import Freeing, choose, hourly_allowance
from policyctl.decide.claim import Claim
from policyctl.decide.classify import classify
from policyctl.decide.judge import judge
from policyctl.decide.live_columns import Contract, LiveColumns
from policyctl.decide.live_queue import LiveQueue, Shape
from policyctl.decide.live_usage import LiveUsage
from policyctl.decide.protection import protect
from policyctl.decide.situation import entitlement
from policyctl.decide.standing import Timeline
from policyctl.decide.table import table_of
from policyctl.ledger.charge import rates_of
from policyctl.ledger.window import lookback
from policyctl.model.jobs import Job, Outcome
from policyctl.model.policy import Policy, Pool, SlidingWindow
from policyctl.model.tree import policy_instants
from policyctl.units import Instant

__all__ = ["FUNDED", "HELD", "SPARE", "Contract", "LivePool", "Trial"]

FUNDED, SPARE, HELD = 0, 1, 2
"""Classes of waiting jobs; HELD are those on which a rule failed, which have no place in any order."""
_NEVER = 2**62
_NOTHING = np.zeros(0, np.int64)
Ints = npt.NDArray[np.int64]


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
        self._table = table_of(self.jobs)
        self._columns = LiveColumns(policy, pool, self._table, self.timeline, self.rates)
        self._names = sorted({(job.account, job.user) for job in self.jobs})
        self._nodes = number_nodes(self.timeline.tree(start), self._names)
        of_user = {(node.path, node.user): number for number, node in enumerate(self._nodes)}
        self._user = [of_user[job.account, job.user] for job in self.jobs]
        self._users = np.array(self._user, dtype=np.int64)
        parent = self._parent = [node.parent for node in self._nodes]
        self._weight = [0] * len(parent)
        self._tie = [0] * len(parent)
        self.usage = LiveUsage(parent, window, start)
        self.queue = LiveQueue(parent, self._weight, self._tie)
        self._row = {job.id: row for row, job in enumerate(self.jobs)}
        self._of_account = {node.path: number for number, node in enumerate(self._nodes) if node.user is None}
        self._of_user = {
            (node.path, node.user): number for number, node in enumerate(self._nodes) if node.user is not None
        }
        self._parents = np.array(parent, dtype=np.int64)
        self._depths = np.array([node.depth for node in self._nodes], dtype=np.int64)
        self._chain = [_chain(parent, number) for number in range(len(parent))]
        self._runs: dict[int, _Run] = {}
        self._expiries: list[tuple[int, int, int]] = []
        self._armings = 0
        self._spare_gpus = 0
        self._spare_rows: dict[int, None] = {}
        self._open_gpus: dict[int, int] = {}
        self._open_rows: dict[int, dict[int, None]] = {}
        self._ahead: tuple[int, int, list[int]] = (-1, 0, [])
        self._partings: dict[int, dict[int, tuple[int, int]]] = defaultdict(dict)
        self._projected: dict[int, int] = {}
        self._claims: dict[int, int] = {}
        self._overdrawn: frozenset[str] = frozenset()
        self._limits: dict[int, int] = {}
        self._limits_for: float | None = None
        self._paying = sorted({self._of_account[job.account] for job in self.jobs})
        self._margin = float(1 + policy.preemption.hysteresis)
        rules = [rule.when.tree for cap in policy.caps for rule in cap.rules]
        self._clocked = any(_reads(tree, ("now", "submit")) for tree in rules)
        self._now = start
        self._changes = [at for at in policy_instants(policy) if at > start]
        self._until_change = self._changes[0] if self._changes else _NEVER
        self._enter(start)

    # -- what happens ---------------------------------------------------------------------------------------------

    def submit(self, row: int, now: Instant) -> None:
        """Let a job wait from now on, or again after it was preempted."""
        self._at(now)
        self.queue.add(self.jobs[row], self._user[row], self._klass(row))

    def resubmitted(self, row: int, job: Job) -> None:
        """Replace what is known of a job that does not wait: its submit time, its preemptions, its last checkpoint."""
        self.jobs[row] = job

    def withdraw(self, row: int) -> None:
        """Take a waiting job out for good."""
        self.queue.remove(self.jobs[row].id)

    def claim(self, row: int) -> None:
        """Take a waiting job out of the queue because capacity is being freed for it: its charge counts already."""
        self.queue.remove(self.jobs[row].id)
        self._claims[row] = self._charge(row)
        self.usage.change(self._user[row], self._now, owed=self._claims[row])
        self._judge_overdraft(row)

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
            contract = self._contract(row, self._plain[row])
        else:
            self.queue.remove(job.id)
            contract = self._contract_now(row)
        funded = contract.funded
        self._columns.start(row, now, funded=funded, seconds=contract.seconds)
        user, gpus, rates = self._user[row], job.gpus, self.rates
        self._armings += 1
        run = _Run(start=now, gpus=gpus, user=user, contract=contract, rate=0, arming=self._armings)
        self._runs[row] = run
        if contract.seconds:
            run.rate = gpus * rates.protected
            self.usage.change(user, now, rate=run.rate, owed=run.rate * contract.seconds, fall=run.rate)
            heapq.heappush(self._expiries, (now + contract.seconds, self._armings, row))
        else:
            run.rate = gpus * (rates.after_protection if funded else rates.opportunistic)
            if funded:
                self._open(row, run)
            else:
                self._spare_gpus += gpus
                self._spare_rows[row] = None
            self.usage.change(user, now, rate=run.rate)
        self._judge_overdraft(row)
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
        if not run.contract.funded:
            self._spare_gpus -= run.gpus
            del self._spare_rows[row]
        elif row in self._open_rows.get(run.user, ()):
            self._close(row, run)
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
        if self.policy.accounting.overdraft is not None:
            self._judge_overdrafts(self._paying)

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
            node = self._nodes[node].parent

    def accounted(self, now: Instant) -> dict[tuple[str, str], int | float]:
        """Return what each user of each account was charged in the window and has committed, in ticks, claims left out."""
        self._at(now)
        ticks = {key: self.usage.used(number, now) for key, number in self._of_user.items()}
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
        return self._spare_gpus + sum(self._open_gpus[user] for user in self._ahead[2])

    def _users_ahead(self, row: int) -> list[int]:
        """Return the users of whom rule 4 could let a job past its protection give way; in doubt too many."""
        mine = self._user[row]
        partings = self._partings[mine]
        pairs = [partings.get(user) or self._parting(mine, user) for user in self._open_gpus]
        ahead = self._branches_ahead(row, set(pairs))
        return [user for user, pair in zip(self._open_gpus, pairs, strict=True) if pair in ahead]

    def _branches_ahead(self, row: int, pairs: set[tuple[int, int]]) -> set[tuple[int, int]]:
        """Return the pairs at which the way of a job parts from those of victims that may give way to it."""
        mine, charge, weight = self._user[row], self._charge(row), self._weight
        in_doubt = self.policy.accounting.credit_limit is not None
        ahead = set()
        ways = [pair for pair in pairs if pair[0] != pair[1]]
        nodes = [node for pair in ways for node in pair]
        used = iter(self.usage.used_by(nodes, self._now))
        for pair, mine_used, other in zip(ways, used, used, strict=True):
            one, two = pair
            # As `Claim.behind`, but in doubt for it.
            after, against = (mine_used + charge) * weight[two] * self._margin, other * weight[one]
            if in_doubt or not weight[two] or after <= against * (1 + 1e-9):
                ahead.add(pair)
        if (mine, mine) in pairs:
            priority = self.jobs[row].priority
            if any(self.jobs[other].priority < priority for other in self._open_rows[mine]):
                ahead.add((mine, mine))
        return ahead

    def _parting(self, mine: int, other: int) -> tuple[int, int]:
        """Return the nodes at which the ways down to two users part; (0, 0) for two users of one account."""
        if mine != other and self._parent[mine] == self._parent[other]:
            parting = (0, 0)
        else:
            ways = zip(self._chain[mine], self._chain[other], strict=False)
            parting = next(((one, two) for one, two in ways if one != two), (mine, mine))
        self._partings[mine][other] = parting
        return parting

    def plan(
        self, row: int, now: Instant, trial: Trial, *, lost: int, kept: Collection[int]
    ) -> list[int] | None:
        """Return the running jobs to preempt for a waiting one, as `Preemptor.plan` would choose them, or None.

        `trial` tries them out by row; `lost` is the GPU time (thousandths times seconds) that the pool lost to
        preemption within the last hour; running jobs in `kept` are no victims, because they are leaving already.
        """
        self._at(now)
        rows = self._within_reach(row, kept)
        if not trial.fits_without(rows):
            return None
        return self._choose(row, now, np.array(rows, dtype=np.int64), trial, lost)

    def _within_reach(self, row: int, kept: Collection[int]) -> list[int]:
        """Return the running jobs that rules 2 to 4 leave open, in doubt too many of them."""
        known = self._ahead
        users = known[2] if known[:2] == (row, self._now) else self._users_ahead(row)
        reach = [other for other in self._spare_rows if other not in kept]
        for user in users:
            reach.extend(other for other in self._open_rows[user] if other not in kept)
        return reach

    def _choose(self, row: int, now: Instant, rows: Ints, trial: Trial, lost: int) -> list[int] | None:
        rows = rows[np.argsort(self._columns.id_place[rows])]
        view = self._columns.view(now, self._book(), self._contract_now(row), row, rows)
        claim = Claim(situation=view, user=self._user[row], charge=self._charge(row))
        victims = [self.jobs[other] for other in rows.tolist()]
        judged = judge(claim, self.jobs[row], row, victims, rows, users=self._users[rows])
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
                self._open(row, run)

    def _open(self, row: int, run: _Run) -> None:
        """Note that a funded job is past its protection."""
        self._open_rows.setdefault(run.user, {})[row] = None
        self._open_gpus[run.user] = self._open_gpus.get(run.user, 0) + run.gpus

    def _close(self, row: int, run: _Run) -> None:
        del self._open_rows[run.user][row]
        self._open_gpus[run.user] -= run.gpus
        if not self._open_rows[run.user]:
            del self._open_rows[run.user], self._open_gpus[run.user]

    def _enter(self, at: Instant) -> None:
        """Begin a stretch of time in which nothing in the policy changes."""
        self._nodes = _renewed(self._nodes, number_nodes(self.timeline.tree(at), self._names))
        exactly = weigh(self._nodes)
        weights = exactly.integers.tolist() if exactly.whole else exactly.weight.tolist()
        self._weight[:] = weights
        order = sorted(range(len(self._nodes)), key=lambda number: _tie_key(self._nodes[number]))
        for place, number in enumerate(order):
            self._tie[number] = place
        self._exactly = exactly
        self._limits_for = None
        self._classify(at)

    def _classify(self, at: Instant) -> None:
        everyone = np.arange(len(self.jobs))
        classes = classify(self.timeline, self._table, everyone, started=None, now=at, overdrawn=frozenset())
        self._classes = classes
        plain = np.where(classes.funded, FUNDED, SPARE)
        plain[list(classes.protection.faults)] = HELD
        self._plain = plain.tolist()
        self._protection = classes.seconds.tolist()
        for identity in self.queue.waiting():
            self._reclassify(self._row[identity])

    def _klass(self, row: int) -> int:
        plain: int = self._plain[row]
        return SPARE if plain == FUNDED and self.jobs[row].account in self._overdrawn else plain

    def _reclassify(self, row: int) -> None:
        job = self.jobs[row]
        if self.queue.klass(job.id) != self._klass(row):
            self.queue.remove(job.id)
            self.queue.add(job, self._user[row], self._klass(row))

    def _judge_overdraft(self, row: int) -> None:
        """See whether the account of a job that has just bought protection may buy more in the same decision."""
        account = self.jobs[row].account
        if self.policy.accounting.overdraft is not None and account not in self._overdrawn:
            self._judge_overdrafts([self._of_account[account]])

    def _judge_overdrafts(self, accounts: Collection[int]) -> None:
        seconds = lookback(self.policy.accounting.window, self._now).seconds
        if self._limits_for != seconds:
            self._limits, self._limits_for = {}, seconds
        judged = {self._nodes[number].path: number for number in accounts}
        over = {
            path
            for path, number in judged.items()
            if self.usage.used(number, self._now) > self._overdraft_limit(number)
        }
        moved = over ^ (self._overdrawn & judged.keys())
        if moved:
            self._overdrawn ^= moved
            for identity in self.queue.waiting():
                if self.jobs[self._row[identity]].account in moved:
                    self._reclassify(self._row[identity])

    def _overdraft_limit(self, number: int) -> int:
        """Return the most whole ticks that an account may have used and still buy protection."""
        if number not in self._limits:
            allowed = self.policy.accounting.overdraft
            assert allowed is not None
            window = lookback(self.policy.accounting.window, self._now)
            absolute = max(self._nodes[number].absolute, Fraction(0))
            self._limits[number] = floor(entitlement(self.pool, self.rates, window, absolute) * (1 + allowed))
        return self._limits[number]

    def _seconds(self, row: int) -> int:
        """Return the protection that a funded job would get now."""
        if not self._clocked:
            known: int = self._protection[row]
            return known
        table = table_of([self.jobs[row]])
        one = np.zeros(1, np.int64)
        return int(protect(self.policy, table, one, np.array([self._now])).seconds[0])

    def _charge(self, row: int) -> int:
        return self.jobs[row].gpus * self._seconds(row) * self.rates.protected

    def _used(self, nodes: Sequence[int]) -> list[int | float]:
        used = self.usage.used_by(nodes, self._now)
        if self._projected:
            projected = self._projected
            return [ticks + projected.get(node, 0) for node, ticks in zip(nodes, used, strict=True)]
        return used

    def _contract_now(self, row: int) -> Contract:
        """Return what a waiting job would get if it started now."""
        return self._contract(row, self._klass(row))

    def _contract(self, row: int, klass: int) -> Contract:
        funded = klass == FUNDED
        return Contract(
            funded=funded, seconds=self._seconds(row) if funded else 0, why=int(self._classes.why[row])
        )

    def _book(self) -> Book:
        return LiveBook(
            nodes=self._nodes,
            of_account=self._of_account,
            of_user=self._of_user,
            parent=self._parents,
            depth=self._depths,
            exactly=self._exactly,
            charged=_NOTHING,
            committed=_NOTHING,
            opportunistic=_NOTHING,
            usage_at=self.usage,
            now=self._now,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveBook(Book):
    """The books of a live pool: usage is worked out for the nodes that a question reads."""

    usage_at: LiveUsage
    now: int

    def used(self, node: int) -> int:
        """Return U of one node."""
        return round(self.usage_at.used(node, self.now))


def _chain(parent: Sequence[int], node: int) -> tuple[int, ...]:
    above = []
    while node > 0:
        above.append(node)
        node = parent[node]
    return tuple(reversed(above))


def _renewed(old: tuple[Node, ...], new: tuple[Node, ...]) -> tuple[Node, ...]:
    """Return the nodes in their old order with their new shares.

    An account that only an exception named is gone from the tree with it; no job can be below it, or it would be there.
    """
    fresh = {(node.path, node.user): node for node in new}
    gone = (replace(node, share=Fraction(0), absolute=Fraction(0), account=None) for node in old)
    return tuple(
        replace(fresh.get((node.path, node.user), without), parent=node.parent)
        for node, without in zip(old, gone, strict=True)
    )


def _tie_key(node: Node) -> tuple[Fraction, str, str]:
    return (-max(node.share, Fraction(0)), node.path, node.user or "")


def _reads(tree: Any, names: Collection[str]) -> bool:
    """Say whether a lowered rule reads one of these fields or variables."""
    if isinstance(tree, list):
        return any(_reads(part, names) for part in tree)
    return isinstance(tree, str) and tree in names
