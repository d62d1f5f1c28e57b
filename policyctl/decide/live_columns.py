"""All jobs of a live pool as columns that change in place, so that the rules on victims see them without copying."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from policyctl.decide.book import Book
from policyctl.decide.classify import Classes
from policyctl.decide.protection import Protection
from policyctl.decide.situation import PoolBase, PoolSituation, past_runs
from policyctl.decide.standing import Timeline
from policyctl.decide.table import NEVER, JobTable
from policyctl.ledger.charge import Rates, RunCharges
from policyctl.ledger.window import lookback
from policyctl.model.policy import Policy, Pool
from policyctl.units import Instant

__all__ = ["Contract", "LiveColumns"]

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Contract:
    """What a job got when it started: its class, its protection in seconds, and what speaks against it (bits)."""

    funded: bool
    seconds: int
    why: int


class LiveColumns:
    """The static columns of a table beside those of its runs: start, class and protection, and when work is saved."""

    def __init__(self, policy: Policy, pool: Pool, table: JobTable, timeline: Timeline, rates: Rates) -> None:
        size = len(table)
        self.table = replace(table, start=np.full(size, NEVER), last_checkpoint=np.full(size, NEVER))
        self.id_place = np.empty(size, np.int64)
        self.id_place[np.array(sorted(range(size), key=table.ids.__getitem__), dtype=np.int64)] = np.arange(
            size
        )
        self.saves_from = np.zeros(size, np.int64)
        self.saves_every = np.zeros(size, np.int64)
        self._held = _classes(size)
        self._waiting = _classes(size)
        self._base = PoolBase(
            policy=policy,
            pool=pool,
            now=Instant(0),
            timeline=timeline,
            rates=rates,
            window=lookback(policy.accounting.window, 0),
            running=self.table,
            past=past_runs([]),
            held=self._held,
            held_charges=RunCharges(
                charged=np.zeros(0, np.int64),
                committed=np.zeros(0, np.int64),
                opportunistic=np.zeros(0, np.int64),
            ),
            posted={},
        )

    def start(self, row: int, now: int, *, funded: bool, seconds: int) -> None:
        """Note what a job got when it started."""
        self.table.start[row] = now
        self._held.funded[row] = funded
        self._held.seconds[row] = seconds
        self.saves_every[row] = 0

    def view(self, now: Instant, book: Book, contract: Contract, row: int, running: Ints) -> PoolSituation:
        """Return the pool as the rules on victims read it: a waiting job in its row, running ones in theirs."""
        self._note_saves(now, running)
        self._waiting.funded[row] = contract.funded
        self._waiting.seconds[row] = contract.seconds
        base = replace(self._base, now=now, window=lookback(self._base.policy.accounting.window, now))
        return PoolSituation(base=base, pending=self.table, waiting=self._waiting, book=book)

    def _note_saves(self, now: int, running: Ints) -> None:
        """Bring the last checkpoint of running jobs up to `now`."""
        every = self.saves_every[running]
        since = self.saves_from[running]
        done = now - since
        saved = (every > 0) & (done >= every)
        self.table.last_checkpoint[running] = np.where(
            saved, since + done - done % np.maximum(every, 1), NEVER
        )


def _classes(size: int) -> Classes:
    seconds = np.zeros(size, np.int64)
    nothing = np.full(size, -1)
    return Classes(
        funded=np.zeros(size, np.bool_),
        why=np.zeros(size, np.uint8),
        seconds=seconds,
        judged=np.zeros(size, np.int64),
        protection=Protection(seconds=seconds, cap=nothing, bound=nothing, granted_by=nothing, faults={}),
    )
