"""What was expected and what was got, as words that line up under each other."""

from __future__ import annotations

from fractions import Fraction
from typing import assert_never

from policyctl.testing.case import Among, Begins, Exactly, Figure, Seen, Text, Wanted
from policyctl.testing.run import Difference
from policyctl.units import format_percent

__all__ = ["expected", "got", "kind_of_cover"]

_DIGITS = 6
_KINDS = {
    "cap": "rule of a cap",
    "default": "default of a cap",
    "guard": "guard",
    "limit": "limit",
    "exception": "exception",
    "approval": "approval rule",
    "unless": "its `unless`",
    "gate": "gate",
}


def expected(wanted: Wanted) -> str:
    """Write what a case asks of one fact: `2h`, `first a, b`, `at least guard:live-sessions`."""
    match wanted:
        case Text():
            return wanted.text
        case Figure():
            return _number(wanted.value, wanted.digits)
        case Begins():
            return f"first {_list(wanted.items)}"
        case Exactly():
            return _list(wanted.items)
        case Among():
            return f"at least {_list(wanted.items)}"
        case _:
            assert_never(wanted)


def got(difference: Difference) -> str:
    """Write what the answer says about that fact, as exactly as it was asked."""
    seen: Seen | None = difference.seen
    if seen is None:
        return "nothing: the answer does not speak of it"
    if isinstance(seen, Fraction):
        wanted = difference.wanted
        return _number(seen, wanted.digits if isinstance(wanted, Figure) else _DIGITS)
    return _list(seen) if isinstance(seen, tuple) else seen


def kind_of_cover(kind: str) -> str:
    """Name what coverage counts."""
    return _KINDS[kind]


def _list(items: tuple[str, ...]) -> str:
    return ", ".join(items) or "none"


def _number(value: Fraction, digits: int | None) -> str:
    return format_percent(value) if digits is None else f"{float(value):.{digits}f}"
