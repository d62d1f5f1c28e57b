"""Step functions of time as columns: levels that change at instants, and exact integrals of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = ["Steps", "steps_of"]

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Steps:
    """A level from each instant of `at` (rising) until the next one, the last level for ever, 0 before the first."""

    at: Ints
    level: Ints

    def on(self, instants: Ints) -> Ints:
        """Return the level at each instant."""
        place = np.searchsorted(self.at, instants, side="right") - 1
        return (
            np.where(place >= 0, self.level[place], 0) if len(self.at) else np.zeros(len(instants), np.int64)
        )

    def until(self, instants: Ints) -> Ints:
        """Return the integral from the beginning of time to each instant."""
        if not len(self.at):
            return np.zeros(len(instants), np.int64)
        before = np.concatenate(([0], np.cumsum(self.level[:-1] * np.diff(self.at))))
        place = np.searchsorted(self.at, instants, side="right") - 1
        inside = before[place] + self.level[place] * (instants - self.at[place])
        return np.where(place >= 0, inside, 0)

    def between(self, edges: Ints) -> Ints:
        """Return the integral between each edge and the next one."""
        return np.diff(self.until(edges))


def steps_of(starts: Ints, ends: Ints, levels: Ints) -> Steps:
    """Add up levels that hold during `[start, end)` each."""
    at = np.concatenate((starts, ends))
    change = np.concatenate((levels, -levels))
    instants, place = np.unique(at, return_inverse=True)
    summed = np.zeros(len(instants), np.int64)
    np.add.at(summed, place, change)
    return Steps(instants, np.cumsum(summed))
