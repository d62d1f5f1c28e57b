"""Parts of instants and durations on whole columns: `getHours` and its sisters, in any time zone.

Source: the CEL specification, "Abstract types / Timestamp"; months, days of the month (`getDayOfMonth`), days of the
year and days of the week count from 0, the week from Sunday, `getDate` from 1.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo

import numpy as np
from numpy.typing import NDArray

from policyctl.expr.columns import Mask, Numbers, Spans, Times
from policyctl.expr.times import MAX_TIME, MIN_TIME
from policyctl.expr.zones import read_zone

__all__ = ["duration_part", "timestamp_part"]

Ints = NDArray[np.int64]

_DAY = 86_400
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SECONDS = {"getHours": 3_600, "getMinutes": 60, "getSeconds": 1}


def duration_part(name: str, column: Spans) -> Numbers:
    """Return the whole duration counted in the unit, rounded towards zero."""
    unit = _SECONDS[name]
    return Numbers(values=np.where(column.values < 0, -(-column.values // unit), column.values // unit))


def timestamp_part(name: str, column: Times, zone: str) -> tuple[Numbers, Mask]:
    """Return a part of the local time in a zone, and the rows outside of the years 1 to 9999."""
    bad = (column.values < MIN_TIME) | (column.values > MAX_TIME)
    values = np.where(bad, 0, column.values)
    clock = read_zone(zone)
    if clock is None:
        raise ValueError(f"unknown time zone {zone!r}")
    return Numbers(values=_part(name, values + _offsets(values, clock))), bad


def _part(name: str, local: Ints) -> Ints:
    days = local // _DAY
    if name in _SECONDS:
        in_day = local - days * _DAY
        return {"getHours": in_day // 3_600, "getMinutes": in_day // 60 % 60, "getSeconds": in_day % 60}[name]
    if name == "getDayOfWeek":
        return (days + 4) % 7  # 1970-01-01 was a Thursday
    dates = days.astype("datetime64[D]")
    months, years = dates.astype("datetime64[M]"), dates.astype("datetime64[Y]")
    parts: dict[str, NDArray[np.generic]] = {
        "getFullYear": years.astype(np.int64) + 1970,
        "getMonth": months.astype(np.int64) % 12,
        "getDayOfYear": dates - years.astype("datetime64[D]"),
        "getDayOfMonth": dates - months.astype("datetime64[D]"),
        "getDate": dates - months.astype("datetime64[D]") + 1,
    }
    return parts[name].astype(np.int64)


def _offsets(values: Ints, clock: tzinfo) -> Ints:
    """Return each instant's distance from UTC in seconds.

    No zone has ever changed its offset twice within a UTC day (the closest two changes are a week apart), so a day
    with the same offset at both ends has one offset; only in the few other days is each instant asked.
    """
    blocks, inverse = np.unique(values // _DAY, return_inverse=True)
    first = np.array([_offset(int(block) * _DAY, clock) for block in blocks], dtype=np.int64)
    last = np.array([_offset(int(block) * _DAY + _DAY - 1, clock) for block in blocks], dtype=np.int64)
    offsets: Ints = first[inverse]
    changing = np.flatnonzero((first != last)[inverse])
    if changing.size:
        distinct, which = np.unique(values[changing], return_inverse=True)
        exact = np.array([_offset(int(value), clock) for value in distinct], dtype=np.int64)
        offsets[changing] = exact[which]
    return offsets


def _offset(value: int, clock: tzinfo) -> int:
    # Near the ends of the calendar Python cannot express local time; the rules there are those of a few days inside.
    inside = min(max(value, MIN_TIME + 2 * _DAY), MAX_TIME - 2 * _DAY)
    offset = (_EPOCH + timedelta(seconds=inside)).astimezone(clock).utcoffset()
    return int(offset.total_seconds()) if offset is not None else 0
