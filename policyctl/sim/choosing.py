"""Which of the tried options to choose, and whether the runs say so or only the rhythm of the workload does.

The rhythm sets a floor: a window should span a whole burst and idle spell of a typical program, and the jobs and
protections that fill it, or it forgets who used what before the answer matters. Among the options whose window reaches
the floor the cheapest is chosen. The cost of an option in one setting (a load and a seed) is

    sum over m in (volatility, recovery, wait of nine in ten, lost part) of (x_m - best_m) / max(mean_m, enough_m)

with best and mean over all options in that setting, and `enough` the amount below which a difference matters to nobody.
Options tie with the cheapest while the mean of their paired differences over all settings is within the 95 % quantile
of Student's t times its standard error. Of those that tie, the shortest window is taken.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import sqrt
from statistics import fmean, stdev

from policyctl.model.sweep import Cadence, Choice, Option, Row, Why

__all__ = ["ENOUGH", "choose_option", "costs_by_setting"]

ENOUGH = {"volatility": 0.01, "recovery": 3600.0, "wait_p90": 600.0, "lost_part": 0.01}
"""What is compared, and the amount below which a difference counts as small: parts of one, and seconds."""
_STUDENT = (12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26)
"""Two-sided 95 % quantiles by degrees of freedom, from 1 on; 2 beyond."""
Costs = tuple[tuple[float, ...], ...]


def choose_option(
    options: Sequence[Option], rows: Sequence[Row], rhythm: Cadence, *, cap: int, span: int
) -> Choice:
    """Choose; `cap` is the longest protection that can be bought and `span` what was simulated, in seconds."""
    costs = costs_by_setting(options, rows)
    floor = max(rhythm.cycle or 0, rhythm.job_long, cap)
    allowed = [place for place, option in enumerate(options) if option.window >= floor]
    covering = allowed or _longest(options)
    means = [fmean(column) for column in costs]
    best = min(covering, key=lambda place: (means[place], _size(options[place], place)))
    ties = tuple(place for place in covering if not _above(costs[place], costs[best]))
    chosen = min(ties, key=lambda place: _size(options[place], place))
    shorter = [place for place in range(len(options)) if place not in covering]
    contradicted = any(_above(costs[chosen], costs[place]) for place in shorter)
    doubts = (
        *_doubts(options, rows, ties, span=span),
        *((Why.SHORTER_IS_CHEAPER,) if contradicted else ()),
    )
    covers = _covers(rhythm, floor, cap=cap, reached=bool(allowed))
    why = (covers, *(doubts or (Why.LOWEST_COST,)))
    return Choice(
        option=chosen, decided=not doubts, why=why, floor=floor, costs=tuple(means), ties=tuple(sorted(ties))
    )


def _longest(options: Sequence[Option]) -> list[int]:
    longest = max(option.window for option in options)
    return [place for place, option in enumerate(options) if option.window == longest]


def _size(option: Option, place: int) -> tuple[int, int, int]:
    """Order options by their memory, shortest first, and then as they were asked for."""
    half_life = option.window if option.half_life is None else option.half_life
    return (option.window, half_life, place)


def _covers(rhythm: Cadence, floor: int, *, cap: int, reached: bool) -> Why:
    if not reached:
        return Why.NONE_COVERS
    if rhythm.cycle is not None and floor == rhythm.cycle:
        return Why.COVERS_CYCLE
    return Why.COVERS_CAP if floor == cap and cap > rhythm.job_long else Why.COVERS_JOBS


def _doubts(
    options: Sequence[Option], rows: Sequence[Row], ties: Sequence[int], *, span: int
) -> Iterator[Why]:
    """Yield what keeps the runs from deciding."""
    if len(options) == 1:
        yield Why.ONLY_OPTION
        return
    if min(len(row.scores) for row in rows) == 1:
        yield Why.ONE_SEED
    elif all(len(set(row.scores)) == 1 for row in rows):
        yield Why.NO_LUCK
    elif len(ties) > 1:
        yield Why.WITHIN_SPREAD
    if all(score.returns == 0 for row in rows for score in row.scores):
        yield Why.NO_RETURNS
    if span < 2 * max(option.window for option in options):
        yield Why.TOO_SHORT


def costs_by_setting(options: Sequence[Option], rows: Sequence[Row]) -> Costs:
    """Return for each option its cost in every setting (load, then seed), in one order for all."""
    loads = list(dict.fromkeys(row.point.load for row in rows))
    settings = [cost for load in loads for cost in _settings(options, rows, load)]
    return tuple(zip(*settings, strict=True))


def _settings(options: Sequence[Option], rows: Sequence[Row], load: Fraction) -> Iterator[tuple[float, ...]]:
    """Yield for each seed the costs of all options under a load."""
    found = {row.point.option: row for row in rows if row.point.load == load}
    ordered = [found[option] for option in options]
    for seed in range(len(ordered[0].scores)):
        totals = [0.0] * len(ordered)
        for name, enough in ENOUGH.items():
            values = [getattr(row.scores[seed], name) for row in ordered]
            if None not in values:
                scale = max(fmean(values), enough)
                totals = [
                    total + (value - min(values)) / scale for total, value in zip(totals, values, strict=True)
                ]
        yield tuple(totals)


def _above(one: Sequence[float], other: Sequence[float]) -> bool:
    """Say whether one costs more than another by more than luck would explain."""
    differences = [mine - theirs for mine, theirs in zip(one, other, strict=True)]
    mean = fmean(differences)
    if len(differences) < 2:
        return mean > 0
    quantile = _STUDENT[len(differences) - 2] if len(differences) - 2 < len(_STUDENT) else 2.0
    return mean > quantile * stdev(differences) / sqrt(len(differences))
