"""What a scenario expects of a policy: each kind with its fields, and with the jobs, accounts or nodes that it is about.

`jobs` is a glob over the ids of jobs; lengths of time count from the start of the scenario where nothing else is said.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from policyctl.units import Seconds

__all__ = [
    "Completes",
    "EmptiesWithin",
    "Expectation",
    "HitsOnly",
    "IgnoresPriorities",
    "KeepsContracts",
    "LosesAtMost",
    "Portion",
    "Preempted",
    "ProtectedAtMost",
    "RunsAtMost",
    "StartsWithin",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class StartsWithin:
    """Each of these jobs starts for the first time within this time of its submission."""

    jobs: str
    within: Seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Completes:
    """Each of these jobs does all of its work, within this time of its submission if it is set."""

    jobs: str
    within: Seconds | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunsAtMost:
    """No one of these jobs runs more often than this."""

    jobs: str
    times: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Preempted:
    """So many runs of these jobs are preempted, all together."""

    jobs: str
    at_least: int = 0
    at_most: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class KeepsContracts:
    """No run of these jobs is preempted while it is protected."""

    jobs: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ProtectedAtMost:
    """No run of these jobs is protected for longer than this."""

    jobs: str
    length: Seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class LosesAtMost:
    """Of the GPU time that these jobs held, at most this part had to be done again."""

    jobs: str
    part: Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class Portion:
    """During `[since, until)` an account and all below it hold such a part of a pool's GPU time."""

    account: str
    pool: str
    since: Seconds
    until: Seconds
    at_least: Fraction = Fraction(0)
    at_most: Fraction = Fraction(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class HitsOnly:
    """A failure ends the runs on its nodes and no other, and each batch job among them runs again."""

    incident: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EmptiesWithin:
    """A drain lets the runs on its nodes go on and no other begin there, and the nodes are empty within this time."""

    incident: str
    within: Seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class IgnoresPriorities:
    """With all priorities erased the same users, or accounts, start jobs at the same instants."""

    among: Literal["users", "accounts"]


Expectation = (
    StartsWithin
    | Completes
    | RunsAtMost
    | Preempted
    | KeepsContracts
    | ProtectedAtMost
    | LosesAtMost
    | Portion
    | HitsOnly
    | EmptiesWithin
    | IgnoresPriorities
)
