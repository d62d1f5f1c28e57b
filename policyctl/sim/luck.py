"""Chance, by purpose: the same question gets the same answer under every policy, whatever was asked before."""

from __future__ import annotations

from hashlib import blake2b

__all__ = ["chance"]


def chance(seed: int, purpose: str, *about: str | int) -> float:
    """Return a number in [0, 1) that depends on the seed, the purpose and what it is about, and on nothing else."""
    text = "\0".join([str(seed), purpose, *map(str, about)])
    return int.from_bytes(blake2b(text.encode(), digest_size=7).digest(), "big") / 2**56
