"""When people submit: hours of the day and days of the week, on the clock of the lab."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from policyctl.sim.workloads.dice import Dice, Wheel
from policyctl.sim.workloads.mix import LabMix
from policyctl.units import Instant

__all__ = ["Rhythm"]

_HOUR = 3600
_BUSIEST = 15
_SATURDAY = 5


class Rhythm:
    """The hours of a workload's days, each with its weight; within an hour every second is alike."""

    def __init__(self, mix: LabMix) -> None:
        zone = ZoneInfo(mix.timezone)
        hours = [
            datetime.fromtimestamp(mix.start + hour * _HOUR, UTC).astimezone(zone)
            for hour in range(24 * mix.days)
        ]
        weights = [_weight(hour, float(mix.night), float(mix.weekend)) for hour in hours]
        self._start = mix.start
        self._any = Wheel(weights)
        self._office = Wheel(
            [
                weight if 8 <= hour.hour < 18 else weight / 20
                for hour, weight in zip(hours, weights, strict=True)
            ]
        )

    def instant(self, dice: Dice, *, office: bool) -> Instant:
        """Return when something is submitted; `office` is what people sit in front of."""
        hour = (self._office if office else self._any).pick(dice)
        return Instant(self._start + hour * _HOUR + dice.below(_HOUR))


def _weight(hour: datetime, night: float, weekend: float) -> float:
    """Return a wave over the day, 1 at its top and `night` at its bottom twelve hours later, lower on weekends."""
    wave = (1 + math.cos((hour.hour - _BUSIEST) / 12 * math.pi)) / 2
    return (night + (1 - night) * wave) * (weekend if hour.weekday() >= _SATURDAY else 1.0)
