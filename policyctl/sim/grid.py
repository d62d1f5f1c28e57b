"""Which policies a sweep tries: every combination of what was asked for, each a variation of one policy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product

from policyctl.errors import UsageProblem
from policyctl.model.policy import Policy, ProtectionCap, SlidingWindow
from policyctl.model.sweep import CapChange, Option, Point
from policyctl.units import Seconds

__all__ = ["PROPORTIONAL", "grid", "longest_cap", "options_of", "varied"]

PROPORTIONAL = "proportional"
"""A half-life that is the same part of every window as in the policy itself."""
HalfLife = Seconds | None | str


def grid(
    policy: Policy,
    *,
    windows: Sequence[Seconds],
    half_lives: Sequence[HalfLife] = (),
    caps: Sequence[CapChange] = (),
    loads: Sequence[Fraction] = (),
) -> tuple[Point, ...]:
    """Return every combination once, windows first; what is not given stays as it is in the policy.

    Without half-lives each window has one in the proportion of the policy's own. Raises UsageProblem for a calendar
    window that is to be kept.
    """
    lengths = windows or (_sliding(policy).length,)
    found: dict[Point, None] = {}
    for window, half_life, cap, load in product(
        lengths, half_lives or (PROPORTIONAL,), caps or (None,), loads or (Fraction(1),)
    ):
        option = Option(window=window, half_life=_half_life(policy, window, half_life), cap=cap)
        found[Point(option=option, load=load)] = None
    return tuple(found)


def _sliding(policy: Policy) -> SlidingWindow:
    window = policy.accounting.window
    if not isinstance(window, SlidingWindow):
        raise UsageProblem(
            "the policy counts by the calendar, so there is no window length to keep",
            help="give the windows to try with `--window`",
        )
    return window


def _half_life(policy: Policy, window: Seconds, asked: HalfLife) -> Seconds | None:
    if not isinstance(asked, str):
        return asked
    own = policy.accounting.window
    if not isinstance(own, SlidingWindow) or own.half_life is None:
        return None
    return Seconds(max(1, window * own.half_life // own.length))


def options_of(points: Sequence[Point]) -> tuple[Option, ...]:
    """Return what may be chosen between, in the order of the points."""
    return tuple(dict.fromkeys(point.option for point in points))


def varied(policy: Policy, option: Option) -> Policy:
    """Return the policy with the window, half-life and caps of an option."""
    window = SlidingWindow(length=option.window, half_life=option.half_life)
    return replace(
        policy,
        accounting=replace(policy.accounting, window=window),
        caps=policy.caps if option.cap is None else _capped(policy, option.cap),
    )


def _capped(policy: Policy, change: CapChange) -> tuple[ProtectionCap, ...]:
    if change.factor is not None:
        return tuple(_scaled(cap, change.factor) for cap in policy.caps)
    at_root = [cap for cap in policy.caps if cap.account == "/"]
    if at_root:
        return tuple(
            replace(cap, default=change.default) if cap.account == "/" else cap for cap in policy.caps
        )
    place = policy.accounting.place
    added = ProtectionCap(name="sweep", account="/", default=change.default, default_place=place, place=place)
    return (added, *policy.caps)


def _scaled(cap: ProtectionCap, factor: Fraction) -> ProtectionCap:
    return replace(
        cap,
        default=None if cap.default is None else _times(cap.default, factor),
        rules=tuple(replace(rule, max_protected=_times(rule.max_protected, factor)) for rule in cap.rules),
    )


def _times(length: Seconds, factor: Fraction) -> Seconds:
    return Seconds(round(length * factor))


def longest_cap(policy: Policy) -> Seconds:
    """Return the longest protection that a rule of the caps at the root allows; 0 where nothing caps it."""
    limits = [
        limit
        for cap in policy.caps
        if cap.account == "/"
        for limit in (cap.default, *(rule.max_protected for rule in cap.rules))
        if limit is not None
    ]
    return max(limits, default=Seconds(0))
