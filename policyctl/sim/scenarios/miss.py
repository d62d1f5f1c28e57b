"""What a verdict says: whether an expectation held, and each place where it did not, with the numbers compared."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from policyctl.sim.scenarios.expectations import Expectation

__all__ = ["Miss", "Verdict"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Miss:
    """One thing that came out otherwise: `seen` (None: never) beside the `bound` it should have kept.

    `subject` is a job, an account, or a pattern that matches no job (unit `jobs`, nothing seen). Seconds are lengths,
    `instant` is a point in time, parts are of one.
    """

    subject: str
    seen: int | Fraction | None
    bound: int | Fraction
    unit: Literal["seconds", "instant", "times", "part", "jobs"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """An expectation, how many jobs it was held to, and where it was missed."""

    expectation: Expectation
    jobs: int
    misses: tuple[Miss, ...]

    @property
    def held(self) -> bool:
        """Say whether everything came out as expected."""
        return not self.misses
