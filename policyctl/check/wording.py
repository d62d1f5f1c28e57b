"""The turns of phrase that several findings share: amounts exactly and readably, lists cut to what one reads."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from policyctl.units import format_percent

__all__ = ["amount", "in_pools", "listed", "share_text"]

_LISTED = 6


def amount(value: Fraction) -> str:
    """Write a part of a whole exactly, and as a percentage where the exact form is none: `5%`, `1/30 (~3.33%)`."""
    percent = format_percent(value)
    return f"{value} ({percent})" if percent.startswith("~") else percent


def share_text(value: Fraction) -> str:
    """Write a share as a policy could: `40%`, `1/3`."""
    percent = format_percent(value)
    return str(value) if percent.startswith("~") else percent


def listed(items: Sequence[str], most: int = _LISTED) -> str:
    """Join the first items, and count the rest: `a, b, c and 4 more`."""
    shown = ", ".join(items[:most])
    return f"{shown} and {len(items) - most} more" if len(items) > most else shown


def in_pools(pools: Iterable[str | None]) -> str:
    """Name the pools concerned: `in pool h100`, or `in every pool` for None."""
    names = list(pools)
    if None in names:
        return "in every pool"
    return f"in pool{'' if len(names) == 1 else 's'} " + ", ".join(f"`{name}`" for name in names)
