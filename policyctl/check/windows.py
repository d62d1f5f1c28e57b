"""The window, the charges and the pools: settings that cancel each other, or leave the shares without effect."""

from __future__ import annotations

from collections.abc import Iterator

from policyctl.catalogue import finding
from policyctl.check.index import Index
from policyctl.diagnostics import Finding, Place, Related
from policyctl.model.policy import Accounting, ProtectionGrant, SlidingWindow, Window, place_of
from policyctl.units import Seconds, format_duration, format_ratio

__all__ = [
    "block_too_large",
    "charge_upside_down",
    "credit_too_long",
    "free_afterwards",
    "free_padding",
    "half_life_too_long",
    "nothing_charged",
    "quantum_too_long",
    "window_too_short",
]

_DAY = 86_400
# The shortest that a period of each kind can be.
_SHORTEST = {"day": _DAY, "week": 7 * _DAY, "month": 28 * _DAY, "quarter": 90 * _DAY, "year": 365 * _DAY}
_LONG = 4 * 3_600


def _length(window: Window) -> int:
    if isinstance(window, SlidingWindow):
        return window.length
    return _SHORTEST[window.unit]


def _named(window: Window) -> str:
    if isinstance(window, SlidingWindow):
        return f"window of {format_duration(window.length)}"
    return f"window of one {window.unit}"


def _subject(accounting: Accounting) -> str:
    return f"Accounting {accounting.name}"


def _protections(index: Index) -> list[tuple[Seconds, Place, str]]:
    """Return every protection that a job could buy: how long, where it is written, what it is."""
    found = [
        (rule.max_protected, rule.place, f"`{rule.name}` of `{cap.account}`")
        for cap in index.policy.caps
        for rule in cap.rules
    ]
    found += [
        (cap.default, cap.default_place or cap.place, f"the default of `{cap.account}`")
        for cap in index.policy.caps
        if cap.default is not None
    ]
    found += [
        (one.grant.max_protected, one.grant_place, f"the exception `{one.name}`")
        for one in index.policy.exceptions
        if isinstance(one.grant, ProtectionGrant)
    ]
    return found


def window_too_short(index: Index) -> Iterator[Finding]:
    """Find a window shorter than the longest protection that a job could buy (W001)."""
    accounting = index.policy.accounting
    longest = max(_protections(index), key=lambda one: (one[0], one[1]), default=None)
    if longest is not None and longest[0] > _length(accounting.window):
        yield finding(
            "W001",
            f"the {_named(accounting.window)} forgets a job before its protection of {format_duration(longest[0])} ends",
            place_of(accounting, "window"),
            help=f"make the window at least {format_duration(longest[0])} long, or lower {longest[2]}",
            subject=_subject(accounting),
            related=(Related(place=longest[1], message=f"the longest protection: {longest[2]}"),),
        )


def half_life_too_long(index: Index) -> Iterator[Finding]:
    """Find a half-life longer than the window (W002)."""
    accounting = index.policy.accounting
    window = accounting.window
    if (
        isinstance(window, SlidingWindow)
        and window.half_life is not None
        and window.half_life > window.length
    ):
        yield finding(
            "W002",
            f"the half-life of {format_duration(window.half_life)} is longer than the {_named(window)}, "
            "so usage disappears before half of its weight is gone",
            place_of(accounting, "window.halfLife"),
            help=f"write at most {format_duration(window.length)}, or leave `halfLife` out for a window without decay",
            subject=_subject(accounting),
        )


def quantum_too_long(index: Index) -> Iterator[Finding]:
    """Find a quantum longer than the window (W003)."""
    accounting = index.policy.accounting
    if accounting.quantum > _length(accounting.window):
        yield finding(
            "W003",
            f"the quantum of {format_duration(accounting.quantum)} is longer than the {_named(accounting.window)}",
            place_of(accounting, "quantum"),
            help="write about how long an opportunistic job runs before it is looked at again, such as `10m`",
            subject=_subject(accounting),
        )


