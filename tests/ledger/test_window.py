"""Windows: their edges, their periods on the calendar of a zone, the weight of an instant."""

from __future__ import annotations

import math

import numpy as np
import pytest

from policyctl.ledger.window import Lookback, lookback
from policyctl.model.policy import CalendarWindow, SlidingWindow, Window
from policyctl.units import Seconds, format_instant, parse_instant

HOUR = 3600
LA = "America/Los_Angeles"


def weight(window: Lookback, start: int, end: int) -> float:
    return float(window.weigh_intervals(np.array([start]), np.array([end]))[0])


def instant(window: Lookback, at: int) -> float:
    return float(window.weigh_instants(np.array([at]))[0])


@pytest.mark.parametrize(
    ("start", "end", "seconds"),
    [
        pytest.param(-100, 0, 100, id="all of it"),
        pytest.param(-300, -100, 0, id="ends where the window starts"),
        pytest.param(-101, -99, 1, id="the second before the window does not count"),
        pytest.param(-5, 20, 5, id="what is to come does not count"),
        pytest.param(3, 9, 0, id="nothing of it has happened"),
        pytest.param(-50, -50, 0, id="no time at all"),
        pytest.param(-40, -60, 0, id="an end before its start never counts backwards"),
    ],
)
def test_a_sliding_window_counts_seconds_from_its_start_to_now(start: int, end: int, seconds: int) -> None:
    assert weight(lookback(SlidingWindow(length=Seconds(100)), 0), start, end) == seconds


@pytest.mark.parametrize(("at", "counts"), [(-101, 0), (-100, 1), (-99, 1), (0, 1), (1, 0)])
def test_an_instant_counts_from_the_age_of_the_window_to_now(at: int, counts: int) -> None:
    assert instant(lookback(SlidingWindow(length=Seconds(100)), 0), at) == counts


def test_half_of_the_weight_is_left_after_each_half_life() -> None:
    window = lookback(SlidingWindow(length=Seconds(1000), half_life=Seconds(100)), 0)
    assert [instant(window, -age) for age in (0, 100, 200, 1000, 1001)] == [1, 0.5, 0.25, 2**-10, 0]
    assert math.isclose(weight(window, -200, -100), weight(window, -100, 0) / 2)
    assert math.isclose(window.seconds, weight(window, -1000, 0))


def test_the_window_is_cut_independently_of_the_half_life() -> None:
    long, short = (
        lookback(SlidingWindow(length=Seconds(length), half_life=Seconds(100)), 0) for length in (500, 300)
    )
    assert weight(long, -300, 0) == weight(short, -300, 0)
    assert weight(short, -500, -300) == 0 < weight(long, -500, -300)


@pytest.mark.parametrize(
    ("unit", "zone", "now", "start", "end"),
    [
        pytest.param(
            "day",
            "UTC",
            "2026-07-15T00:00:00Z",
            "2026-07-15T00:00:00Z",
            "2026-07-16T00:00:00Z",
            id="first second",
        ),
        pytest.param(
            "day",
            "UTC",
            "2026-07-15T23:59:59Z",
            "2026-07-15T00:00:00Z",
            "2026-07-16T00:00:00Z",
            id="last second",
        ),
        pytest.param(
            "day",
            LA,
            "2026-03-08T20:00:00Z",
            "2026-03-08T08:00:00Z",
            "2026-03-09T07:00:00Z",
            id="a day of 23 hours",
        ),
        pytest.param(
            "day",
            LA,
            "2026-11-01T20:00:00Z",
            "2026-11-01T07:00:00Z",
            "2026-11-02T08:00:00Z",
            id="a day of 25 hours",
        ),
        pytest.param(
            "day",
            "Australia/Lord_Howe",
            "2026-04-05T06:00:00Z",
            "2026-04-04T13:00:00Z",
            "2026-04-05T13:30:00Z",
            id="a day that is half an hour longer",
        ),
        pytest.param(
            "day",
            "Asia/Beirut",
            "2025-03-30T09:00:00Z",
            "2025-03-29T22:00:00Z",
            "2025-03-30T21:00:00Z",
            id="a day without a midnight begins at the jump",
        ),
        pytest.param(
            "day",
            "Asia/Beirut",
            "2025-03-29T09:00:00Z",
            "2025-03-28T22:00:00Z",
            "2025-03-29T22:00:00Z",
            id="the day before a skipped midnight ends at the jump",
        ),
        pytest.param(
            "week",
            LA,
            "2026-03-08T20:00:00Z",
            "2026-03-02T08:00:00Z",
            "2026-03-09T07:00:00Z",
            id="Sunday ends a week",
        ),
        pytest.param(
            "week",
            "UTC",
            "2026-07-13T00:00:00Z",
            "2026-07-13T00:00:00Z",
            "2026-07-20T00:00:00Z",
            id="Monday begins it",
        ),
        pytest.param(
            "month",
            LA,
            "2026-11-15T00:00:00Z",
            "2026-11-01T07:00:00Z",
            "2026-12-01T08:00:00Z",
            id="a month, local",
        ),
        pytest.param(
            "month",
            LA,
            "2027-01-01T05:00:00Z",
            "2026-12-01T08:00:00Z",
            "2027-01-01T08:00:00Z",
            id="still December",
        ),
        pytest.param(
            "quarter",
            "UTC",
            "2026-12-31T00:00:00Z",
            "2026-10-01T00:00:00Z",
            "2027-01-01T00:00:00Z",
            id="the fourth",
        ),
        pytest.param(
            "year",
            "UTC",
            "2028-02-29T12:00:00Z",
            "2028-01-01T00:00:00Z",
            "2029-01-01T00:00:00Z",
            id="a leap year",
        ),
    ],
)
def test_a_calendar_window_begins_and_ends_with_its_period(
    unit: str, zone: str, now: str, start: str, end: str
) -> None:
    window: Window = CalendarWindow(unit=unit, timezone=zone)  # type: ignore[arg-type]  # words of the table
    found = lookback(window, parse_instant(now))
    assert (format_instant(found.start), format_instant(found.end)) == (start, end)


def test_usage_is_forgotten_at_the_boundary_of_the_period() -> None:
    midnight = parse_instant("2026-07-15T00:00:00Z")
    window = CalendarWindow(unit="day")
    run = (midnight - 2 * HOUR, midnight - HOUR)
    assert weight(lookback(window, midnight - 1), *run) == HOUR
    assert weight(lookback(window, midnight), *run) == 0


def test_a_run_across_the_boundary_counts_from_it() -> None:
    midnight = parse_instant("2026-07-15T00:00:00Z")
    found = lookback(CalendarWindow(unit="day"), midnight + 60)
    assert weight(found, midnight - HOUR, midnight + HOUR) == 60
