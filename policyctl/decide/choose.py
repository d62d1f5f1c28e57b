"""Choosing victims: the order in which they are taken, and whoever turns out not to be needed left alone.

Opportunistic victims before funded ones, then the branch furthest ahead, then the least work at risk, the latest
start, the id; dropped again in the opposite order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cmp_to_key
from itertools import pairwise
from typing import Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from policyctl.decide.claim import Ahead, compare_ahead
from policyctl.decide.judge import HOUR, Judgement
from policyctl.model.policy import Preemption

__all__ = ["Freeing", "choose", "hourly_allowance"]

Ints = npt.NDArray[np.int64]
Key = TypeVar("Key")
Key_contra = TypeVar("Key_contra", contravariant=True)


class Freeing(Protocol[Key_contra]):
    """A try-out: running jobs are taken away and put back, and it says whether the asking job would fit."""

    def remove(self, job: Key_contra) -> None:
        """Take a running job away."""

    def restore(self, job: Key_contra) -> None:
        """Put a job back that was taken away."""

    def fits(self) -> bool:
        """Say whether the job could start now."""


def hourly_allowance(preemption: Preemption) -> Fraction | None:
    """Return what a pool may lose in an hour, in thousandths of a GPU times seconds; None without a limit."""
    limit = preemption.max_gpu_hours_per_hour
    return None if limit is None else limit * HOUR * 1000


def choose(
    judged: Judgement,
    trial: Freeing[Key],
    key: Callable[[int], Key],
    *,
    lost: int,
    wanted: npt.NDArray[np.bool_],
) -> list[int] | None:
    """Return the places of the victims that make room, or None where all that may be taken do not.

    The victims judged are in the order of their ids; `key` names a place's job to the trial, `lost` is the GPU time
    that the pool lost within the last hour, `wanted` the victims that may be taken at all.
    """
    allowance = hourly_allowance(judged.claim.situation.policy.preemption)
    chosen: list[int] = []
    for place in _preference(judged, np.flatnonzero(wanted)):
        if allowance is None or lost + int(judged.at_risk[place]) <= allowance:
            trial.remove(key(place))
            chosen.append(place)
            if trial.fits():
                return _needed(trial, key, chosen)
    return None


def _needed(trial: Freeing[Key], key: Callable[[int], Key], chosen: Sequence[int]) -> list[int]:
    """Drop victims that turn out not to be needed, the last taken first."""
    needed = []
    for place in reversed(chosen):
        trial.restore(key(place))
        if not trial.fits():
            trial.remove(key(place))
            needed.append(place)
    return sorted(needed)


def _preference(judged: Judgement, places: Ints) -> list[int]:
    start = judged.claim.situation.running.start[judged.rows[places]]
    branch = _steps([judged.claim.ahead(found) for found in judged.branches])[judged.branch[places]]
    order = np.lexsort((places, -start, judged.at_risk[places], branch, judged.funded[places]))
    chosen: list[int] = places[order].tolist()
    return chosen


def _steps(ahead: Sequence[Ahead]) -> Ints:
    """Return for each branch its place from the furthest ahead on, equal ones alike."""

    def compare(one: int, other: int) -> int:
        return compare_ahead(ahead[other], ahead[one])

    order = sorted(range(len(ahead)), key=cmp_to_key(compare))
    steps = np.zeros(len(ahead), np.int64)
    for before, after in pairwise(order):
        steps[after] = steps[before] + (compare_ahead(ahead[before], ahead[after]) != 0)
    return steps
