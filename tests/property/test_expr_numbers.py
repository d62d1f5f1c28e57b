"""Arithmetic, comparison and clocks on columns against exact arithmetic, one value at a time."""

from __future__ import annotations

import operator
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from policyctl.expr.arithmetic import calculate, negate
from policyctl.expr.clocks import timestamp_part
from policyctl.expr.columns import Numbers, Times
from policyctl.expr.comparing import compare
from policyctl.expr.times import MAX_TIME, MIN_TIME

INT_MIN, INT_MAX = -(2**63), 2**63 - 1
edges = st.sampled_from(
    (INT_MIN, INT_MIN + 1, -1, 0, 1, 2**31, 2**32, 3_037_000_500, 2**53, 2**53 + 1, INT_MAX - 1, INT_MAX)
)
ints = st.one_of(edges, st.integers(INT_MIN, INT_MAX), st.integers(-100, 100))
near = st.builds(
    lambda whole, step: float(np.nextafter(float(whole), step)), ints, st.sampled_from((-1e300, 1e300))
)
doubles = st.one_of(ints.map(float), near, st.floats(allow_nan=False, allow_infinity=False))
COMPARISONS = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def truncated(left: int, right: int) -> int:
    return abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)


EXACT: dict[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": truncated,
    "%": lambda left, right: left - right * truncated(left, right),
}


def column(values: list[int]) -> Numbers:
    return Numbers(values=np.array(values, dtype=np.int64))


@pytest.mark.parametrize("op", EXACT)
@given(st.lists(st.tuples(ints, ints), min_size=1, max_size=8))
@example([(INT_MIN, -1), (1, 0), (0, 0), (-7, 2), (7, -2)])
@example([(-1, INT_MIN), (INT_MIN, 1), (0, INT_MIN)])
def test_int_arithmetic_is_exact_or_a_fault(op: str, pairs: list[tuple[int, int]]) -> None:
    found, bad = calculate(op, column([left for left, _ in pairs]), column([right for _, right in pairs]))
    assert isinstance(found, Numbers)
    for row, (left, right) in enumerate(pairs):
        faults = {code for code, mask in bad if mask[row]}
        if op in "/%" and right == 0:
            assert faults == {"division_by_zero"}
        elif not INT_MIN <= EXACT[op](left, right) <= INT_MAX or (
            op == "%" and (left, right) == (INT_MIN, -1)
        ):
            assert faults == {"overflow"}
        else:
            assert not faults
            assert int(found.values[row]) == EXACT[op](left, right)


@given(st.lists(ints, min_size=1, max_size=8))
def test_negation_is_exact_or_a_fault(values: list[int]) -> None:
    found, bad = negate(column(values))
    assert isinstance(found, Numbers)
    faults = bad[0][1].tolist() if bad else [False] * len(values)
    assert faults == [value == INT_MIN for value in values]
    assert [int(one) for one, fault in zip(found.values, faults, strict=True) if not fault] == [
        -value for value in values if value != INT_MIN
    ]


@pytest.mark.parametrize("op", COMPARISONS)
@given(st.lists(st.tuples(ints, doubles), min_size=1, max_size=8))
@example(
    [
        (2**53 + 1, 2.0**53),
        (INT_MAX, 2.0**63),
        (INT_MIN, -(2.0**63)),
        (INT_MIN, -1e300),
        (0, -0.0),
        (0, 5e-324),
    ]
)
def test_int_and_double_compare_exactly_both_ways(op: str, pairs: list[tuple[int, float]]) -> None:
    whole = column([left for left, _ in pairs])
    real = Numbers(values=np.array([right for _, right in pairs], dtype=np.float64))
    exact = [(Fraction(left), Fraction(right)) for left, right in pairs]
    assert compare(op, whole, real).tolist() == [COMPARISONS[op](left, right) for left, right in exact]
    assert compare(op, real, whole).tolist() == [COMPARISONS[op](right, left) for left, right in exact]


ZONES = (
    "UTC",
    "America/Los_Angeles",
    "Asia/Gaza",
    "Australia/Lord_Howe",
    "Pacific/Apia",
    "Africa/Casablanca",
    "Europe/Dublin",
)
instants = st.one_of(
    st.integers(MIN_TIME + 2 * 86_400, MAX_TIME - 2 * 86_400),
    st.integers(0, 2_200_000_000),
    # around the ends of summer time in California in 2026, and Samoa's day that never was
    st.sampled_from((1_772_964_000, 1_793_523_600, 1_325_239_200)).flatmap(
        lambda at: st.integers(at - 4_000, at + 4_000)
    ),
)


@pytest.mark.parametrize("zone", ZONES)
@given(st.lists(instants, min_size=1, max_size=8))
def test_parts_of_an_instant_are_those_of_the_calendar(zone: str, values: list[int]) -> None:
    clock = ZoneInfo(zone)
    local = [
        (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=value)).astimezone(clock) for value in values
    ]
    expected = {
        "getFullYear": [one.year for one in local],
        "getMonth": [one.month - 1 for one in local],
        "getDate": [one.day for one in local],
        "getDayOfMonth": [one.day - 1 for one in local],
        "getDayOfYear": [one.timetuple().tm_yday - 1 for one in local],
        "getDayOfWeek": [one.isoweekday() % 7 for one in local],
        "getHours": [one.hour for one in local],
        "getMinutes": [one.minute for one in local],
        "getSeconds": [one.second for one in local],
    }
    times = Times(values=np.array(values, dtype=np.int64))
    for name, parts in expected.items():
        found, bad = timestamp_part(name, times, zone)
        assert not bad.any()
        assert found.values.tolist() == parts, name
