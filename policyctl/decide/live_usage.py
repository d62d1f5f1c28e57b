"""Usage that moves with time: every account's U as a closed form between events, for a pool that is asked all the time.

Between two events the charge of a node accrues at a constant rate, and what was charged decays, so that with a half-life `h`
(`k = ln 2 / h`) the decayed sum is `D(t) = X * e^(-k(t - T)) + rate / k`: `X` moves with events only, and to read a node
changes nothing. Without a half-life it is `D(t) = A + rate * (t - T)`, and everything is an integer, as in the ledger. The
outstanding commitment falls in a straight line. What leaves the window is an event too: a rate that began at `t` ends its
stay at `t + length`.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Sequence

from policyctl.ledger.window import lookback
from policyctl.model.policy import SlidingWindow, Window

__all__ = ["LiveUsage"]

Ticks = int | float

_MOST_DECAY = 8.0
"""From which `k(t - T)` on `T` is set anew: the scale of `X` is never off by more than e to this power."""
_Leaving = tuple[int, int, Ticks]
"""When something leaves the window, the user's node, and the rate or the lump that it loses."""
_NEVER = 2**62


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
        self._rate: list[Ticks] = [0] * size
        self._owed: list[Ticks] = [0] * size
        # U(t) = decaying * e^(-k passed) + steady + slope * passed, where `passed` is t - T.
        self._decaying: list[float] = [0.0] * size
        self._steady: list[Ticks] = [0] * size
        self._slope: list[Ticks] = [0] * size
        self._charged: list[Ticks] = [0] * size
        self._epoch = self._now = start
        self._passed, self._left = 0, 1.0
        # Instants never fall and everything stays equally long, so that what came first leaves first.
        self._rates_leaving: deque[_Leaving] = deque()
        self._lumps_leaving: deque[_Leaving] = deque()
        self._next_leaves = _NEVER
        self._period_end = start if self._sliding else lookback(window, start).end

    def used(self, node: int, now: int) -> Ticks:
        """Return what was charged in the window plus outstanding commitments, in ticks."""
        return self.used_by((node,), now)[0]

    def used_by(self, nodes: Iterable[int], now: int) -> list[Ticks]:
        """Return the same for several nodes at once, in their order."""
        self.advance(now)
        steady, slope, passed = self._steady, self._slope, self._passed
        if self._decay:
            decaying, left = self._decaying, self._left
            return [decaying[node] * left + steady[node] + slope[node] * passed for node in nodes]
        return [steady[node] + slope[node] * passed for node in nodes]

    def change(
        self, node: int, now: int, *, rate: int = 0, lump: Ticks = 0, owed: int = 0, fall: int = 0
    ) -> None:
        """Change what a user is charged and has committed, from `now` on.

        `rate` is added to what it is charged a second, `lump` charged at once; `owed` is added to its outstanding
        commitment, and `fall` to what the commitment loses a second. All may be negative, to take them back.
        """
        self.advance(now)
        self._move(node, rate, lump, owed + fall * self._passed, fall)
        if self._sliding is None or not (rate or lump):
            return
        leaves = now + self._sliding.length
        if rate:
            self._rates_leaving.append((leaves, node, rate * self._kept))
        if lump:
            # Age `length` still counts, so the lump leaves one second later, having decayed for that second too.
            self._lumps_leaving.append((leaves + 1, node, lump * self._kept_a_second * self._kept))
        self._next_leaves = min(self._next_leaves, leaves if rate else leaves + 1)

    def advance(self, now: int) -> None:
        """Let everything leave the window that left it by `now`."""
        if now == self._now:
            return
        while self._next_leaves <= now:
            self._leave(self._next_leaves)
        self._go_to(now)
        if self._sliding is None and now >= self._period_end:
            self._new_period(now)

    def _go_to(self, now: int) -> None:
        self._now = now
        self._passed = now - self._epoch
        if self._decay:
            decay = self._decay * self._passed
            self._left = math.exp(-decay)
            if decay > _MOST_DECAY:
                self._begin_again()

    def _begin_again(self) -> None:
        """Let now be T."""
        for node, slope in enumerate(self._slope):
            self._decaying[node] *= self._left
            self._owed[node] += slope * self._passed
            self._steady[node] = self._rate[node] / self._decay + self._owed[node]
        self._epoch, self._passed, self._left = self._now, 0, 1.0

    def _new_period(self, now: int) -> None:
        period = lookback(self._window, now)
        for node, rate in enumerate(self._rate):
            charged = -rate * (period.start - self._epoch)
            self._steady[node] += charged - self._charged[node]
            self._charged[node] = charged
        self._period_end = period.end

    def _leave(self, at: int) -> None:
        """Let what leaves the window at an instant leave it."""
        self._go_to(at)
        rates, lumps = self._rates_leaving, self._lumps_leaving
        while rates and rates[0][0] == at:
            _, node, rate = rates.popleft()
            self._move(node, -rate, 0, 0, 0)
        while lumps and lumps[0][0] == at:
            _, node, lump = lumps.popleft()
            self._move(node, 0, -lump, 0, 0)
        following = [leaving[0][0] for leaving in (rates, lumps) if leaving]
        self._next_leaves = min(following, default=_NEVER)

    def _move(self, node: int, rate: Ticks, lump: Ticks, owed: int, fall: int) -> None:
        """Change a node and all above it; `owed` is what the commitment would have been at T."""
        parent, rates, steady, slope = self._parent, self._rate, self._steady, self._slope
        if self._decay:
            decay, all_owed, decaying = self._decay, self._owed, self._decaying
            step = (lump - rate / decay) / self._left
            while node >= 0:
                rates[node] += rate
                all_owed[node] += owed
                decaying[node] += step
                steady[node] = rates[node] / decay + all_owed[node]
                slope[node] -= fall
                node = parent[node]
            return
        charged, step = self._charged, lump - rate * self._passed
        while node >= 0:
            rates[node] += rate
            charged[node] += step
            steady[node] += step + owed
            slope[node] += rate - fall
            node = parent[node]
