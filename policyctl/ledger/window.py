"""The accounting window: from which instant usage counts, and how much an interval of it weighs at `now`.

Weights are closed form. Without a half-life a second inside the window weighs one second; with half-life `h` the
instant of age `x` weighs `2^(-x/h)`, so the interval of ages `[a, b]` weighs `h/ln 2 * (2^(-a/h) - 2^(-b/h))`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeVar
from zoneinfo import ZoneInfo

import numpy as np
import numpy.typing as npt

from policyctl.model.policy import CalendarWindow, SlidingWindow, Window

__all__ = ["Lookback", "lookback"]

Seconds64 = npt.NDArray[np.int64]
Weighted = TypeVar("Weighted", bound=np.generic)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lookback:
    """A window as seen from `now`: usage counts over `[start, now)`; `end` is where the whole period ends.

    For a sliding window the end is `now`; a calendar period ends at its own next boundary.
    """

    start: int
    now: int
    end: int
    half_life: int | None = None

    def weigh_intervals(
        self, start: Seconds64, end: Seconds64
    ) -> npt.NDArray[np.int64] | npt.NDArray[np.float64]:
        """Return the weight in seconds of each interval `[start, end)`, clipped to the window and to `now`."""
        low = np.clip(start, self.start, self.now)
        high = np.maximum(np.clip(end, self.start, self.now), low)
        if self.half_life is None:
            return high - low
        scale = self.half_life / math.log(2)
        near = np.exp2((high - self.now) / self.half_life)
        far = np.exp2((low - self.now) / self.half_life)
        return scale * (near - far)

    def weigh_instants(self, at: Seconds64) -> npt.NDArray[np.int64] | npt.NDArray[np.float64]:
        """Return the weight of each instant: 0 outside `[start, now]`."""
        inside = (at >= self.start) & (at <= self.now)
        if self.half_life is None:
            return inside.astype(np.int64)
        return np.where(inside, np.exp2((np.minimum(at, self.now) - self.now) / self.half_life), 0.0)

    @property
    def seconds(self) -> float:
        """Return the weight of the whole window: what one GPU could be charged in it, in seconds."""
        length = self.end - self.start
        if self.half_life is None:
            return length
        return self.half_life / math.log(2) * -math.expm1(-length / self.half_life * math.log(2))


def lookback(window: Window, now: int) -> Lookback:
    """Return the window that counts at `now`."""
    match window:
        case SlidingWindow(length=length, half_life=half_life):
            return Lookback(start=now - length, now=now, end=now, half_life=half_life)
        case CalendarWindow(unit=unit, timezone=timezone):
            start, end = _period(unit, timezone, now)
            return Lookback(start=start, now=now, end=end)


def _period(unit: str, timezone: str, now: int) -> tuple[int, int]:
    """Return the instants between which the calendar period containing `now` lies, by the wall clock of the zone."""
    zone = ZoneInfo(timezone)
    today = datetime.fromtimestamp(now, zone).replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=None)
    match unit:
        case "day":
            first, after = today, today + timedelta(days=1)
        case "week":
            first = today - timedelta(days=today.weekday())
            after = first + timedelta(days=7)
        case _:
            months = {"month": 1, "quarter": 3, "year": 12}[unit]
            zero_based = today.year * 12 + today.month - 1
            first_month = zero_based - (zero_based % months)
            first, after = _month(first_month), _month(first_month + months)
    return _midnight(first, zone), _midnight(after, zone)


def _month(zero_based: int) -> datetime:
    return datetime(zero_based // 12, zero_based % 12 + 1, 1)  # noqa: DTZ001 - a wall clock, given its zone later


def _midnight(wall: datetime, zone: ZoneInfo) -> int:
    # The earlier of two midnights; where a zone skips midnight, the offset before the jump gives the jump itself.
    return int(wall.replace(tzinfo=zone, fold=0).timestamp())
