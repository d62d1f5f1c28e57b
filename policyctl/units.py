"""Quantities with their unit in the type, and the one spelling in which people write each of them.

Everything is an exact integer or an exact rational: instants and durations count whole seconds, GPUs count
thousandths, shares and rates are `Fraction`. Floats exist only where something is printed.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone
from fractions import Fraction
from typing import NewType

__all__ = [
    "BadQuantity",
    "Instant",
    "MilliGpu",
    "Seconds",
    "format_duration",
    "format_instant",
    "format_percent",
    "format_ratio",
    "gpus_text",
    "parse_duration",
    "parse_gpus",
    "parse_instant",
    "parse_rate",
    "parse_share",
]

Instant = NewType("Instant", int)
"""Seconds since 1970-01-01T00:00:00Z."""
Seconds = NewType("Seconds", int)
"""A length of time; never negative where a policy or a state says one."""
MilliGpu = NewType("MilliGpu", int)
"""Thousandths of one GPU, so that fractional GPUs stay exact."""

_UNIT_SECONDS = {"w": 604_800, "d": 86_400, "h": 3_600, "m": 60, "s": 1}
_DURATION = re.compile(r"(?:(\d+)w)?(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?", re.ASCII)
_INSTANT = re.compile(
    r"(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2})(?::(\d{2})(\.\d+)?)?\s*([Zz]|[+-]\d{2}:\d{2})?",
    re.ASCII,
)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LONGEST = 100 * 366 * 86_400
_DIGITS = 18


class BadQuantity(ValueError):
    """Text that is not the quantity it should be: `str(error)` says what was seen, `help` what would work."""

    def __init__(self, message: str, *, help: str) -> None:  # noqa: A002 - the word of every finding
        super().__init__(message)
        self.help = help


def parse_duration(text: str) -> Seconds:
    """Read a length of time with its units, largest first: `90s`, `4h`, `1h30m`, `14d`, `2w`.

    Raises BadQuantity with the spelling that would have worked; a bare number never has a unit.
    """
    found = _DURATION.fullmatch(text)
    if found and text:
        parts = [int(part) if part else 0 for part in found.groups()]
        total = sum(part * size for part, size in zip(parts, _UNIT_SECONDS.values(), strict=True))
        if total > _LONGEST:
            raise BadQuantity(f"`{text}` is longer than 100 years", help="write a duration such as `14d`")
        return Seconds(total)
    raise BadQuantity(f"`{text}` is not a duration", help=_duration_help(text))


def _duration_help(text: str) -> str:
    if re.fullmatch(r"\d{1,9}", text, re.ASCII):
        number = int(text)
        return f"a duration needs a unit: did you mean `{number}s`, `{number}m`, `{number}h` or `{number}d`?"
    if clock := re.fullmatch(r"(\d{1,3}):([0-5]\d)(?::([0-5]\d))?", text, re.ASCII):
        hours, minutes, seconds = (int(part or 0) for part in clock.groups())
        tail = f"{seconds}s" if seconds else ""
        return f"did you mean `{hours}h{minutes}m{tail}`, or `{hours}m{minutes}s`?"
    if re.fullmatch(r"(\d+[wdhms])+", text, re.ASCII):
        return "write each unit once, the largest first: `1d12h`, `1h30m`"
    if re.fullmatch(r"\d*\.\d+\s*[a-z]+", text, re.ASCII):
        return "write whole numbers of smaller units: `1h30m` instead of `1.5h`"
    if re.fullmatch(r"-.*", text):
        return "a duration is never negative"
    return "write whole numbers with the units w, d, h, m, s: `4h`, `1h30m`, `14d`"


def format_duration(value: int) -> str:
    """Write a duration as `parse_duration` reads it, in the largest units below a week: `1d12h`, `0s`."""
    if value < 0:
        return "-" + format_duration(-value)
    parts = []
    rest = value
    for unit, size in list(_UNIT_SECONDS.items())[1:]:
        number, rest = divmod(rest, size)
        if number:
            parts.append(f"{number}{unit}")
    return "".join(parts) or "0s"


def parse_instant(text: str) -> Instant:
    """Read a date and a time with an offset, to the second: `2026-09-01T12:00:00Z`, `2026-09-01T14:00+02:00`.

    Raises BadQuantity for a bare date, a missing offset, a fraction of a second or a day that does not exist.
    """
    found = _INSTANT.fullmatch(text.strip())
    if found is None:
        raise BadQuantity(f"`{text}` is not an instant", help=_instant_help(text))
    year, month, day, hour, minute = (int(part) for part in found.groups()[:5])
    second = int(found[6] or 0)
    if found[8] is None:
        raise BadQuantity(f"`{text}` has no offset", help=f"say which clock: `{text.strip()}Z` is UTC")
    if found[7] and int(found[7][1:]):
        whole = text.replace(found[7], "")
        raise BadQuantity(f"`{text}` has a fraction of a second", help=f"write whole seconds: `{whole}`")
    try:
        aware = datetime(year, month, day, hour, minute, second, tzinfo=_offset(found[8]))
        return Instant((aware.astimezone(UTC) - _EPOCH) // timedelta(seconds=1))
    except (ValueError, OverflowError) as problem:
        raise BadQuantity(
            f"`{text}` is not an instant: {_calendar_problem(year, month, day, problem)}", help=_INSTANT_HELP
        ) from None


_INSTANT_HELP = "write date, time and offset: `2026-09-01T12:00:00Z`"


def _offset(text: str) -> timezone:
    if text in "Zz":
        return UTC
    hours, minutes = int(text[1:3]), int(text[4:6])
    if minutes > 59:
        raise ValueError("an offset has at most 59 minutes")
    return timezone((-1 if text[0] == "-" else 1) * timedelta(hours=hours, minutes=minutes))


def _calendar_problem(year: int, month: int, day: int, problem: Exception) -> str:
    if 1 <= month <= 12 and day > 28:
        return f"day {day} does not exist in {year:04d}-{month:02d}"
    return str(problem)


def _instant_help(text: str) -> str:
    if re.fullmatch(r"\d{4}-\d{2}-\d{2}", text, re.ASCII):
        return f"an instant has a time and an offset: `{text}T00:00:00Z`"
    if re.fullmatch(r"\d{9,11}", text, re.ASCII):
        try:
            return f"did you mean `{format_instant(int(text))}`?"
        except (ValueError, OverflowError, OSError):
            return _INSTANT_HELP
    return _INSTANT_HELP


def format_instant(value: int) -> str:
    """Write an instant in UTC: `2026-09-01T12:00:00Z`."""
    at = _EPOCH + timedelta(seconds=value)
    return f"{at:%Y}".rjust(4, "0") + f"{at:-%m-%dT%H:%M:%SZ}"


def parse_rate(text: str) -> Fraction:
    """Read an exact number that is not negative: `1`, `0.5`, `1/2`, `50%`."""
    body, percent = (text[:-1].rstrip(), True) if text.endswith("%") else (text, False)
    if len(text) <= 2 * _DIGITS:
        if re.fullmatch(r"(0|[1-9]\d*)(\.\d+)?", body, re.ASCII):
            return Fraction(body) / (100 if percent else 1)
        if not percent and re.fullmatch(r"(0|[1-9]\d*)\s*/\s*[1-9]\d*", body, re.ASCII):
            return Fraction(body.replace(" ", ""))
    raise BadQuantity(
        f"`{text}` is not a number of the kind expected", help="write `1`, `0.5`, `1/2` or `50%`"
    )


def parse_share(text: str) -> Fraction:
    """Read a part of a whole, between 0 and 1, exactly: `60%`, `1/4`, `0.25`.

    Raises BadQuantity for more than the whole, with the percent sign that was probably forgotten.
    """
    try:
        value = parse_rate(text)
    except BadQuantity:
        raise BadQuantity(
            f"`{text}` is not a share", help="write a percentage or a fraction: `60%`, `1/4`"
        ) from None
    if value > 1:
        bare = re.fullmatch(r"\d+(\.\d+)?", text, re.ASCII)
        hint = f"did you mean `{text}%`?" if bare and value <= 100 else "a share is at most `100%`"
        raise BadQuantity(f"`{text}` is more than the whole", help=hint)
    return value


def format_ratio(value: Fraction) -> str:
    """Write an exact rational: `3/5`, `1`, `0`."""
    return str(value)


def format_percent(value: Fraction, digits: int = 2) -> str:
    """Write a share for people, exactly where `digits` decimals are enough, else marked as rounded: `60%`, `~33.33%`."""
    scaled = value * 100 * 10**digits
    exact = scaled.denominator == 1
    text = f"{float(value * 100):.{digits}f}".rstrip("0").rstrip(".")
    return f"{text}%" if exact else f"~{text}%"


def parse_gpus(text: str) -> MilliGpu:
    """Read a number of GPUs with at most three decimals, exactly: `8`, `0.5`."""
    if re.fullmatch(r"(0|[1-9]\d{0,8})(\.\d{1,3}0*)?", text, re.ASCII):
        return MilliGpu(int(Fraction(text) * 1000))
    raise BadQuantity(
        f"`{text}` is not a number of GPUs", help="write a number with at most three decimals: `8`, `0.5`"
    )


def gpus_text(value: int) -> str:
    """Write thousandths of a GPU as GPUs: `8`, `0.5`."""
    whole, rest = divmod(value, 1000)
    return f"{whole}.{rest:03d}".rstrip("0") if rest else str(whole)
