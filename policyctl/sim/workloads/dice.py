"""Chance in sequence: numbers that depend on a seed, a purpose and how many were drawn before, and on nothing else.

SplitMix64 (from "Fast splittable pseudorandom number generators", OOPSLA 2014) in whole numbers, so that a
workload has the same bytes on every machine and under every version of Python.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable
from hashlib import blake2b
from itertools import accumulate

__all__ = ["Dice", "Wheel"]

_MASK = 2**64 - 1
_FAR = 300.0
"""Beyond this power of e a lognormal number is as good as nothing, or everything; it can be computed with on both sides."""


class Dice:
    """A sequence of numbers of its own for each purpose: drawing more for one changes no other."""

    def __init__(self, seed: int, *purpose: str | int) -> None:
        text = "\0".join([str(seed), *map(str, purpose)])
        self._state = int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big")

    def unit(self) -> float:
        """Return a number in [0, 1)."""
        self._state = mixed = (self._state + 0x9E3779B97F4A7C15) & _MASK
        mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & _MASK
        return ((mixed ^ (mixed >> 31)) >> 11) / 2**53

    def below(self, bound: int) -> int:
        """Return a whole number in [0, bound)."""
        return int(self.unit() * bound)

    def between(self, low: float, high: float) -> float:
        """Return a number in [low, high)."""
        return low + self.unit() * (high - low)

    def happens(self, probability: float) -> bool:
        """Say yes with this probability."""
        return self.unit() < probability

    def around(self, median: float, spread: float) -> float:
        """Return a lognormal number: half of them are below the median, `spread` is the deviation of their logarithm."""
        radius = math.sqrt(-2.0 * math.log(1.0 - self.unit()))
        power = spread * radius * math.cos(2.0 * math.pi * self.unit())
        return median * math.exp(max(-_FAR, min(_FAR, power)))

    def run_length(self, mean: float) -> int:
        """Return a geometric number, at least 1."""
        if mean <= 1:
            return 1
        return 1 + int(math.log(1.0 - self.unit()) / math.log(1.0 - 1.0 / mean))


class Wheel:
    """Places to pick by weight; the weights are not negative, and not all zero."""

    def __init__(self, weights: Iterable[float]) -> None:
        self._sums = list(accumulate(weights))

    def pick(self, dice: Dice) -> int:
        """Return one place; a place of weight zero never comes."""
        return bisect_right(self._sums, dice.unit() * self._sums[-1])
