"""What a simulation leaves behind: every run, every decision to preempt, and the jobs that could never start."""

from __future__ import annotations

from dataclasses import dataclass, field

from policyctl.model.jobs import Outcome
from policyctl.sim.nodes import Placement

__all__ = ["Eviction", "Hold", "Record", "Run"]


@dataclass(frozen=True, slots=True)
class Run:
    """One run of one job: `[start, end)`, what it was granted, and how much of it counted.

    `protection` is what its contract protected, in seconds; `computed` the seconds of work that were kept at its end,
    `lost` those that were done and have to be done again, restart overhead included. `outcome` None is still running.
    """

    row: int
    attempt: int
    start: int
    end: int
    outcome: Outcome | None
    funded: bool
    protection: int
    computed: int
    lost: int
    placement: Placement


@dataclass(frozen=True, slots=True)
class Eviction:
    """A granted plan: for which job, when, and which jobs had to leave."""

    at: int
    row: int
    victims: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Hold:
    """GPUs that belonged to a job from the plan made for it until its start, or until the plan was given up."""

    row: int
    since: int
    until: int
    placement: Placement


@dataclass(slots=True)
class Record:
    """Everything that happened in one pool, in the order in which it happened.

    `submitted` has the instant of each job's first submission, by row; `waits` lists (row, since, until) for every
    wait, `until` None where it goes on. `impossible` are jobs that the pool could not hold even if empty.
    """

    submitted: dict[int, int] = field(default_factory=dict)
    waits: list[tuple[int, int, int | None]] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)
    evictions: list[Eviction] = field(default_factory=list)
    holds: list[Hold] = field(default_factory=list)
    refusals: int = 0
    impossible: list[int] = field(default_factory=list)
