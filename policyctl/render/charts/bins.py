"""A series in no more bins than a drawing or a table can show: neighbours are taken together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from policyctl.model.measures import PoolSeries

__all__ = ["FINE", "ROWS", "Coarse", "coarse"]

FINE = 160
"""Bins in a drawing, which is not much wider than twice as many pixels."""
ROWS = 31
"""Bins in a table that somebody reads."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Coarse:
    """Bins of `together` bins of a series each; `edges` are their borders in seconds, one more than there are bins."""

    together: int
    edges: tuple[int, ...]

    def mean(self, values: Sequence[float]) -> list[float]:
        """Return the mean over each bin, for what is a mean already."""
        return [sum(group) / len(group) for group in self._groups(values)]

    def last(self, values: Sequence[float]) -> list[float]:
        """Return the value at the end of each bin."""
        return [group[-1] for group in self._groups(values)]

    def total(self, values: Sequence[float]) -> list[float]:
        """Return the sum over each bin, for what is counted."""
        return [sum(group) for group in self._groups(values)]

    def _groups(self, values: Sequence[float]) -> list[Sequence[float]]:
        return [values[at : at + self.together] for at in range(0, len(values), self.together)]


def coarse(series: PoolSeries, most: int, end: int) -> Coarse:
    """Return how to take the bins of a series together so that there are at most `most`; the last one stops at `end`."""
    together = max(1, math.ceil(series.bins / most))
    starts = range(0, series.bins, together)
    edges = [series.start + at * series.width for at in starts]
    return Coarse(together=together, edges=(*edges, min(end, series.start + series.bins * series.width)))