def credit_too_long(index: Index) -> Iterator[Finding]:
    """Find a limit on credit that no account can reach (W004)."""
    accounting = index.policy.accounting
    if accounting.credit_limit is not None and accounting.credit_limit > _length(accounting.window):
        yield finding(
            "W004",
            f"the credit limit of {format_duration(accounting.credit_limit)} is longer than the "
            f"{_named(accounting.window)}, so it limits nobody",
            place_of(accounting, "creditLimit"),
            help=f"write less than {format_duration(_length(accounting.window))}, or leave `creditLimit` out",
            subject=_subject(accounting),
        )


def charge_upside_down(index: Index) -> Iterator[Finding]:
    """Find spare cycles dearer than protected time (W005)."""
    accounting = index.policy.accounting
    charge = accounting.charge
    if charge.opportunistic > charge.protected:
        yield finding(
            "W005",
            f"opportunistic time costs {format_ratio(charge.opportunistic)}, more than protected time at "
            f"{format_ratio(charge.protected)}, so nobody would harvest spare cycles",
            place_of(accounting, "charge.opportunistic"),
            help=f"write at most {format_ratio(charge.protected)}; the default is 0",
            subject=_subject(accounting),
        )


def free_afterwards(index: Index) -> Iterator[Finding]:
    """Find work past its protection that costs nothing (W009)."""
    accounting = index.policy.accounting
    if accounting.charge.after_protection == 0 and accounting.charge.protected > 0:
        yield finding(
            "W009",
            "time after protection is free, so a job that declares a second is funded for as long as it runs",
            place_of(accounting, "charge.afterProtection"),
            help="write `afterProtection: 1`, the default, or a rate above 0",
            subject=_subject(accounting),
        )


def free_padding(index: Index) -> Iterator[Finding]:
    """Find long guarantees that cost nothing when they are not used (W006)."""
    accounting = index.policy.accounting
    longest = max(_protections(index), key=lambda one: (one[0], one[1]), default=None)
    if accounting.charge.unused_protection == 0 and longest is not None and longest[0] > _LONG:
        yield finding(
            "W006",
            f"unused protection is free, so every job may declare {format_duration(longest[0])} and end early",
            place_of(accounting, "charge.unusedProtection"),
            help="charge a part of what is left of a guarantee: `unusedProtection: 1/2`",
            subject=_subject(accounting),
            related=(Related(place=longest[1], message=f"the longest protection: {longest[2]}"),),
        )


def nothing_charged(index: Index) -> Iterator[Finding]:
    """Find protected time that costs nothing, so that nobody is ever behind or ahead (W007)."""
    accounting = index.policy.accounting
    if accounting.charge.protected == 0:
        yield finding(
            "W007",
            "protected time is free, so usage stays 0 and the shares decide nothing",
            place_of(accounting, "charge.protected"),
            help="write `protected: 1`, the default",
            subject=_subject(accounting),
        )
        return
    for pool in index.policy.pools:
        if pool.charge_rate == 0:
            yield finding(
                "W007",
                f"time in pool `{pool.name}` is free, so the shares decide nothing there",
                pool.place,
                help="write a rate above 0; the default is 1",
                subject=f"Cluster pool {pool.name}",
            )


def block_too_large(index: Index) -> Iterator[Finding]:
    """Find a topology block larger than its pool (W008)."""
    for pool in index.policy.pools:
        if pool.block_nodes is not None and pool.block_nodes > pool.nodes:
            yield finding(
                "W008",
                f"a block of pool `{pool.name}` has {pool.block_nodes} nodes, {pool.block_nodes - pool.nodes} more than "
                "the whole pool",
                pool.place,
                help=f"write at most {pool.nodes}, or leave `blockNodes` out",
                subject=f"Cluster pool {pool.name}",
            )
