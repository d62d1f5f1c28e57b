"""Time zones as CEL names them: IANA names, or fixed offsets such as `-08:00`."""

from __future__ import annotations

import re
from datetime import timedelta, timezone, tzinfo
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

from policyctl.diagnostics import nearest

__all__ = ["fixed_offset", "read_zone", "zone_help"]

_OFFSET = re.compile(r"([+-]?)(\d\d):([0-5]\d)", re.ASCII)
_MACHINE_DEPENDENT = {"localtime", "posixrules", "Factory"}
_ABBREVIATIONS = {
    "PST": "America/Los_Angeles",
    "PDT": "America/Los_Angeles",
    "CST": "America/Chicago",
    "CDT": "America/Chicago",
    "EDT": "America/New_York",
    "BST": "Europe/London",
    "CEST": "Europe/Berlin",
    "IST": "Asia/Kolkata",
    "JST": "Asia/Tokyo",
}


@cache
def read_zone(text: str) -> tzinfo | None:
    """Return the clock of a zone, or None if there is none of exactly this name."""
    if _OFFSET.fullmatch(text):
        try:
            return fixed_offset(text)
        except ValueError:
            return None
    return ZoneInfo(text) if text in _names() else None


@cache
def _names() -> frozenset[str]:
    return frozenset(available_timezones()) - _MACHINE_DEPENDENT


def fixed_offset(text: str) -> timezone:
    """Read `-08:00`, `+05:30` or `05:30`; ValueError for a day or more, or for anything else."""
    found = _OFFSET.fullmatch(text)
    if found is None:
        raise ValueError(text)
    offset = timedelta(hours=int(found[2]), minutes=int(found[3]))
    return timezone(-offset if found[1] == "-" else offset)


def zone_help(text: str) -> str:
    """Say what was probably meant by a zone that does not exist."""
    cities = {name.rpartition("/")[2]: name for name in sorted(_names(), reverse=True)}
    city = cities.get(text.strip().replace(" ", "_").title())
    if close := _ABBREVIATIONS.get(text.upper()) or city or nearest(text, _names()):
        return f"did you mean `{close}`?"
    return "write an IANA name or a fixed offset: `America/Los_Angeles`, `-08:00`"
