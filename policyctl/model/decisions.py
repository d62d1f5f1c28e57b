"""The answers: what each question gets back, with its reasons as data.

A reason is a code and the facts that were compared, in plain JSON values. Numbers of GPU-hours are floats for
reading; the comparisons behind them were made exactly.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from policyctl.units import Instant, MilliGpu, Seconds

__all__ = [
    "AccountUsage",
    "Authorization",
    "CappedBy",
    "Class",
    "Explanation",
    "Level",
    "Outcome",
    "PoolRanking",
    "PoolUsage",
    "Quote",
    "QuoteAlternative",
    "RankedJob",
    "Reason",
    "UnrankedJob",
    "VictimVerdict",
]

Class = Literal["funded", "opportunistic"]
Outcome = Literal["granted", "refused", "error"]


@dataclass(frozen=True, slots=True)
class Reason:
    """Why: a stable code, and the facts it stands on."""

    code: str
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedJob:
    """One line of a ranking; `rank` counts from 1."""

    rank: int
    job: str
    klass: Class
    account: str
    user: str
    reasons: tuple[Reason, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class UnrankedJob:
    """A job that could not be ranked, because a rule could not be evaluated on it."""

    job: str
    account: str
    user: str
    reasons: tuple[Reason, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolRanking:
    """The order of one pool; `pending` counts all jobs that wait there, shown or not."""

    pool: str
    order: tuple[RankedJob, ...]
    errors: tuple[UnrankedJob, ...]
    pending: int


@dataclass(frozen=True, slots=True, kw_only=True)
class VictimVerdict:
    """What is answered for one victim by itself; `retry_at` is when that answer can change, None if not by time.

    `account`, `user` and `gpus` are None for a job that the state does not have.
    """

    job: str
    account: str | None
    user: str | None
    gpus: MilliGpu | None
    outcome: Outcome
    code: str
    retry_at: Instant | None
    reasons: tuple[Reason, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Authorization:
    """May these jobs be preempted for that one: granted only as a whole."""

    outcome: Outcome
    job: str
    pool: str
    victims: tuple[VictimVerdict, ...]
    retry_at: Instant | None
    notice: Seconds
    reasons: tuple[Reason, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CappedBy:
    """The cap that binds below what was declared: its rule, its account and where it is written."""

    rule: str
    account: str
    file: str | None
    line: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class QuoteAlternative:
    """What another declared minimum runtime would buy."""

    declared: Seconds
    klass: Class
    protected: Seconds
    cost_gpu_hours: float
    rank: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """What a submission would buy, what it would cost and where it would stand; `rank` None if a rule failed on it.

    `charge_rate` is what one GPU-hour of protection is charged, `spare_rate` one of opportunistic time, both as exact
    rationals.
    """

    job: str
    pool: str
    account: str
    user: str
    gpus: MilliGpu
    klass: Class | None
    declared: Seconds
    protected: Seconds
    capped_by: CappedBy | None
    charge_rate: str
    spare_rate: str
    cost_gpu_hours: float
    unused_cost_gpu_hours: float
    entitled_gpu_hours: float
    used_gpu_hours: float
    rank: int | None
    of: int
    alternatives: tuple[QuoteAlternative, ...]
    reasons: tuple[Reason, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountUsage:
    """One account beside what it is entitled to; GPU-hours weigh as the window weighs them."""

    account: str
    share: str
    absolute_share: str
    unassigned_share: str
    entitled_gpu_hours: float
    charged_gpu_hours: float
    committed_gpu_hours: float
    opportunistic_gpu_hours: float
    queued_gpu_hours: float
    owed_gpu_hours: float
    remaining_gpu_hours: float
    known: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolUsage:
    """All accounts of a pool, parents first; `half_life` None where usage keeps its weight inside the window."""

    pool: str
    capacity_gpu_hours: float
    charge_rate: str
    unassigned_share: str
    window_start: Instant
    window_end: Instant
    half_life: Seconds | None
    accounts: tuple[AccountUsage, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """One account on the way down to a job, and how it stands among its siblings.

    `virtual_time` is usage over share, None where the share is 0; `at_turn` adds what is projected for the jobs taken
    before this one.
    """

    account: str
    user: str | None
    share: str
    usage_gpu_hours: float
    virtual_time: float | None
    projected_gpu_hours: float
    at_turn: float | None
    jobs_before: Mapping[str, int]
    ahead_of: tuple[str, ...]
    behind: tuple[str, ...]
    written: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Why a job stands where it does; `rank` is None for a job that runs or could not be ranked."""

    job: str
    pool: str
    account: str
    user: str
    running: bool
    rank: int | None
    of: int
    klass: Class | None
    protected_until: Instant | None
    path: tuple[Level, ...]
    reasons: tuple[Reason, ...]
