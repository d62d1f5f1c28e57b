"""Quantities: one spelling each, exact, and a way out for every other spelling."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policyctl.units import (
    BadQuantity,
    Instant,
    format_duration,
    format_instant,
    format_percent,
    gpus_text,
    parse_duration,
    parse_gpus,
    parse_instant,
    parse_rate,
    parse_share,
)

DAY = 86_400


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("0s", 0),
        ("90s", 90),
        ("4h", 14_400),
        ("1h30m", 5_400),
        ("14d", 14 * DAY),
        ("2w1d", 15 * DAY),
        ("1d12h", 36 * 3600),
    ],
)
def test_durations_have_units(text: str, seconds: int) -> None:
    assert parse_duration(text) == seconds


@pytest.mark.parametrize(
    ("text", "way_out"),
    [
        ("", "write whole numbers"),
        ("4", "`4s`, `4m`, `4h` or `4d`"),
        ("1:30", "`1h30m`, or `1m30s`"),
        ("12:30:45", "`12h30m45s`"),
        ("1.5h", "`1h30m` instead of `1.5h`"),
        ("30m1h", "the largest first"),
        ("1h1h", "each unit once"),
        ("-4h", "never negative"),
        ("4 h", "write whole numbers"),
        ("4H", "write whole numbers"),
        ("1e3s", "write whole numbers"),
        ("٤h", "write whole numbers"),
        ("4h\n", "write whole numbers"),
        ("99999999999999999999d", "such as `14d`"),
    ],
)
def test_other_spellings_of_a_duration_say_what_would_work(text: str, way_out: str) -> None:
    with pytest.raises(BadQuantity) as problem:
        parse_duration(text)
    assert way_out in problem.value.help


@given(st.integers(0, 100 * 365 * DAY))
def test_durations_read_back_as_written(seconds: int) -> None:
    assert parse_duration(format_duration(seconds)) == seconds


@pytest.mark.parametrize(
    ("text", "same_as"),
    [
        ("2026-09-01T12:00:00Z", "2026-09-01T12:00:00Z"),
        ("2026-09-01T12:00:00z", "2026-09-01T12:00:00Z"),
        ("2026-09-01 12:00:00Z", "2026-09-01T12:00:00Z"),
        ("2026-09-01T12:00Z", "2026-09-01T12:00:00Z"),
        ("2026-09-01T14:00:00+02:00", "2026-09-01T12:00:00Z"),
        ("2026-09-01T17:45:00+05:45", "2026-09-01T12:00:00Z"),
        ("2026-09-01T00:00:00-12:00", "2026-09-01T12:00:00Z"),
        ("2026-09-01T12:00:00.000Z", "2026-09-01T12:00:00Z"),
        ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"),
        ("9999-12-31T23:59:59Z", "9999-12-31T23:59:59Z"),
    ],
)
def test_instants_are_utc(text: str, same_as: str) -> None:
    assert format_instant(parse_instant(text)) == same_as


@pytest.mark.parametrize(
    ("text", "message", "way_out"),
    [
        ("2026-09-01", "not an instant", "`2026-09-01T00:00:00Z`"),
        ("2026-09-01T12:00:00", "no offset", "`2026-09-01T12:00:00Z` is UTC"),
        ("2026-02-30T00:00:00Z", "day 30 does not exist in 2026-02", "date, time and offset"),
        ("2026-13-01T00:00:00Z", "not an instant", "date, time and offset"),
        ("2026-09-01T25:00:00Z", "not an instant", "date, time and offset"),
        ("2026-09-01T12:00:00.5Z", "fraction of a second", "`2026-09-01T12:00:00Z`"),
        ("1796029200", "not an instant", "`2026-11-30T09:00:00Z`"),
        ("9999-12-31T23:59:59-05:00", "not an instant", "date, time and offset"),
        ("0001-01-01T00:00:00+05:00", "not an instant", "date, time and offset"),
        ("2026-09-01T12:00:00+02:75", "not an instant", "date, time and offset"),
        ("tomorrow", "not an instant", "date, time and offset"),
    ],
)
def test_other_instants_say_what_would_work(text: str, message: str, way_out: str) -> None:
    with pytest.raises(BadQuantity, match=message) as problem:
        parse_instant(text)
    assert way_out in problem.value.help


@given(st.integers(-62_135_596_800, 253_402_300_799))
def test_instants_read_back_as_written(at: int) -> None:
    assert parse_instant(format_instant(at)) == Instant(at)


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("60%", Fraction(3, 5)),
        ("1/4", Fraction(1, 4)),
        ("1 / 3", Fraction(1, 3)),
        ("0.07", Fraction(7, 100)),
        ("33.3%", Fraction(333, 1000)),
        ("0", Fraction(0)),
        ("1", Fraction(1)),
        ("100%", Fraction(1)),
    ],
)
def test_shares_are_exact(text: str, share: Fraction) -> None:
    assert parse_share(text) == share


@pytest.mark.parametrize(
    ("text", "way_out"),
    [
        ("60", "`60%`"),
        ("101%", "at most `100%`"),
        ("3/2", "at most `100%`"),
        ("-5%", "percentage or a fraction"),
        ("1/0", "percentage or a fraction"),
        (".5", "percentage or a fraction"),
        ("010%", "percentage or a fraction"),
        ("1e-1", "percentage or a fraction"),
        ("nan", "percentage or a fraction"),
        ("half", "percentage or a fraction"),
    ],
)
def test_other_shares_say_what_would_work(text: str, way_out: str) -> None:
    with pytest.raises(BadQuantity) as problem:
        parse_share(text)
    assert way_out in problem.value.help


def test_rates_may_exceed_the_whole() -> None:
    assert parse_rate("2.5") == Fraction(5, 2)
    assert parse_rate("150%") == Fraction(3, 2)


def test_a_rounded_percentage_says_so() -> None:
    assert format_percent(Fraction(3, 5)) == "60%"
    assert format_percent(Fraction(1, 3)) == "~33.33%"
    assert format_percent(Fraction(1, 8), 1) == "12.5%"


@given(st.integers(0, 10**9))
def test_gpus_read_back_as_written(milli: int) -> None:
    assert parse_gpus(gpus_text(milli)) == milli


@pytest.mark.parametrize("text", ["0.0005", "-1", "1e2", "", "8 ", "01"])
def test_gpus_have_at_most_three_decimals(text: str) -> None:
    with pytest.raises(BadQuantity):
        parse_gpus(text)
