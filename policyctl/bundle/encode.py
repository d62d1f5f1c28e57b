"""A policy and its provenance to the bytes of a bundle: the same policy gives the same bytes, anywhere."""

from __future__ import annotations

from policyctl.bundle.canonical import Unsound, sealed
from policyctl.bundle.meaning import meaning
from policyctl.bundle.provenance import Provenance
from policyctl.bundle.writing import Writer
from policyctl.errors import NoAnswer
from policyctl.model.policy import Policy

__all__ = ["FORMAT", "document", "encode"]

FORMAT = 1
"""The format that this version writes, and the newest that it reads."""


def document(policy: Policy, provenance: Provenance) -> dict[str, object]:
    """Return what the bundle says as a JSON object, without the digest that seals it."""
    writer = Writer()
    return {
        "format": FORMAT,
        "meaning": meaning(policy),
        "policy": writer.write(policy),
        "provenance": writer.write(provenance),
    }


def encode(policy: Policy, provenance: Provenance) -> bytes:
    """Return the bytes of the bundle.

    Raises NoAnswer where the policy holds something that a bundle cannot, such as a rational of 4,000 digits.
    """
    try:
        return sealed(document(policy, provenance))[0]
    except Unsound as problem:
        raise NoAnswer(f"the policy does not fit into a bundle: {problem}") from None
