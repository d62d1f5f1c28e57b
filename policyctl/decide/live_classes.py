"""The classes of all jobs of a live pool while nothing in the policy changes, and the overdrafts that change with usage."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from fractions import Fraction
from math import floor
from typing import Any

import numpy as np

from policyctl.decide.classify import classify
from policyctl.decide.live_columns import Contract
from policyctl.decide.live_nodes import LiveNodes
from policyctl.decide.live_usage import LiveUsage
from policyctl.decide.protection import protect
from policyctl.decide.situation import entitlement
from policyctl.decide.standing import Timeline
from policyctl.decide.table import JobTable, table_of
from policyctl.ledger.charge import Rates
from policyctl.ledger.window import Lookback, lookback
from policyctl.model.jobs import Job
from policyctl.model.policy import Pool

__all__ = ["FUNDED", "HELD", "SPARE", "LiveClasses"]

FUNDED, SPARE, HELD = 0, 1, 2
"""Classes of waiting jobs; HELD are those on which a rule failed, which have no place in any order."""


class LiveClasses:
    """What each job would be and get if it started now; `jobs` is the live pool's own list, which may change in place.

    `clocked` says that some cap rule reads the clock or the submit time, so that protections change within a stretch.
    """

    def __init__(
        self,
        timeline: Timeline,
        pool: Pool,
        rates: Rates,
        *,
        jobs: Sequence[Job],
        table: JobTable,
        nodes: LiveNodes,
    ) -> None:
        self._timeline, self._policy, self._pool, self._rates = timeline, timeline.policy, pool, rates
        self._jobs, self._table, self._nodes = jobs, table, nodes
        self._plain: list[int] = []
        self._protection: list[int] = []
        self._why: list[int] = []
        self._overdrawn: frozenset[str] = frozenset()
        self._limits: dict[int, int] = {}
        self._limits_for: float | None = None
        self._paying = sorted({nodes.of_account[job.account] for job in jobs})
        rules = [rule.when.tree for cap in self._policy.caps for rule in cap.rules]
        self.clocked = any(_reads(tree, ("now", "submit")) for tree in rules)

    def enter(self, at: int) -> None:
        """Begin a stretch of time in which nothing in the policy changes."""
        everyone = np.arange(len(self._jobs))
        found = classify(self._timeline, self._table, everyone, started=None, now=at, overdrawn=frozenset())
        plain = np.where(found.funded, FUNDED, SPARE)
        plain[list(found.protection.faults)] = HELD
        self._plain = plain.tolist()
        self._protection = found.seconds.tolist()
        self._why = found.why.tolist()
        self._limits_for = None

    def klass(self, row: int) -> int:
        """Return the class in which a job waits."""
        plain = self._plain[row]
        return SPARE if plain == FUNDED and self._jobs[row].account in self._overdrawn else plain

    def contract(self, row: int, now: int, *, bought: bool = False) -> Contract:
        """Return what a job would get; `bought` says that no overdraft since then undoes its protection."""
        funded = (self._plain[row] if bought else self.klass(row)) == FUNDED
        return Contract(funded=funded, seconds=self._seconds(row, now) if funded else 0, why=self._why[row])

    def charge(self, row: int, now: int) -> int:
        """Return the ticks that the protection of a funded job would be charged."""
        return self._jobs[row].gpus * self._seconds(row, now) * self._rates.protected

    def _seconds(self, row: int, now: int) -> int:
        if not self.clocked:
            return self._protection[row]
        table = table_of([self._jobs[row]])
        return int(protect(self._policy, table, np.zeros(1, np.int64), np.array([now])).seconds[0])

    def judge_overdrafts(self, usage: LiveUsage, now: int) -> Collection[str]:
        """See which accounts are overdrawn; return those for which that changed."""
        if self._policy.accounting.overdraft is None:
            return ()
        return self._judge(self._paying, usage, now)

    def judge_overdraft(self, row: int, usage: LiveUsage, now: int) -> Collection[str]:
        """See whether the account of a job that has just bought protection may buy more in the same decision."""
        account = self._jobs[row].account
        if self._policy.accounting.overdraft is None or account in self._overdrawn:
            return ()
        return self._judge([self._nodes.of_account[account]], usage, now)

    def _judge(self, accounts: Collection[int], usage: LiveUsage, now: int) -> Collection[str]:
        window = lookback(self._policy.accounting.window, now)
        if self._limits_for != window.seconds:
            self._limits = {number: self._limit(number, window) for number in self._paying}
            self._limits_for = window.seconds
        limits, nodes = self._limits, self._nodes.nodes
        used = zip(accounts, usage.used_by(accounts, now), strict=True)
        over = {number for number, ticks in used if ticks > limits[number]}
        before = {number for number in accounts if nodes[number].path in self._overdrawn}
        moved = frozenset(nodes[number].path for number in over ^ before)
        self._overdrawn ^= moved
        return moved

    def _limit(self, number: int, window: Lookback) -> int:
        """Return the most whole ticks that an account may have used and still buy protection."""
        allowed = self._policy.accounting.overdraft
        assert allowed is not None
        absolute = max(self._nodes.nodes[number].absolute, Fraction(0))
        return floor(entitlement(self._pool, self._rates, window, absolute) * (1 + allowed))


def _reads(tree: Any, names: Collection[str]) -> bool:
    """Say whether a lowered rule reads one of these fields or variables."""
    if isinstance(tree, list):
        return any(_reads(part, names) for part in tree)
    return isinstance(tree, str) and tree in names
