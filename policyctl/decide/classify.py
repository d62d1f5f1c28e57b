"""Funded or opportunistic: the class of every job, why, and the protection a funded one buys.

A pending job is judged as the policy stands at `now`. A job that started was judged when it started, and keeps what
it was given: its account, share, suspension and cap are those of its start. Where no budget was in effect for its
account at that instant (its document may be gone from the repository), the present stands in for it. Overdraft only
stops new protection, so it never touches a job that runs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from policyctl.decide.protection import Protection, protect
from policyctl.decide.standing import Timeline
from policyctl.decide.table import JobTable

__all__ = ["WHY_OPPORTUNISTIC", "Classes", "classify"]

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

WHY_OPPORTUNISTIC = (
    "declared_zero",
    "unknown_account",
    "inner_account",
    "zero_share",
    "suspended",
    "overdraft",
)
"""Why a job is opportunistic, in the order in which the reasons are given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Classes:
    """Per row: `funded`, the reasons against it as bits of WHY_OPPORTUNISTIC, and the protection in seconds (0 if not).

    `judged` is the instant whose policy decided; `protection` keeps what bound it, for explanations.
    """

    funded: Bools
    why: npt.NDArray[np.uint8]
    seconds: Ints
    judged: Ints
    protection: Protection

    def reasons(self, row: int) -> tuple[str, ...]:
        """Return the codes that keep a row from being funded; empty where it is."""
        return tuple(code for bit, code in enumerate(WHY_OPPORTUNISTIC) if self.why[row] >> bit & 1)


def classify(
    timeline: Timeline,
    table: JobTable,
    rows: Ints,
    *,
    started: Ints | None,
    now: int,
    overdrawn: frozenset[str],
) -> Classes:
    """Classify jobs: pending ones at `now` (`started` None), others at the instant each of them started."""
    judged = np.full(len(rows), now) if started is None else started.copy()
    why = np.zeros(len(rows), np.uint8)
    why |= (table.min_runtime[rows] <= 0).astype(np.uint8)
    _judge(timeline, table, rows, judged=judged, now=now, why=why)
    if overdrawn:
        over = np.array([path in overdrawn for path in table.account.table], bool)[table.account.codes[rows]]
        why |= over.astype(np.uint8) << 5
    funded = why == 0
    asking = np.flatnonzero(funded)
    partial = protect(timeline.policy, table, rows[asking], judged[asking])
    protection = _spread(partial, asking, len(rows))
    return Classes(
        funded=funded,
        why=why,
        seconds=np.where(funded, protection.seconds, 0),
        judged=judged,
        protection=protection,
    )


def _judge(
    timeline: Timeline, table: JobTable, rows: Ints, *, judged: Ints, now: int, why: npt.NDArray[np.uint8]
) -> None:
    codes = table.account.codes[rows]
    present = timeline.standing(now, table.account.table)
    stretches = timeline.stretches(judged)
    for stretch in np.unique(stretches).tolist():
        inside = np.flatnonzero(stretches == stretch)
        then = timeline.standing(timeline.first_instant(stretch), table.account.table)
        named = then.named[codes[inside]]
        judged[inside[~named]] = now
        for standing, chosen in ((then, inside[named]), (present, inside[~named])):
            account = codes[chosen]
            bits = (~standing.known).astype(np.uint8) << 1
            bits |= standing.inner.astype(np.uint8) << 2
            bits |= (standing.known & ~standing.positive).astype(np.uint8) << 3
            bits |= then.suspended.astype(np.uint8) << 4
            why[chosen] |= bits[account]


def _spread(partial: Protection, rows: Ints, size: int) -> Protection:
    def full(values: Ints, filler: int) -> Ints:
        spread = np.full(size, filler)
        spread[rows] = values
        return spread

    return Protection(
        seconds=full(partial.seconds, 0),
        cap=full(partial.cap, 0),
        bound=full(partial.bound, -1),
        granted_by=full(partial.granted_by, -1),
        faults={int(rows[row]): fault for row, fault in partial.faults.items()},
    )
