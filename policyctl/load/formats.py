"""What each `format` of our schemas accepts: the exact reading of the text, with the way out where it fails.

A schema's `pattern` tells an editor the same in general; these functions decide, through `policyctl.units`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from zoneinfo import available_timezones

from jsonschema import FormatChecker

from policyctl.diagnostics import nearest
from policyctl.load.surprises import plain_number
from policyctl.load.wording import quoted
from policyctl.units import BadQuantity, parse_duration, parse_instant, parse_rate, parse_share

__all__ = ["CODES", "UNLIMITED", "checker", "read_instant", "read_overdraft"]

UNLIMITED = "unlimited"
_NAME = re.compile(r"[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?", re.ASCII)
_LONGEST_NAME = 63
_HANDLE = re.compile(r"@[A-Za-z0-9][A-Za-z0-9._-]*(?:/[A-Za-z0-9][A-Za-z0-9._-]*)?", re.ASCII)
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)


def read_instant(text: str) -> int:
    """Read an instant; a bare date that does not exist is called that, not only bare."""
    if _DATE.fullmatch(text):
        try:
            parse_instant(f"{text}T00:00:00Z")
        except BadQuantity as wrong:
            raise BadQuantity(str(wrong).replace("T00:00:00Z", ""), help=wrong.help) from None
    return parse_instant(text)


def read_overdraft(text: str) -> Fraction | None:
    """Read an overdraft; None is unlimited."""
    if text == UNLIMITED:
        return None
    try:
        value = parse_rate(text)
    except BadQuantity:
        close = nearest(text, (UNLIMITED,))
        way_out = f"did you mean `{close}`?" if close else "write `unlimited` or a percentage: `50%`"
        raise BadQuantity(f"{quoted(text)} is not an overdraft", help=way_out) from None
    if value > 1 and not text.endswith("%"):
        raise BadQuantity(f"{quoted(text)} needs a percent sign", help=f"did you mean `{text}%`?")
    return value


def _length(text: str) -> None:
    if parse_duration(text) == 0:
        raise BadQuantity(f"{quoted(text)} is no time at all", help="write a duration above zero: `10m`")


def _weight(text: str) -> None:
    if parse_rate(text) == 0:
        raise BadQuantity(
            f"{quoted(text)} is not above zero", help="leave the child out, or use shares: `0%`"
        )


def _timezone(text: str) -> None:
    known = available_timezones()
    if text not in known:
        close = nearest(text, known)
        way_out = f"did you mean `{close}`?" if close else "write an IANA name: `America/Los_Angeles`, `UTC`"
        raise BadQuantity(f"{quoted(text)} is not a time zone", help=way_out)


def _name(text: str) -> None:
    if len(text) > _LONGEST_NAME:
        raise BadQuantity(f"{quoted(text)} is longer than {_LONGEST_NAME} characters", help="shorten it")
    if not _NAME.fullmatch(text):
        slug = _slug(text)
        raise BadQuantity(
            f"{quoted(text)} is not a name", help=f"did you mean `{slug}`?" if slug else _NAME_HELP
        )


_NAME_HELP = (
    "a name has lower-case letters, digits, `.`, `_`, `-`, and begins and ends with a letter or digit"
)


def _slug(text: str) -> str | None:
    """Return the name that a text was probably meant to be; letters beyond ASCII are never guessed."""
    if not text.isascii():
        return None
    return re.sub(r"[^a-z0-9._-]+", "-", text.lower()).strip("-._")[:_LONGEST_NAME] or None


def _account(text: str) -> None:
    steps = text.removeprefix("/").split("/")
    if text == "/" or (text.startswith("/") and all(_is_name(step) for step in steps)):
        return
    slugs = [_slug(step) for step in steps if step]
    mended = f"/{'/'.join(slug for slug in slugs if slug)}" if slugs and all(slugs) else None
    way_out = f"did you mean `{mended}`?" if mended and len(mended) < len(text) + 3 else _ACCOUNT_HELP
    raise BadQuantity(f"{quoted(text)} is not an account path", help=way_out)


def _is_name(text: str) -> bool:
    return len(text) <= _LONGEST_NAME and _NAME.fullmatch(text) is not None


_ACCOUNT_HELP = (
    "an account is a path: `/` is the cluster, `/language` a program, `/language/pretrain` a project"
)


def _handle(text: str) -> None:
    if not _HANDLE.fullmatch(text):
        mended = f"@{text}"
        way_out = (
            f'did you mean `"{mended}"`?' if _HANDLE.fullmatch(mended) else 'write `"@lab/robotics-leads"`'
        )
        raise BadQuantity(f"{quoted(text)} is not a handle", help=way_out)


_READERS: dict[str, tuple[str, Callable[[str], object]]] = {
    "policyctl-duration": ("S008", parse_duration),
    "policyctl-length": ("S008", _length),
    "policyctl-instant": ("S008", read_instant),
    "policyctl-share": ("S008", parse_share),
    "policyctl-rate": ("S008", parse_rate),
    "policyctl-weight": ("S008", _weight),
    "policyctl-overdraft": ("S008", read_overdraft),
    "policyctl-timezone": ("S019", _timezone),
    "policyctl-name": ("S009", _name),
    "policyctl-account": ("S009", _account),
    "policyctl-handle": ("S009", _handle),
}

CODES = {name: code for name, (code, _) in _READERS.items()}
"""The finding code of each format."""


def checker() -> FormatChecker:
    """Make the checker that jsonschema asks; the reader's BadQuantity becomes the error's cause."""
    made = FormatChecker(formats=())
    for name, (_, read) in _READERS.items():
        made.checks(name, raises=BadQuantity)(_on_text(read))
    return made


def _on_text(read: Callable[[str], object]) -> Callable[[object], bool]:
    def check(value: object) -> bool:
        if isinstance(value, str):
            _read_or_respell(value, read)
        return True

    return check


def _read_or_respell(text: str, read: Callable[[str], object]) -> None:
    try:
        read(text)
    except BadQuantity as wrong:
        mended = plain_number(text)
        if mended is None:
            raise
        try:
            read(mended)
        except BadQuantity as also:
            raise BadQuantity(str(wrong), help=f"in plain digits it is `{mended}`; {also.help}") from None
        raise BadQuantity(str(wrong), help=f"did you mean `{mended}`?") from None
