"""The nouns of a sweep: the policies that were tried, how each did, the rhythm of the workload, and what to choose.

Times are seconds, GPU time is GPU-hours, shares and ratios are parts of one. Every formula is in `docs/simulating.md`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from statistics import fmean

from policyctl.units import Seconds

__all__ = [
    "Cadence",
    "CapChange",
    "Choice",
    "Option",
    "Point",
    "ProgramCadence",
    "Row",
    "Score",
    "SweepReport",
    "Why",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class CapChange:
    """What becomes of the protection caps: all of them times `factor`, or a `default` at the root instead of its own."""

    factor: Fraction | None = None
    default: Seconds | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """What may be chosen: a window, its half-life (None: all of it counts alike), and a change of the caps."""

    window: Seconds
    half_life: Seconds | None
    cap: CapChange | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """An option under a load: demand as a factor on that of the workload."""

    option: Option
    load: Fraction = Fraction(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """How one run did.

    `volatility` is the part of delivered GPU time that goes to other programs than the day before, averaged over days
    and pools; None below two days. `recovery` is the mean time that a returning program took to its share, those that
    never had it counted until the end; None where nobody returned.
    """

    volatility: float | None
    returns: int
    recovered: int
    recovery: float | None
    wait_median: float
    wait_p90: float
    delivered: float
    lost: float
    preemptions: int
    occupancy: float | None
    delivery_ratio: float | None

    @property
    def lost_part(self) -> float:
        """Work that had to be done again, as a part of delivered GPU time."""
        return self.lost / self.delivered if self.delivered > 0 else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One point and its scores, in the order of the sweep's seeds."""

    point: Point
    scores: tuple[Score, ...]

    def mean(self, name: str) -> float | None:
        """Return the mean of a figure over the seeds; None where any of them lacks it."""
        values = self.values(name)
        return fmean(values) if values else None

    def values(self, name: str) -> tuple[float, ...]:
        """Return a figure of every seed; empty where any of them lacks it."""
        found = tuple(getattr(score, name) for score in self.scores)
        return () if None in found else tuple(float(value) for value in found)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramCadence:
    """The rhythm in which one program asks: how often, and typical lengths (medians), None where there are none."""

    account: str
    bursts: int
    burst: int | None
    spells: int
    spell: int | None
    longest_spell: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Cadence:
    """The rhythm of a workload, in seconds.

    `job` and `job_long` are the lengths of jobs below which half and nine tenths of the GPU time lie. `cycle` is the
    median time from the beginning of a program's burst to the beginning of its next one, None where no program pauses.
    """

    jobs: int
    job: int
    job_long: int
    cycle: int | None
    programs: tuple[ProgramCadence, ...]


class Why(StrEnum):
    """What speaks for or against a choice."""

    COVERS_CYCLE = "covers_cycle"
    """The shortest that is allowed spans a whole burst and idle spell of a typical program."""
    COVERS_JOBS = "covers_jobs"
    """Nothing pauses; the window is held to be as long as the jobs that use most of the time."""
    COVERS_CAP = "covers_cap"
    """The window is held to be as long as the longest protection that can be bought."""
    NONE_COVERS = "none_covers"
    """Every window tried is shorter than that; the longest is named."""
    LOWEST_COST = "lowest_cost"
    """It costs least, and the others cost more by more than the seeds differ."""
    WITHIN_SPREAD = "within_spread"
    """Others cost as much, as far as the seeds can tell."""
    ONE_SEED = "one_seed"
    """With one seed nobody knows what a difference is worth."""
    NO_LUCK = "no_luck"
    """The seeds made no difference at all, so they cannot say what a difference is worth."""
    NO_RETURNS = "no_returns"
    """No program came back from an idle spell, so that half of the question was not asked."""
    TOO_SHORT = "too_short"
    """The workload is shorter than twice the longest window tried."""
    SHORTER_IS_CHEAPER = "shorter_is_cheaper"
    """A window that does not cover the rhythm did better, by more than the seeds differ."""
    ONLY_OPTION = "only_option"
    """There was nothing to choose between."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The option that would be chosen (by its place in `SweepReport.options`), whether the data decide, and why.

    `costs` has for each option how much it lies above the best one, added up over volatility, recovery, waits and lost
    work as parts of their means. `floor` is what the window should cover, in seconds. `ties` are the options that cost
    as much as far as the seeds can tell, the chosen one among them.
    """

    option: int
    decided: bool
    why: tuple[Why, ...]
    floor: int
    costs: tuple[float, ...]
    ties: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepReport:
    """A whole sweep: its points in the order in which they were asked for, and all that reproduces it.

    `jitter` is by how many seconds at most submissions were moved, by seed, so that seeds differ even where nothing
    fails by chance.
    """

    title: str
    command: str
    version: str
    digests: Mapping[str, str] = field(default_factory=dict)
    start: int
    end: int
    seeds: tuple[int, ...]
    jitter: int
    options: tuple[Option, ...]
    rows: tuple[Row, ...]
    cadence: Cadence
    choice: Choice
