"""Unquoted scalars that YAML readers disagree about: what YAML 1.1 makes of them, and what to write instead."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["Surprise", "is_null", "is_plain_number", "plain_number", "surprise"]

_NULL = frozenset({"", "~", "null", "Null", "NULL"})
_TRUE = frozenset(form(word) for word in ("yes", "on", "true") for form in (str.lower, str.title, str.upper))
_FALSE = frozenset(
    form(word) for word in ("no", "off", "false") for form in (str.lower, str.title, str.upper)
)
_CANONICAL = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?")
_EXPONENT = 30
_DIGITS = 400


@dataclass(frozen=True, slots=True)
class Surprise:
    """What YAML 1.1 sees in a scalar, in words, and the plain number that was probably meant, if one was."""

    seen: str
    number: str | None = None


def is_null(text: str) -> bool:
    """Say whether an unquoted scalar means "no value"."""
    return text in _NULL


def is_plain_number(text: str) -> bool:
    """Say whether the text is a number in the one spelling that every reader takes for the same number."""
    return _CANONICAL.fullmatch(text) is not None


def surprise(text: str) -> Surprise | None:
    """Return what is surprising about an unquoted scalar; None for ordinary text and ordinary numbers."""
    if text in _NULL:
        return Surprise("no value")
    if text in _TRUE:
        return Surprise("the truth value `true`")
    if text in _FALSE:
        return Surprise("the truth value `false`")
    if len(text) > _DIGITS or text[0] not in "+-.0123456789" or _CANONICAL.fullmatch(text):
        return None
    for pattern, read in _NUMBERS:
        if found := pattern.fullmatch(text):
            return read(found)
    return None


def plain_number(text: str) -> str | None:
    """Return the plain spelling of a number in an odd one, with its percent sign: `010` is `10`, `1_000%` is `1000%`."""
    body, percent = (text[:-1].strip(), "%") if text.endswith("%") else (text, "")
    odd = surprise(body)
    return f"{odd.number}{percent}" if odd and odd.number is not None else None


def _in_base(base: int) -> Callable[[re.Match[str]], Surprise]:
    def read(found: re.Match[str]) -> Surprise:
        number = str(int(found[2].replace("_", ""), base))
        return Surprise(f"the number `{_sign(found)}{number}`", f"{_sign(found)}{number}")

    return read


def _leading_zero(found: re.Match[str]) -> Surprise:
    digits = found[2].replace("_", "")
    meant = _sign(found) + (digits.lstrip("0") or "0")
    octal = re.fullmatch(r"[0-7]+", digits)
    return Surprise(
        f"the octal number `{_sign(found)}{int(digits, 8)}`" if octal else "text or a number", meant
    )


def _separated(found: re.Match[str]) -> Surprise:
    number = _sign(found) + found[2].replace("_", "")
    return Surprise(f"the number `{number}`", number)


def _sexagesimal(found: re.Match[str]) -> Surprise:
    if found[2].startswith("0"):
        return Surprise("text, although a later hour would be a number")
    total = 0
    for part in found[2].replace("_", "").split(":"):
        total = total * 60 + int(part)
    return Surprise(f"the number `{_sign(found)}{total}` (counted in sixties)")


def _exponent(found: re.Match[str]) -> Surprise:
    whole, fraction, power = found[2].replace("_", ""), found[3].replace("_", ""), int(found[4][:9])
    if abs(power) > _EXPONENT:
        return Surprise("a number or text")
    digits = (whole + fraction).rjust(max(0, -power) + len(fraction) + 1, "0")
    point = len(digits) - len(fraction) + power
    digits = digits.ljust(point, "0")
    return Surprise("a number or text", _sign(found) + _trimmed(digits[:point], digits[point:]))


def _bare_point(found: re.Match[str]) -> Surprise:
    number = _sign(found) + _trimmed(found[2].replace("_", ""), found[3].replace("_", ""))
    return Surprise(f"the number `{number}`", number)


def _trimmed(whole: str, fraction: str) -> str:
    short = fraction.rstrip("0")
    return (whole.lstrip("0") or "0") + (f".{short}" if short else "")


def _sign(found: re.Match[str]) -> str:
    return "-" if found[1] == "-" else ""


_NUMBERS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], Surprise]], ...] = (
    (re.compile(r"([-+]?)0x([0-9a-fA-F_]*[0-9a-fA-F]_*)"), _in_base(16)),
    (re.compile(r"([-+]?)0b([01_]*[01]_*)"), _in_base(2)),
    (re.compile(r"([-+]?)0o([0-7]+)"), _in_base(8)),
    (re.compile(r"([-+]?)(0[0-9_]+)"), _leading_zero),
    (re.compile(r"([-+]?)([1-9][0-9_]*[0-9_]|[0-9])"), _separated),
    (re.compile(r"([-+]?)([0-9][0-9_]*(?::[0-5]?[0-9])+)(?:\.[0-9_]*)?"), _sexagesimal),
    (re.compile(r"([-+]?)(?=\.?[0-9])([0-9_]*)\.?([0-9_]*)[eE]([-+]?[0-9]+)"), _exponent),
    (re.compile(r"(?=.*[0-9])([-+]?)((?:[0-9][0-9_]*)?)\.([0-9_]*)"), _bare_point),
    (re.compile(r"([-+]?)\.(?:inf|Inf|INF|nan|NaN|NAN)"), lambda _: Surprise("a number that is not finite")),
    (re.compile(r"([0-9]{4})-[0-9]{1,2}-[0-9]{1,2}(?:[Tt \t].*)?"), lambda _: Surprise("a date")),
)
