"""What every account was owed and got, per accounting window: min(demand, entitlement) against GPU time held.

In a window W of a pool, for a job of g GPUs:

    delivered = g * (time it ran in W)
    demand    = delivered + g * min(time it waited in W, work left at the end of W)

so a job demands its GPUs from its submission until its work is done, and no more than what is left of that work. The
entitlement of an account is the integral over W of its absolute share times the GPUs of the pool; a shorter last window
entitles to less. owed = min(demand, entitlement), for each account by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from policyctl.decide.standing import Timeline
from policyctl.ledger.window import lookback
from policyctl.model.measures import WindowRow
from policyctl.model.policy import Policy, SlidingWindow
from policyctl.model.tree import policy_instants
from policyctl.sim.measure_columns import GPU_HOUR, PoolColumns

__all__ = ["accounting_windows", "entitlement", "window_rows"]

Ints = npt.NDArray[np.int64]


def accounting_windows(policy: Policy, start: int, end: int) -> tuple[tuple[int, int], ...]:
    """Return the accounting windows that `[start, end)` is cut into: from its start, or by the calendar."""
    window = policy.accounting.window
    found: list[tuple[int, int]] = []
    at = start
    while at < end:
        length = window.length if isinstance(window, SlidingWindow) else lookback(window, at).end - at
        found.append((at, min(at + length, end)))
        at += length
    return tuple(found)


def entitlement(timeline: Timeline, gpus: int, account: str, start: int, end: int) -> Fraction:
    """Return the GPU-seconds (thousandths) that an account's share of a pool comes to over `[start, end)`."""
    total = Fraction(0)
    inner = [at for at in policy_instants(timeline.policy) if start < at < end]
    for since, until in zip([start, *inner], [*inner, end], strict=True):
        found = timeline.tree(since).get(account)
        if found is not None and found.absolute > 0:
            total += found.absolute * (until - since)
    return total * gpus * 1000


def window_rows(columns: PoolColumns, policy: Policy) -> Iterator[WindowRow]:
    """Measure programs and projects of a pool in every accounting window; accounts that never asked for it too."""
    timeline = Timeline(policy, columns.pool.name)
    levels = [
        _Level(columns.programs, columns.program, _named(policy, timeline, columns, 1)),
        _Level(columns.projects, columns.project, _named(policy, timeline, columns, 2)),
    ]
    for start, end in accounting_windows(policy, columns.start, columns.now):
        delivered, lost, demand = _per_job(columns, start, end)
        for level in levels:
            sums = [level.sums(column) for column in (delivered, lost, demand)]
            for account in level.all_accounts():
                got, wasted, asked = (each.get(account, 0) for each in sums)
                entitled = entitlement(timeline, columns.pool.gpus, account, start, end)
                yield WindowRow(
                    pool=columns.pool.name,
                    account=account,
                    start=start,
                    end=end,
                    entitlement=float(entitled / GPU_HOUR),
                    demand=asked / GPU_HOUR,
                    owed=float(min(Fraction(asked), entitled) / GPU_HOUR),
                    delivered=got / GPU_HOUR,
                    lost=wasted / GPU_HOUR,
                )


class _Level:
    """Accounts of one depth, those of the jobs and those that only the policy names."""

    def __init__(self, names: tuple[str, ...], codes: Ints, named: set[str]) -> None:
        self._names, self._codes, self._named = names, codes, named

    def all_accounts(self) -> list[str]:
        return sorted({*self._names, *self._named}, key=lambda path: path.split("/"))

    def sums(self, column: Ints) -> dict[str, int]:
        inside = self._codes >= 0
        summed = np.zeros(len(self._names), np.int64)
        np.add.at(summed, self._codes[inside], column[inside])
        return dict(zip(self._names, summed.tolist(), strict=True))


def _named(policy: Policy, timeline: Timeline, columns: PoolColumns, depth: int) -> set[str]:
    """Return the accounts of a depth that have a share at some time of the simulation."""
    inner = [at for at in policy_instants(policy) if columns.start < at < columns.now]
    return {
        account.path
        for at in (columns.start, *inner)
        for account in timeline.tree(at).accounts
        if account.absolute > 0 and account.path != "/" and account.path.count("/") == depth
    }


def _per_job(columns: PoolColumns, start: int, end: int) -> tuple[Ints, Ints, Ints]:
    """Return per row delivered, lost and demanded GPU time in a window."""
    runs = columns.runs
    overlap = _overlap(start, end)
    total = _by_row(columns, runs.row, overlap(runs.start, runs.end))
    restarting = overlap(runs.start, runs.start + runs.overhead)
    redoing = overlap(runs.end - runs.redone, runs.end)
    lost = _by_row(columns, runs.row, restarting + redoing)
    waited = _by_row(columns, columns.waits.row, overlap(columns.waits.since, columns.waits.until))
    asked = total + np.minimum(waited, _work_left(columns, end))
    return total * columns.gpus, lost * columns.gpus, asked * columns.gpus


def _overlap(start: int, end: int) -> Callable[[Ints, Ints], Ints]:
    def overlap(since: Ints, until: Ints) -> Ints:
        shared: Ints = np.maximum(np.minimum(until, end) - np.maximum(since, start), 0)
        return shared

    return overlap


def _by_row(columns: PoolColumns, rows: Ints, amounts: Ints) -> Ints:
    summed = np.zeros(len(columns.tasks), np.int64)
    np.add.at(summed, rows, amounts)
    return summed


def _work_left(columns: PoolColumns, at: int) -> Ints:
    """Return the seconds of work that each job has left just before an instant; 0 for those that neither wait nor run."""
    runs, waits = columns.runs, columns.waits
    before = runs.end < at
    left = columns.work - _by_row(columns, runs.row[before], runs.computed[before])
    now = (runs.start < at) & (at <= runs.end)
    rows, ran = runs.row[now], at - runs.start[now]
    found = np.zeros(len(columns.tasks), np.int64)
    found[rows] = np.minimum(
        left[rows] - np.maximum(ran - runs.overhead[now], 0), columns.limit[rows] - ran
    ).clip(min=0)
    waiting = waits.row[(waits.since < at) & (at <= waits.until)]
    found[waiting] = np.minimum(left[waiting], columns.limit[waiting])
    return found
