"""Values of literals as CEL spells them: strings with escapes, 64-bit integers, finite doubles.

Source: the CEL specification, "Values" and "String and bytes values"; where cel-python's lexer is laxer
(unknown escapes, `1.`), the literal is refused here.
"""

from __future__ import annotations

import math
import re

from policyctl.expr.problems import quoted
from policyctl.units import BadQuantity

__all__ = ["INT_MAX", "INT_MIN", "MAX_TEXT", "read_double", "read_int", "read_string"]

INT_MIN, INT_MAX = -(2**63), 2**63 - 1
MAX_TEXT = 1_000
"""Longest string literal, in characters."""

_SIMPLE = {
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
    "\\": "\\",
    "?": "?",
    '"': '"',
    "'": "'",
    "`": "`",
}
_ESCAPE = re.compile(
    r"\\(?:(?P<simple>[abfnrtv\\?\"'`])|[xX](?P<x>[0-9a-fA-F]{2})|u(?P<u>[0-9a-fA-F]{4})"
    r"|U(?P<U>[0-9a-fA-F]{8})|(?P<octal>[0-3][0-7]{2})|(?P<bad>.?))",
    re.DOTALL,
)


def read_int(text: str) -> int:
    """Read `12`, `-12` or `0x1F`; raises BadQuantity outside 64 bits."""
    digits = text.lstrip("-")
    value = int(digits, 16 if digits.startswith("0x") else 10)
    value = -value if text.startswith("-") else value
    if not INT_MIN <= value <= INT_MAX:
        raise BadQuantity(f"{quoted(text)} does not fit into 64 bits", help="write a double: `1e20`")
    return value


def read_double(text: str) -> float:
    """Read `1.5`, `.5`, `1e3`; raises BadQuantity for `1.` and for what is too large."""
    if re.fullmatch(r"-?\d+\.([eE].*)?", text):
        whole, _, rest = text.partition(".")
        raise BadQuantity(f"{quoted(text)} has no digit after its point", help=f"write `{whole}.0{rest}`")
    value = float(text)
    if not math.isfinite(value):
        raise BadQuantity(
            f"{quoted(text)} is too large for a double", help="the largest double is about 1.8e308"
        )
    return value


def read_string(text: str) -> str:
    """Read a quoted, triple-quoted or raw string; raises BadQuantity for an escape that CEL does not know."""
    raw = text[0] in "rR"
    body = text[1:] if raw else text
    width = 3 if body[:3] in {'"""', "'''"} and len(body) >= 6 else 1
    quote, body = body[:width], body[width:-width]
    if len(body) > MAX_TEXT:
        raise BadQuantity(f"the text has more than {MAX_TEXT} characters", help="compare with shorter texts")
    if raw:
        if quote in body:
            raise BadQuantity("a raw string ends at its first quote", help="use the other kind of quote")
        return body
    return _ESCAPE.sub(_unescaped, body)


def _unescaped(found: re.Match[str]) -> str:
    if found["simple"]:
        return _SIMPLE[found["simple"]]
    if found["bad"] is not None:
        hint = "write `\\\\` for a backslash, or a raw string: r'…'"
        raise BadQuantity(f"{quoted(found[0])} is not an escape that CEL knows", help=hint)
    digits = found["x"] or found["u"] or found["U"]
    code = int(digits, 16) if digits else int(found["octal"], 8)
    if code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:
        raise BadQuantity(
            f"{quoted(found[0])} is not a Unicode character", help="write a code point up to 10FFFF"
        )
    return chr(code)
