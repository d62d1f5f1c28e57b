"""What the difference of two policies is made of: shares, settings, exceptions, and the direction of each right.

A change *loosens* where the policy permits more than before (a larger part of a pool, longer protection, more
preemption, more funding) and *tightens* where it permits less.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from policyctl.model.impact import Impact
from policyctl.units import Instant, Seconds

__all__ = [
    "Balance",
    "Change",
    "Compared",
    "Direction",
    "Example",
    "ExceptionChange",
    "JobMove",
    "Right",
    "RightKind",
    "Setting",
    "ShareChange",
]


class RightKind(StrEnum):
    """The rights that an account has: how much, protected for how long, preemptible when, funded at what price."""

    SHARE = "share"
    PROTECTION = "protection"
    PREEMPTABILITY = "preemptability"
    FUNDING = "funding"


class Direction(StrEnum):
    """Where a right went; `incomparable` could not be decided, and counts as loosening."""

    NEUTRAL = "neutral"
    TIGHTENS = "tightens"
    LOOSENS = "loosens"
    MIXED = "mixed"
    INCOMPARABLE = "incomparable"

    @property
    def may_loosen(self) -> bool:
        """Say whether anything could be permitted now that was not before."""
        return self in {Direction.LOOSENS, Direction.MIXED, Direction.INCOMPARABLE}


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """One instant at which both policies differ; values are spelled as in a policy, None holds everywhere.

    `what` names the value that is compared: `absolute_share`, `gpus`, a rule, a field of a document.
    """

    pool: str | None = None
    at: Instant | None = None
    what: str
    before: str
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Right:
    """The direction of one kind of right of an account, and of what lies below it without an entry of its own."""

    account: str
    kind: RightKind
    direction: Direction
    examples: tuple[Example, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareChange:
    """What an account holds in a pool during `[start, end)`, before and after.

    `share_*` is the share within the parent when the stretch begins, `absolute_*` of the pool, `gpus_*` that part of the pool's GPUs, and
    `gpu_hours_*` what it comes to in one accounting window. `inherited` if only an ancestor's part changed.
    """

    account: str
    pool: str
    start: Instant | None
    end: Instant | None
    share_before: Fraction
    share_after: Fraction
    absolute_before: Fraction
    absolute_after: Fraction
    gpus_before: Fraction
    gpus_after: Fraction
    gpu_hours_before: float
    gpu_hours_after: float
    inherited: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Balance:
    """Who pays for whom where an account is divided anew: changes in GPUs, of the children and of what is unassigned.

    `whole` is the change of the divided account itself; children and unassigned always add up to it.
    """

    account: str
    pool: str
    start: Instant | None
    end: Instant | None
    children: tuple[tuple[str, Fraction], ...]
    unassigned: Fraction
    whole: Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """A field with another value than before; `subject` is the kind and what it is about, None was or is not there."""

    subject: str
    field: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExceptionChange:
    """What became of an exception: added, extended, shortened, changed, removed, or removed after it `expired`."""

    name: str
    what: str
    grant: str
    end_before: Instant | None
    end_after: Instant | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """All that differs in meaning between two policies."""

    shares: tuple[ShareChange, ...] = ()
    balances: tuple[Balance, ...] = ()
    settings: tuple[Setting, ...] = ()
    exceptions: tuple[ExceptionChange, ...] = ()
    rights: tuple[Right, ...] = ()

    @property
    def empty(self) -> bool:
        """Say whether both policies mean the same."""
        return not (self.shares or self.settings or self.exceptions or self.rights)


@dataclass(frozen=True, slots=True, kw_only=True)
class JobMove:
    """A job of a state that stands differently: `what` says in which ways, ranks count from 1 among those that wait.

    `what` holds `rank`, `class`, `becomes_preemptible`, `ceases_to_be_preemptible` (running jobs), and `hits_cap`,
    where a job is protected for less than it declares, and for less than before.
    """

    job: str
    pool: str
    account: str
    user: str
    running: bool
    what: tuple[str, ...]
    rank_before: int | None
    rank_after: int | None
    class_before: str
    class_after: str
    protection_before: Seconds
    protection_after: Seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """A comparison with the names of its sides; `change` is None where nothing of the base could be read.

    `same_files` if no policy file differs at all. `base_errors` counts errors of the base, and `left_out` names the
    files of the base that could not be read, so that what they said counts as new. `jobs` are those of a state that
    stand differently, None where no state was given, and `impact` is that on a workload, None where none was replayed;
    `unmeasured` says why, where one was to be replayed.
    """

    base: str
    head: str
    change: Change | None
    same_files: bool = False
    base_errors: int = 0
    left_out: tuple[str, ...] = ()
    jobs: tuple[JobMove, ...] | None = None
    impact: Impact | None = None
    unmeasured: str | None = None
