"""The expectations that a scenario writes down, one reader for each kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

from policyctl.load.reading import Reader
from policyctl.sim.scenarios.expectations import (
    Completes,
    EmptiesWithin,
    Expectation,
    HitsOnly,
    IgnoresPriorities,
    KeepsContracts,
    LosesAtMost,
    Portion,
    Preempted,
    ProtectedAtMost,
    RunsAtMost,
    StartsWithin,
)
from policyctl.units import Seconds, parse_duration, parse_share

__all__ = ["READERS", "expectation_of"]


def expectation_of(row: Reader) -> Expectation:
    """Read one entry of `expect`, which its schema accepted: exactly one field names its kind."""
    (kind,) = row.names()
    return READERS[kind](row.inside(kind))


def _length(row: Reader, field: str) -> Seconds:
    return parse_duration(row.text(field))


def _portion(row: Reader) -> Portion:
    return Portion(
        account=row.text("account"),
        pool=row.text("pool"),
        since=_length(row, "from"),
        until=_length(row, "until"),
        at_least=row.maybe("atLeast", parse_share, Fraction(0)),
        at_most=row.maybe("atMost", parse_share, Fraction(1)),
    )


def _preempted(row: Reader) -> Preempted:
    return Preempted(
        jobs=row.text("jobs"), at_least=row.maybe("atLeast", int, 0), at_most=row.maybe("atMost", int, None)
    )


READERS: Mapping[str, Callable[[Reader], Expectation]] = {
    "startsWithin": lambda row: StartsWithin(jobs=row.text("jobs"), within=_length(row, "within")),
    "completes": lambda row: Completes(
        jobs=row.text("jobs"), within=row.maybe("within", parse_duration, None)
    ),
    "runsAtMost": lambda row: RunsAtMost(jobs=row.text("jobs"), times=int(row.text("times"))),
    "preempted": _preempted,
    "keepsContracts": lambda row: KeepsContracts(jobs=row.text("jobs")),
    "protectedAtMost": lambda row: ProtectedAtMost(jobs=row.text("jobs"), length=_length(row, "length")),
    "losesAtMost": lambda row: LosesAtMost(jobs=row.text("jobs"), part=parse_share(row.text("part"))),
    "portion": _portion,
    "hitsOnly": lambda row: HitsOnly(incident=row.text("incident")),
    "emptiesWithin": lambda row: EmptiesWithin(incident=row.text("incident"), within=_length(row, "within")),
    "ignoresPriorities": lambda row: IgnoresPriorities(
        among="users" if row.text("among") == "users" else "accounts"
    ),
}
"""By the field that names the kind; a test keeps these to the schema."""
