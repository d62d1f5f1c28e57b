"""What a change of the policy does to replayed jobs: figures of each program before and after, over all seeds."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

__all__ = ["Figure", "FigureKind", "Impact", "ProgramImpact"]


class FigureKind(StrEnum):
    """What is measured: a part of one (`delivery`), seconds (`wait`), a count, GPU-hours (`lost`, `protection`)."""

    DELIVERY = "delivery"
    WAIT = "wait"
    PREEMPTIONS = "preemptions"
    LOST = "lost"
    PROTECTION = "protection"


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One figure: means over the seeds before and after, and the least and the largest difference of any seed.

    `size` is that of the jobs that wait, None for other kinds.
    """

    kind: FigureKind
    size: str | None = None
    before: float
    after: float
    least: float
    most: float

    @property
    def differs(self) -> bool:
        """Say whether any seed shows a difference."""
        return bool(self.least or self.most)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramImpact:
    """The figures of one program, `/` for all; one that cannot be said (nothing owed, no such job) is not there."""

    account: str
    figures: tuple[Figure, ...]

    def figure(self, kind: FigureKind, size: str | None = None) -> Figure | None:
        """Return one figure, or None."""
        return next((one for one in self.figures if (one.kind, one.size) == (kind, size)), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Impact:
    """Both policies on the same jobs and luck, `/` first; `jobs` counts those of one seed, at most."""

    seeds: tuple[int, ...]
    jobs: int
    programs: tuple[ProgramImpact, ...]

    @property
    def visible(self) -> bool:
        """Say whether any figure of any seed differs."""
        return any(figure.differs for one in self.programs for figure in one.figures)
