"""Durations and timestamps as CEL spells them, in whole seconds.

Durations: the CEL specification's `duration()`, with Go's units h, m, s, ms, us, ns; its range is that of
64-bit nanoseconds. Timestamps: RFC 3339 with an offset, years 1 to 9999.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from fractions import Fraction

from policyctl.expr.problems import quoted
from policyctl.expr.zones import fixed_offset
from policyctl.units import BadQuantity

__all__ = ["MAX_SPAN", "MAX_TIME", "MIN_TIME", "read_duration", "read_timestamp"]

MAX_SPAN = (2**63 - 1) // 10**9
"""Longest duration either way, in seconds: 64 bits of nanoseconds, about 292 years."""
MIN_TIME, MAX_TIME = -62_135_596_800, 253_402_300_799
"""First and last second of the years 1 to 9999."""

_UNITS = {
    "h": Fraction(3600),
    "m": Fraction(60),
    "s": Fraction(1),
    "ms": Fraction(1, 10**3),
    "us": Fraction(1, 10**6),
    "ns": Fraction(1, 10**9),
}
_PART = re.compile(r"(\d+(?:\.\d*)?|\.\d+)(ms|us|ns|h|m|s)", re.ASCII)
_DURATION = re.compile(rf"([-+]?)((?:{_PART.pattern})+)", re.ASCII)
_DAYS = re.compile(r"(\d{1,6})([dw])((?:\d+[hms])*)", re.ASCII)
_TIMESTAMP = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(\.\d+)?([Zz]|[+-]\d\d:\d\d)", re.ASCII
)
_NAIVE = re.compile(r"\d{4}-\d\d-\d\d([Tt]\d\d:\d\d:\d\d)?", re.ASCII)
_LONGEST = 100


def read_duration(text: str) -> int:
    """Read `4h`, `1h30m`, `-90s`, `1.5h`; raises BadQuantity with the spelling that works."""
    if text in {"0", "+0", "-0"}:
        return 0
    found = _DURATION.fullmatch(text) if len(text) <= _LONGEST else None
    if found is None:
        raise BadQuantity(f"{quoted(text)} is not a CEL duration", help=_duration_help(text))
    parts = _PART.findall(found[2])
    total = sum((Fraction(_number(number)) * _UNITS[unit] for number, unit in parts), Fraction(0))
    if total.denominator != 1:
        raise BadQuantity(f"{quoted(text)} has a fraction of a second", help="policyctl counts whole seconds")
    if total > MAX_SPAN:
        raise BadQuantity(f"{quoted(text)} is longer than 292 years", help="write a shorter duration")
    return -int(total) if found[1] == "-" else int(total)


def _number(text: str) -> str:
    return f"0{text}0" if text.startswith(".") or text.endswith(".") else text


def _duration_help(text: str) -> str:
    if found := _DAYS.fullmatch(text):
        hours = int(found[1]) * (24 if found[2] == "d" else 168)
        return f"CEL has no days or weeks: write `{hours}h{found[3]}`"
    if re.fullmatch(r"\d{1,12}", text, re.ASCII):
        return f"a duration needs a unit: `{text}s`, `{text}m` or `{text}h`"
    return "write numbers with the units h, m, s: `4h`, `1h30m`"


def read_timestamp(text: str) -> int:
    """Read `2026-09-01T12:00:00Z` or with an offset, as seconds since 1970; raises BadQuantity."""
    found = _TIMESTAMP.fullmatch(text)
    if found is None:
        raise BadQuantity(f"{quoted(text)} is not an RFC 3339 timestamp", help=_timestamp_help(text))
    if found[7] and int(found[7][1:]):
        hint = f"policyctl counts whole seconds: write `{text.replace(found[7], '')}`"
        raise BadQuantity(f"{quoted(text)} has a fraction of a second", help=hint)
    try:
        year, month, day, hour, minute, second = (int(part) for part in found.groups()[:6])
        offset = UTC if found[8] in "Zz" else fixed_offset(found[8])
        local = datetime(year, month, day, hour, minute, second, tzinfo=offset)
    except ValueError:
        hint = "check the day, the hour and the offset: `2026-09-01T12:00:00Z`"
        raise BadQuantity(f"{quoted(text)} does not exist", help=hint) from None
    value = (local - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(seconds=1)
    if not MIN_TIME <= value <= MAX_TIME:
        raise BadQuantity(f"{quoted(text)} is outside of the years 1 to 9999", help="write a nearer year")
    return value


def _timestamp_help(text: str) -> str:
    if found := _NAIVE.fullmatch(text):
        return f"say the time and the offset: `{text}{'' if found[1] else 'T00:00:00'}Z`"
    return "write date, time and offset: `2026-09-01T12:00:00Z`"
