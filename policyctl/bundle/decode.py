"""The bytes of a bundle back to the policy, or a refusal: nothing is parsed before its digest was checked."""

from __future__ import annotations

from dataclasses import dataclass

from policyctl.bundle.canonical import Unsound, opened, parsed, sealed
from policyctl.bundle.encode import FORMAT, document
from policyctl.bundle.provenance import Provenance
from policyctl.bundle.reading import members, read
from policyctl.bundle.soundness import unsound
from policyctl.errors import BundleRejected
from policyctl.model.policy import Policy

__all__ = ["Bundle", "decode"]

_MEMBERS = frozenset({"format", "meaning", "policy", "provenance"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """A bundle that was verified; places in its policy keep their file, line and column.

    `digest` is over the whole document, `meaning` over the policy alone: equal meanings decide alike.
    """

    policy: Policy
    provenance: Provenance
    digest: str
    meaning: str


def decode(data: bytes) -> Bundle:
    """Return what the bytes of a bundle say.

    In this order: size, digest, strict JSON, format, every field back into the model, and whether a policy could
    say so; then the bundle is written again, which must give the same bytes. Raises BundleRejected with one line.
    """
    try:
        return _decode(data)
    except Unsound as problem:
        raise BundleRejected(f"the bundle is rejected: {problem}", help=_HELP) from None


_HELP = "get the file again from where it was made, or compile it again with `policyctl compile`"


def _decode(data: bytes) -> Bundle:
    body, digest = opened(data)
    found = parsed(body)
    _check_format(found)
    found = members(found, _MEMBERS, "it")
    policy = read(Policy, found["policy"], "policy")
    provenance = read(Provenance, found["provenance"], "provenance")
    if problem := unsound(policy, provenance):
        raise Unsound(problem)
    again = document(policy, provenance)
    if again["meaning"] != found["meaning"]:
        raise Unsound("the digest of its meaning is not that of its policy")
    if sealed(again)[0] != data:
        raise Unsound("it is not in the one spelling of a bundle")
    return Bundle(policy=policy, provenance=provenance, digest=digest, meaning=str(again["meaning"]))


def _check_format(found: object) -> None:
    claimed = found.get("format") if isinstance(found, dict) else None
    if not isinstance(claimed, int) or isinstance(claimed, bool) or claimed < 1:
        raise Unsound("it does not say its format")
    if claimed > FORMAT:
        newest = f"{FORMAT}, the newest that this version of policyctl reads"
        raise BundleRejected(
            f"the bundle is rejected: its format {claimed} is newer than {newest}", help="upgrade policyctl"
        )
