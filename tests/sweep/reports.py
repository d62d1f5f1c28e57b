"""A sweep report with everything in it, for those who write it."""

from __future__ import annotations

from fractions import Fraction

from policyctl.model.sweep import (
    Cadence,
    CapChange,
    Option,
    Point,
    ProgramCadence,
    Row,
    Score,
    SweepReport,
)
from policyctl.sim.choosing import choose_option
from policyctl.units import Seconds
from tests.sweep.small import DAY, HOUR, START

__all__ = ["report"]

_OPTIONS = (
    Option(window=Seconds(DAY), half_life=None),
    Option(window=Seconds(7 * DAY), half_life=Seconds(84 * HOUR), cap=CapChange(factor=Fraction(1, 2))),
    Option(window=Seconds(14 * DAY), half_life=None, cap=CapChange(default=Seconds(8 * HOUR))),
)
_CADENCE = Cadence(
    jobs=1234,
    job=3 * HOUR,
    job_long=9 * HOUR,
    cycle=5 * DAY,
    programs=(
        ProgramCadence(
            account="/language",
            bursts=4,
            burst=2 * DAY,
            spells=3,
            spell=3 * DAY,
            longest_spell=4 * DAY,
        ),
        ProgramCadence(account="/vision", bursts=1, burst=30 * DAY, spells=0, spell=None, longest_spell=None),
    ),
)


def _score(seed: int, volatility: float, recovery: float, wait: float) -> Score:
    return Score(
        volatility=volatility + 0.001 * seed,
        returns=3,
        recovered=2,
        recovery=recovery + 300 * seed,
        wait_median=wait / 10,
        wait_p90=wait + 60 * seed,
        delivered=12_345.6,
        lost=123.4 + seed,
        preemptions=40 + seed,
        occupancy=0.987,
        delivery_ratio=0.99,
    )


def report(*, days: int = 40, title: str = "lab.json under the policy", loads: int = 1) -> SweepReport:
    """Return a report about three options over so many days, under so many loads."""
    figures = ((0.12, 5 * HOUR, HOUR), (0.05, 2 * HOUR, 2 * HOUR), (0.04, 30 * HOUR, 2 * HOUR))
    rows = tuple(
        Row(
            point=Point(option=option, load=Fraction(load)),
            scores=tuple(_score(seed, *figure) for seed in (1, 2, 3)),
        )
        for option, figure in zip(_OPTIONS, figures, strict=True)
        for load in range(1, loads + 1)
    )
    return SweepReport(
        title=title,
        command="policyctl sweep --workload lab.json --window 1d,7d,14d",
        version="1.2.3",
        digests={"workload": "sha256:" + "b" * 64, "policy": "sha256:" + "a" * 64},
        start=START,
        end=START + days * DAY,
        seeds=(1, 2, 3),
        jitter=600,
        options=_OPTIONS,
        rows=rows,
        cadence=_CADENCE,
        choice=choose_option(_OPTIONS, rows, _CADENCE, cap=8 * HOUR, span=days * DAY),
    )
