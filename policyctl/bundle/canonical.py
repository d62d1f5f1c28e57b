"""The one spelling of a JSON document, sealed with its own digest, and the strict way back.

A sealed document is one line: an object whose first member is `"digest"`, the SHA-256 of the same line without
that member. The digest can therefore be checked over bytes, before anything is parsed:

    sed 's/^{"digest":"[^"]*",/{/' BUNDLE | sha256sum
"""

from __future__ import annotations

import hashlib
import hmac
import json
import math
import re
from typing import Any

__all__ = ["MOST_BYTES", "Unsound", "canonical", "opened", "parsed", "sealed", "sha256", "shallow"]

MOST_BYTES = 64 * 1024 * 1024
"""The largest sealed document that is read, in bytes."""
_MOST_VALUES = 4_000_000
_DEEPEST = 64
_LONGEST_INTEGER = 19
_SEAL = re.compile(rb'\{"digest":"(sha256:[0-9a-f]{64})",')


class Unsound(ValueError):
    """Bytes or values that are not what a bundle holds; `str(error)` is one line."""


def sha256(data: bytes) -> str:
    """Return the digest of bytes in the form in which policyctl writes every digest: `sha256:…`."""
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def canonical(document: object) -> bytes:
    """Write JSON in its one spelling: sorted keys, UTF-8, no spaces, one final line break.

    Raises Unsound for what has no such spelling: a number that is not finite, half of a surrogate pair.
    """
    try:
        text = json.dumps(
            document, sort_keys=True, ensure_ascii=False, allow_nan=False, separators=(",", ":")
        )
        return text.encode() + b"\n"
    except ValueError as problem:
        raise Unsound(f"a value cannot be written as JSON: {type(problem).__name__}") from None


def sealed(document: dict[str, object]) -> tuple[bytes, str]:
    """Return the document with its digest as first member, and that digest."""
    body = canonical(document)
    digest = sha256(body)
    return b'{"digest":"' + digest.encode() + b'",' + body[1:], digest


def opened(data: bytes) -> tuple[bytes, str]:
    """Return the document below the seal as bytes, and its digest, which was checked.

    Nothing is parsed here. Raises Unsound for bytes without a seal, or with another content than they claim.
    """
    if len(data) > MOST_BYTES:
        raise Unsound(f"it is larger than {MOST_BYTES // 1024**2} MiB")
    seal = _SEAL.match(data)
    if seal is None:
        raise Unsound("it does not start with a digest" if data else "it is empty")
    body = b"{" + data[seal.end() :]
    digest = sha256(body)
    if not hmac.compare_digest(digest.encode(), seal[1]):
        raise Unsound("its digest does not match its content: it was changed or cut off")
    return body, digest


def parsed(body: bytes) -> Any:
    """Parse JSON strictly: no equal keys, no NaN, no trailing data, bounded depth, numbers and count.

    Raises Unsound with what is wrong; never anything else.
    """
    if body.count(b",") + body.count(b"[") + body.count(b"{") > _MOST_VALUES:
        raise Unsound(f"it has more than {_MOST_VALUES:,} values")
    try:
        text = body.decode()
        return json.loads(
            text,
            object_pairs_hook=_object,
            parse_constant=_constant,
            parse_float=_float,
            parse_int=_integer,
        )
    except UnicodeDecodeError as problem:
        raise Unsound(f"byte {problem.start} is not UTF-8") from None
    except json.JSONDecodeError as problem:
        raise Unsound(f"it is not JSON at character {problem.pos}") from None
    except RecursionError:
        raise Unsound("it is nested too deeply") from None


def shallow(value: object, room: int = _DEEPEST) -> bool:
    """Say whether a JSON value is nested no deeper than `room` levels."""
    if isinstance(value, list):
        return room > 0 and all(shallow(item, room - 1) for item in value)
    if isinstance(value, dict):
        return room > 0 and all(shallow(item, room - 1) for item in value.values())
    return True


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    # A parser that keeps the last of two equal keys would let two readers see two policies.
    if len(made) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = min(key for key in made if keys.count(key) > 1)
        raise Unsound(f"the key {twice[:60]!a} stands twice in one object")
    return made


def _constant(text: str) -> float:
    raise Unsound(f"{text} is not a number")


def _float(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise Unsound("a number is too large")
    return value


def _integer(text: str) -> int:
    if len(text.lstrip("-")) > _LONGEST_INTEGER:
        raise Unsound(f"a number has more than {_LONGEST_INTEGER} digits")
    return int(text)
