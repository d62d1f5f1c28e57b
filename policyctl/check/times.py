"""Stretches of time as half-open pairs of whole seconds: what overlaps, what a set of periods leaves open."""

from __future__ import annotations

from collections.abc import Iterable

from policyctl.model.policy import Period
from policyctl.units import Instant, format_instant

__all__ = ["EVER", "NEVER", "bounds", "during", "gaps", "overlap", "period_of", "since"]

EVER = -(10**14)
"""Before every instant that can be written."""
NEVER = 10**14
"""After every instant that can be written."""


def bounds(period: Period) -> tuple[int, int]:
    """Return a period as a pair of numbers, open sides as EVER and NEVER."""
    return (EVER if period.start is None else period.start, NEVER if period.end is None else period.end)


def period_of(start: int, end: int) -> Period:
    """Return a pair of numbers as a period again."""
    return Period(start=None if start <= EVER else Instant(start), end=None if end >= NEVER else Instant(end))


def overlap(one: Period, other: Period) -> Period:
    """Return the stretch that two overlapping periods share."""
    (first, last), (start, end) = bounds(one), bounds(other)
    return period_of(max(first, start), min(last, end))


def gaps(whole: Period, covers: Iterable[Period]) -> list[Period]:
    """Return the stretches of `whole` in which none of `covers` is in force, in order of time."""
    at, end = bounds(whole)
    found = []
    for start, until in sorted(bounds(one) for one in covers):
        if start > at and at < end:
            found.append(period_of(at, min(start, end)))
        at = max(at, until)
    if at < end:
        found.append(period_of(at, end))
    return found


def during(period: Period) -> str:
    """Say when: `from … until …`, `from …`, `until …`, `at all times`."""
    parts = []
    if period.start is not None:
        parts.append(f"from {format_instant(period.start)}")
    if period.end is not None:
        parts.append(f"until {format_instant(period.end)}")
    return " ".join(parts) or "at all times"


def since(period: Period) -> str:
    """Say the first instant: `from …`, or `at all times` and `until …` where it has no beginning."""
    return during(period) if period.start is None else f"from {format_instant(period.start)}"
