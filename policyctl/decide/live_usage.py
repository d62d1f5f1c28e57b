"""Usage that moves with time: every account's U as a closed form between events, for a pool that is asked all the time.

Between two events the charge of a node accrues at a constant rate, so its decayed sum is
`D(t) = D0 * 2^(-dt/h) + rate * h/ln 2 * (1 - 2^(-dt/h))`, or `D0 + rate * dt` without a half-life, and its outstanding
commitment falls in a straight line. What leaves the window is an event too: a rate that began at `t` ends its stay at
`t + length`. Without a half-life everything is an integer, as in the ledger.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Sequence

from policyctl.ledger.window import lookback
from policyctl.model.policy import SlidingWindow, Window

__all__ = ["LiveUsage"]

Ticks = int | float


_Leaving = tuple[int, int, int, Ticks, Ticks]
"""When something leaves the window, a serial number, the user's node, and the rate and the lump that it loses."""


class LiveUsage:
    """U of every node at any instant that is not earlier than the last one asked about.

    `parent` gives each node's parent, -1 for the root; amounts are ticks, rates ticks per second.
    """

    def __init__(self, parent: Sequence[int], window: Window, start: int) -> None:
        size = len(parent)
        self._parent = parent
        self._window = window
        self._sliding = window if isinstance(window, SlidingWindow) else None
        half_life = self._sliding.half_life if self._sliding else None
        self._decay = 0.0 if half_life is None else math.log(2) / half_life
        self._kept = (
            1 if self._sliding is None or half_life is None else 2.0 ** (-self._sliding.length / half_life)
        )
        self._kept_a_second = 1 if self._sliding is None or half_life is None else 2.0 ** (-1 / half_life)
        self._passed, self._remains = 0, 1.0
        self._charged: list[Ticks] = [0] * size
        self._rate: list[Ticks] = [0] * size
        self._owed: list[int] = [0] * size
        self._owed_fall: list[int] = [0] * size
        self._since = [start] * size
        self._leaving: list[_Leaving] = []
        self._serial = 0
        self._period_end = start if self._sliding else lookback(window, start).end

    def grow(self, count: int) -> None:
        """Make room for `count` nodes more; their parents have been added to the sequence given at first."""
        for column in (self._charged, self._rate, self._owed, self._owed_fall):
            column.extend([0] * count)
        self._since.extend([self._since[0]] * count)

    def used(self, node: int, now: int) -> Ticks:
        """Return what was charged in the window plus outstanding commitments, in ticks."""
        self.advance(now)
        self._settle(node, now)
        return self._charged[node] + self._owed[node]

    def used_by(self, nodes: Iterable[int], now: int) -> list[Ticks]:
        """Return the same for several nodes at once, in their order."""
        self.advance(now)
        charged, owed, since, settle = self._charged, self._owed, self._since, self._settle
        used: list[Ticks] = []
        for node in nodes:
            if since[node] != now:
                settle(node, now)
            used.append(charged[node] + owed[node])
        return used

    def charge_at_rate(self, node: int, now: int, rate: int) -> None:
        """Begin (or, with a negative rate, stop) charging a user at a constant rate from `now` on."""
        if not rate:
            return
        self.advance(now)
        self._move(node, now, rate=rate)
        self._leave_later(node, now, rate=rate)

    def charge_lump(self, node: int, now: int, ticks: int) -> None:
        """Charge a user an amount at once."""
        if not ticks:
            return
        self.advance(now)
        self._move(node, now, lump=ticks)
        # Age `length` still counts, so the lump leaves one second later, having decayed for that second too.
        self._leave_later(node, now + 1, lump=ticks * self._kept_a_second)

    def commit(self, node: int, now: int, ticks: int, fall: int) -> None:
        """Add an outstanding commitment that falls by `fall` ticks a second; both negative to take it back."""
        self.advance(now)
        while node >= 0:
            self._settle(node, now)
            self._owed[node] += ticks
            self._owed_fall[node] += fall
            node = self._parent[node]

    def advance(self, now: int) -> None:
        """Let everything leave the window that left it by `now`."""
        leaving = self._leaving
        while leaving and leaving[0][0] <= now:
            at, _, node, rate, lump = heapq.heappop(leaving)
            self._move(node, at, rate=-rate * self._kept, lump=-lump * self._kept)
        if self._sliding is None and now >= self._period_end:
            self._new_period(now)

    def _new_period(self, now: int) -> None:
        period = lookback(self._window, now)
        for node in range(len(self._charged)):
            self._settle(node, period.start)
            self._charged[node] = 0
        self._period_end = period.end

    def _leave_later(self, node: int, at: int, *, rate: Ticks = 0, lump: Ticks = 0) -> None:
        if self._sliding is not None:
            self._serial += 1
            heapq.heappush(self._leaving, (at + self._sliding.length, self._serial, node, rate, lump))

    def _move(self, node: int, now: int, *, rate: Ticks = 0, lump: Ticks = 0) -> None:
        while node >= 0:
            self._settle(node, now)
            self._rate[node] += rate
            self._charged[node] += lump
            node = self._parent[node]

    def _settle(self, node: int, now: int) -> None:
        passed = now - self._since[node]
        if not passed:
            return
        rate = self._rate[node]
        if self._decay:
            if passed != self._passed:
                # Nodes that are read together have often been read together before.
                self._passed, self._remains = passed, math.exp(-self._decay * passed)
            left = self._remains
            if rate:
                self._charged[node] = self._charged[node] * left + rate / self._decay * (1.0 - left)
            else:
                self._charged[node] *= left
        else:
            self._charged[node] += rate * passed
        fall = self._owed_fall[node]
        if fall:
            self._owed[node] -= fall * passed
        self._since[node] = now
