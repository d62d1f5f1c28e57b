"""Where a bundle comes from: the commit, whether the folder differed from it, and the digest of each file."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["SCHEMA_VERSION", "Provenance", "digests"]

SCHEMA_VERSION = "policyctl/v1"
"""The `apiVersion` of the documents that this version reads."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """What a bundle was compiled from; no part of its meaning.

    `commit` is the full name of the commit, None where there is none; `dirty` says whether the policy files
    differed from it, None where nobody can say. `sources` maps each file, relative to the policy root with `/`,
    to `sha256:` and 64 hexadecimal digits.
    """

    commit: str | None = None
    dirty: bool | None = None
    sources: Mapping[str, str] = field(default_factory=dict)
    schema_version: str = SCHEMA_VERSION


def digests(files: Mapping[str, bytes]) -> dict[str, str]:
    """Return the SHA-256 digest of each file, by its path, in the order of the paths."""
    return {path: f"sha256:{hashlib.sha256(files[path]).hexdigest()}" for path in sorted(files)}
