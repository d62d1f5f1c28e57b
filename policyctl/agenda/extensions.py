"""How often the expiry of an exception was moved to a later instant, told from the versions of its file."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from policyctl.load.texts import read_texts
from policyctl.load.values import Scalar, at
from policyctl.units import BadQuantity, Instant, parse_instant

__all__ = ["extensions"]


def extensions(versions: Iterable[bytes], name: str) -> int:
    """Count the later expiries of the exception of that name, given the versions of its file, oldest first.

    Versions in which it is missing or cannot be read are passed over; an expiry brought forward is no extension, and
    one put back to where it had been before counts again.
    """
    known = [when for version in versions if (when := _expiry(version, name)) is not None]
    return sum(later > earlier for earlier, later in pairwise(known))


def _expiry(version: bytes, name: str) -> Instant | None:
    for document in read_texts({"version.yaml": version}).documents:
        written = at(document.root, ("spec", "expires"))
        called = at(document.root, ("metadata", "name"))
        if (
            document.kind == "Exception"
            and isinstance(called, Scalar)
            and called.text == name
            and isinstance(written, Scalar)
        ):
            try:
                return parse_instant(written.text)
            except BadQuantity:
                return None
    return None
