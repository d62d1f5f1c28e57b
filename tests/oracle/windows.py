"""The accounting window, found by walking: where it starts, where it ends, what a second in it weighs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import lru_cache
from zoneinfo import ZoneInfo

from policyctl.model.policy import CalendarWindow, Window

__all__ = ["Span", "span_of"]

_STEP = 900
"""Every clock change and every midnight of the present falls on a quarter of an hour."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """Usage counts from `start` up to `now`; the whole window ends at `end`."""

    start: int
    now: int
    end: int
    half_life: int | None = None

    def second(self, at: int) -> float:
        """Return the weight of the second that begins at `at`: a whole number without a half-life."""
        if not self.start <= at < self.now:
            return 0
        if self.half_life is None:
            return 1
        age = self.now - at
        return self._scale * (self._left(age - 1) - self._left(age))

    def instant(self, at: int) -> float:
        """Return the weight of an instant: a whole number without a half-life."""
        if not self.start <= at <= self.now:
            return 0
        return 1 if self.half_life is None else self._left(self.now - at)

    @property
    def whole(self) -> float:
        """Return the weight of the whole window, in seconds."""
        if self.half_life is None:
            return self.end - self.start
        return self._scale * (1 - self._left(self.now - self.start))

    def _left(self, age: int) -> float:
        assert self.half_life is not None
        return math.pow(2, -age / self.half_life)

    @property
    def _scale(self) -> float:
        assert self.half_life is not None
        return self.half_life / math.log(2)


def _label(unit: str, day: date) -> tuple[int, ...]:
    match unit:
        case "day":
            return (day.toordinal(),)
        case "week":
            return tuple(day.isocalendar())[:2]
        case "month":
            return (day.year, day.month)
        case "quarter":
            return (day.year, (day.month - 1) // 3)
        case _:
            return (day.year,)


@lru_cache(maxsize=4096)
def _period(unit: str, zone: str, quarter: int) -> tuple[int, int]:
    clock = ZoneInfo(zone)

    def label(step: int) -> tuple[int, ...]:
        return _label(unit, datetime.fromtimestamp(step * _STEP, UTC).astimezone(clock).date())

    here = label(quarter)
    first = last = quarter
    while label(first - 1) == here:
        first -= 1
    while label(last) == here:
        last += 1
    return first * _STEP, last * _STEP


def span_of(window: Window, now: int) -> Span:
    """Return the window as it lies around `now`."""
    if isinstance(window, CalendarWindow):
        start, end = _period(window.unit, window.timezone, now // _STEP)
        return Span(start=start, now=now, end=end)
    return Span(start=now - window.length, now=now, end=now, half_life=window.half_life)
