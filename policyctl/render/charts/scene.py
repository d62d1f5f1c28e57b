"""What all drawings of one report share, so that they can be compared: programs and their inks, pools, time, scales."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from policyctl.model.measures import Measures, SimulationReport
from policyctl.render.charts.ink import SERIES

__all__ = ["Scene", "Table", "labels", "scene_of"]

_APART = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """The same figures to read: a header, and rows as wide; `texts` are the columns that hold words, not numbers."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    texts: frozenset[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """`programs` have an ink each, in the order of their paths; `others` are those beyond the number of inks.

    `apart` are the largest of the others, which tables list by their names. `[start, end)` covers the simulated time of every contestant.
    """

    contestants: tuple[Measures, ...]
    labels: tuple[str, ...]
    programs: tuple[str, ...]
    others: tuple[str, ...]
    apart: tuple[str, ...]
    pools: tuple[str, ...]
    start: int
    end: int

    @property
    def listed(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """What tables list: each program by its path, at last all that are left together."""
        rest = tuple(sorted({*self.others} - {*self.apart}))
        alone = tuple((path, (path,)) for path in (*self.programs, *self.apart))
        return (*alone, (f"{len(rest)} further", rest)) if rest else alone


def labels(report: SimulationReport) -> tuple[str, ...]:
    """Return a name for each contestant that no other has: with its seed where there are several."""
    seeds = {one.seed for one in report.contestants}
    names = [f"{one.name}, seed {one.seed}" if len(seeds) > 1 else one.name for one in report.contestants]
    return tuple(
        f"{name} ({names[: number + 1].count(name)})" if names.count(name) > 1 else name
        for number, name in enumerate(names)
    )


def scene_of(report: SimulationReport) -> Scene:
    """Return the scene of a report with at least one contestant."""
    delivered: dict[str, float] = defaultdict(float)
    pools: set[str] = set()
    for one in report.contestants:
        for group in one.programs:
            delivered[group.path] += group.delivered + group.owed
        for series in one.series:
            pools.add(series.pool)
            for program in series.programs:
                delivered[program.account] += 0.0
    largest = sorted(delivered, key=lambda path: (-delivered[path], path))
    return Scene(
        contestants=report.contestants,
        labels=labels(report),
        programs=tuple(sorted(largest[:SERIES])),
        others=tuple(sorted(largest[SERIES:])),
        apart=tuple(sorted(largest[SERIES : SERIES + _APART])),
        pools=tuple(sorted(pools)),
        start=min(one.start for one in report.contestants),
        end=max(one.end for one in report.contestants),
    )
