"""Quantities to read at a glance: short numbers, lengths of time in one unit, parts of one as percentages."""

from __future__ import annotations

__all__ = ["brief", "ratio", "span"]

_SIZES = ((1e9, "G"), (1e6, "M"), (1e3, "k"))
_STEPS = ((86_400, "d"), (3_600, "h"), (60, "min"))


def brief(value: float) -> str:
    """Write a number in few places: `0.25`, `950`, `1.5k`, `12k`, `2M`."""
    for size, letter in _SIZES:
        if abs(value) >= size:
            return f"{value / size:.1f}".removesuffix(".0") + letter
    return f"{value:.2f}".rstrip("0").rstrip(".")


def span(seconds: float) -> str:
    """Write a length of time in one unit: `24 s`, `5 min`, `1.5 h`, `3.2 d`."""
    for size, word in _STEPS:
        if seconds >= size:
            return f"{seconds / size:.1f}".removesuffix(".0") + f" {word}"
    return f"{seconds:.0f} s"


def ratio(value: float | None) -> str:
    """Write a part of one as a percentage; a dash where there was nothing to be a part of."""
    return "–" if value is None else f"{value:.1%}"
