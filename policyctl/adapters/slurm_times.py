"""Times as Slurm prints them, with or without an offset, to instants."""

from __future__ import annotations

import re
from datetime import datetime
from functools import lru_cache
from zoneinfo import ZoneInfo

from policyctl.adapters.log_notes import BadRecord
from policyctl.adapters.slurm_words import set_number
from policyctl.units import Instant

__all__ = ["epoch_instant", "naive", "read_time"]

_NOT_KNOWN = frozenset({"", "unknown", "none", "n/a", "invalid"})
_TIME = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?P<offset>Z|[+-]\d{2}:?\d{2})?", re.ASCII)


def naive(text: str) -> bool:
    """Say whether the text is a time that does not say which clock it is read from."""
    found = _TIME.fullmatch(text)
    return found is not None and found["offset"] is None


@lru_cache(maxsize=262_144)
def read_time(text: str, zone: str, *, later: bool = False) -> Instant | None:
    """Read `2026-11-29T14:01:22`, with an offset or of the named time zone, or Unix seconds; None where not known.

    In the hour that a clock repeats when summer ends, the first reading is taken, or the second if `later`.
    Raises BadRecord for anything else.
    """
    plain = text.strip()
    if plain.lower() in _NOT_KNOWN:
        return None
    if re.fullmatch(r"\d{1,20}", plain, re.ASCII):
        return epoch_instant(int(plain))
    if _TIME.fullmatch(plain):
        try:
            moment = datetime.fromisoformat(plain)
        except ValueError:
            raise _refused(text) from None
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=ZoneInfo(zone), fold=1 if later else 0)
        return Instant(int(moment.timestamp()))
    raise _refused(text)


def _refused(text: str) -> BadRecord:
    return BadRecord("L002", f"`{text[:40]}` is not a time", help="write `2026-09-01T12:00:00`")


def epoch_instant(value: int | None) -> Instant | None:
    """Return Unix seconds as an instant; None for 0 and the numbers by which Slurm says that there is none."""
    number = set_number(value)
    if not number:
        return None
    if number >= 10**10:
        raise BadRecord("L002", f"`{number}` is not a time in seconds")
    return Instant(number)
