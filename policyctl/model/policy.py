"""The nouns of a policy: what its documents say, once they are read, checked and positioned.

Nothing here is "active now": every noun keeps its period, and readers decide by an instant of their own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal

from policyctl.diagnostics import Place
from policyctl.units import Instant, Seconds

__all__ = [
    "Accounting",
    "Budget",
    "CalendarWindow",
    "CapRule",
    "Charge",
    "Expression",
    "Freeze",
    "Governance",
    "Grant",
    "Guard",
    "PerJobLimit",
    "Period",
    "Places",
    "Policy",
    "PolicyException",
    "Pool",
    "Preemption",
    "ProtectionCap",
    "ProtectionGrant",
    "Share",
    "ShareGrant",
    "SlidingWindow",
    "Suspension",
    "Window",
    "Written",
    "place_of",
]


Places = Mapping[str, Place]
"""Where single fields of a document are written, by their key path below `spec`: `owner`, `effective.until`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Period:
    """A half-open interval `[start, end)`; None is open on that side."""

    start: Instant | None = None
    end: Instant | None = None

    def in_force(self, at: int) -> bool:
        """Say whether the period contains the instant: the one function that decides what is active."""
        return (self.start is None or self.start <= at) and (self.end is None or at < self.end)

    def over(self, at: int) -> bool:
        """Say whether the period has an end, and the instant is no longer before it."""
        return self.end is not None and not Period(end=self.end).in_force(at)

    def overlaps(self, other: Period) -> bool:
        """Say whether the two periods share an instant."""
        return (self.start is None or other.end is None or self.start < other.end) and (
            other.start is None or self.end is None or other.start < self.end
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """Interchangeable nodes of GPUs; `charge_rate` is what a GPU-second costs."""

    name: str
    nodes: int
    gpus_per_node: int
    block_nodes: int | None = None
    charge_rate: Fraction = Fraction(1)
    place: Place

    @property
    def gpus(self) -> int:
        """All GPUs of the pool."""
        return self.nodes * self.gpus_per_node


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """The part of its parent that one child account gets; weights are already resolved to shares."""

    name: str
    share: Fraction
    place: Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """One division of one account among its children, in one pool or (pool None) in all of them."""

    name: str
    account: str
    pool: str | None = None
    owner: str | None = None
    period: Period = Period()
    review_by: Instant | None = None
    shares: tuple[Share, ...]
    weighted: bool = False
    place: Place
    places: Places = field(default_factory=dict, compare=False, repr=False)

    def child(self, share: Share) -> str:
        """Return the account path of one of its shares."""
        return f"{self.account.rstrip('/')}/{share.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class SlidingWindow:
    """Usage counts for `length` after it happened, losing half its weight every `half_life` if that is set."""

    length: Seconds
    half_life: Seconds | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CalendarWindow:
    """Usage counts from the start of the current period, on the calendar of a named time zone."""

    unit: Literal["day", "week", "month", "quarter", "year"]
    timezone: str = "UTC"


Window = SlidingWindow | CalendarWindow


@dataclass(frozen=True, slots=True, kw_only=True)
class Charge:
    """What a GPU-second costs in each situation, as a factor on the pool's rate."""

    protected: Fraction = Fraction(1)
    after_protection: Fraction = Fraction(1)
    opportunistic: Fraction = Fraction(0)
    unused_protection: Fraction = Fraction(1, 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Accounting:
    """How used GPU time is counted; `overdraft` None is unlimited, `credit_limit` None does not bound credit."""

    name: str
    window: Window
    charge: Charge = Charge()
    credit_limit: Seconds | None = None
    overdraft: Fraction | None = None
    quantum: Seconds = Seconds(600)
    place: Place
    places: Places = field(default_factory=dict, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Expression:
    """A rule in CEL: its text as written, and its lowered form as plain JSON data (see `policyctl.expr`)."""

    source: str
    tree: Any
    place: Place


@dataclass(frozen=True, slots=True, kw_only=True)
class CapRule:
    """Where `when` holds, a job may buy at most `max_protected`."""

    name: str
    when: Expression
    max_protected: Seconds
    place: Place


@dataclass(frozen=True, slots=True, kw_only=True)
class ProtectionCap:
    """The longest protection below an account: its first rule that holds, else `default` (None: no cap)."""

    name: str
    account: str
    rules: tuple[CapRule, ...] = ()
    default: Seconds | None = None
    default_place: Place | None = None
    place: Place
    places: Places = field(default_factory=dict, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Guard:
    """A reason to refuse a preemption that the shares would allow."""

    name: str
    when: Expression
    reason: str
    place: Place


@dataclass(frozen=True, slots=True, kw_only=True)
class PerJobLimit:
    """A job may be preempted at most `max` times within any stretch of `within`."""

    max: int
    within: Seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Preemption:
    """The brakes on preemption."""

    name: str
    hysteresis: Fraction = Fraction(0)
    notice: Seconds = Seconds(0)
    per_job: PerJobLimit | None = None
    max_gpu_hours_per_hour: Fraction | None = None
    guards: tuple[Guard, ...] = ()
    place: Place
    places: Places = field(default_factory=dict, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareGrant:
    """`add` points of the whole cluster move from the branch of `source` to the branch of `to`."""

    to: str
    source: str
    add: Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class ProtectionGrant:
    """Protection up to `max_protected` in spite of the caps, for an account and all below it, or for one job."""

    account: str | None = None
    job: str | None = None
    max_protected: Seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspension:
    """No new protection for an account and all below it."""

    account: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Freeze:
    """No preemption in a pool."""

    pool: str


Grant = ShareGrant | ProtectionGrant | Suspension | Freeze


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyException:
    """A temporary change: what it grants, why, asked by whom, and from when until when."""

    name: str
    reason: str
    ticket: str
    requested_by: str
    period: Period
    grant: Grant
    place: Place
    grant_place: Place
    places: Places = field(default_factory=dict, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Governance:
    """Groups of handles and the limits on exceptions; approvals and gates are kept as they were written."""

    name: str
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    max_duration: Seconds | None = None
    max_active: int | None = None
    max_renewals: int | None = None
    review_every: Seconds | None = None
    approvals: tuple[Any, ...] = ()
    gates: tuple[Any, ...] = ()
    place: Place
    places: Places = field(default_factory=dict, compare=False, repr=False)


Written = Budget | Accounting | ProtectionCap | Preemption | PolicyException | Governance
"""What one document says."""


def place_of(noun: Written, field_path: str) -> Place:
    """Return where a field of a document is written; the document's own place where the field was left out."""
    return noun.places.get(field_path, noun.place)


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Everything that the documents of a policy repository say, in an order that does not depend on files."""

    pools: tuple[Pool, ...]
    budgets: tuple[Budget, ...]
    accounting: Accounting
    caps: tuple[ProtectionCap, ...] = ()
    preemption: Preemption
    exceptions: tuple[PolicyException, ...] = ()
    governance: Governance

    def pool(self, name: str) -> Pool | None:
        """Return the pool of that name, or None."""
        return next((pool for pool in self.pools if pool.name == name), None)
