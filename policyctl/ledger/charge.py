"""What each run costs: protected, past its protection, opportunistic, and protection bought but left unused.

Amounts are exact integers in ticks. One tick is a thousandth of a GPU for one second, divided by the smallest number
that makes every rate of the pool whole; with a half-life, where weights are irrational, a thousandth of that, and
each run is rounded to it. Sums of integers do not depend on their order.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

import numpy as np
import numpy.typing as npt

from policyctl.errors import NoAnswer
from policyctl.ledger.window import Lookback
from policyctl.model.policy import Charge

__all__ = ["SAFE_TICKS", "Rates", "RunCharges", "Runs", "charge_runs", "must_fit", "rates_of"]

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
_DECAY_TICKS = 1000
SAFE_TICKS = 2**61
"""Amounts of ticks below this can be added up in 64 bits, with room for one more of the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """Ticks per milli-GPU-second in each situation; `per_unit` ticks make one milli-GPU-second at rate 1."""

    per_unit: int
    protected: int
    after_protection: int
    opportunistic: int
    unused_protection: int

    def gpu_hours(self, ticks: int) -> float:
        """Return an amount in GPU-hours, for printing."""
        return ticks / (self.per_unit * 3_600_000)

    def exact_gpu_hours(self, ticks: Fraction | int) -> Fraction:
        """Return an amount in GPU-hours, exactly."""
        return Fraction(ticks) / (self.per_unit * 3_600_000)


def rates_of(charge: Charge, pool_rate: Fraction, *, decays: bool) -> Rates:
    """Return the rates of a pool in whole ticks."""
    exact = (
        pool_rate * charge.protected,
        pool_rate * charge.after_protection,
        pool_rate * charge.opportunistic,
        pool_rate * charge.protected * charge.unused_protection,
    )
    per_unit = lcm(*(rate.denominator for rate in exact)) * (_DECAY_TICKS if decays else 1)
    protected, after, opportunistic, unused = (int(rate * per_unit) for rate in exact)
    return Rates(
        per_unit=per_unit,
        protected=protected,
        after_protection=after,
        opportunistic=opportunistic,
        unused_protection=unused,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Runs:
    """Runs of one pool as columns: instants in seconds, GPUs in thousandths, `protection` in seconds.

    `end` is where the run ended; `open` marks runs that still go on, whose `end` is not read. `taken_away` marks runs
    that the cluster ended (preempted, node failed): their unused protection is nobody's to pay.
    """

    gpus: Ints
    start: Ints
    end: Ints
    open: Bools
    funded: Bools
    protection: Ints
    taken_away: Bools


@dataclass(frozen=True, slots=True, kw_only=True)
class RunCharges:
    """Per run, in ticks: `charged` so far in the window, `committed` for the protection still to come.

    `opportunistic` is the second ledger: weighted GPU time of runs that are not funded, at rate 1, in ticks.
    """

    charged: Ints
    committed: Ints
    opportunistic: Ints


def charge_runs(runs: Runs, rates: Rates, window: Lookback) -> RunCharges:
    """Charge every run over the window, in closed form."""
    now = window.now
    end = np.where(runs.open, now, np.minimum(runs.end, now))
    end = np.maximum(end, np.minimum(runs.start, now))
    until = np.where(runs.funded, runs.start + runs.protection, runs.start)
    guarded = window.weigh_intervals(runs.start, np.minimum(end, until))
    rest = window.weigh_intervals(np.minimum(np.maximum(until, runs.start), end), end)
    rest_rate = np.where(runs.funded, rates.after_protection, rates.opportunistic)

    ended = ~runs.open & (runs.end <= now)
    unused = np.where(runs.funded & ended & ~runs.taken_away, np.maximum(until - runs.end, 0), 0)
    unused_weight = window.weigh_instants(runs.end)
    still_to_come = np.where(runs.funded & ~ended, np.maximum(until - np.maximum(now, runs.start), 0), 0)
    priced = unused * unused_weight
    _must_fit(runs, rates, (guarded, rest, priced, still_to_come))
    return RunCharges(
        charged=_ticks(
            runs.gpus * (rates.protected * guarded + rest_rate * rest + rates.unused_protection * priced)
        ),
        committed=runs.gpus * still_to_come * rates.protected,
        opportunistic=_ticks(np.where(runs.funded, 0, runs.gpus * (rates.per_unit * rest))),
    )


def _must_fit(
    runs: Runs, rates: Rates, seconds: Iterable[npt.NDArray[np.int64] | npt.NDArray[np.float64]]
) -> None:
    """Refuse to answer where whole ticks could leave 64 bits: a sum that wrapped around would read as credit."""
    rate = max(rates.per_unit, rates.protected, rates.after_protection, rates.opportunistic)
    time = sum(float(np.dot(runs.gpus.astype(np.float64), part)) for part in seconds)
    must_fit(time * rate)


def must_fit(ticks: float) -> None:
    """Raise NoAnswer for an amount of ticks that 64-bit sums cannot be trusted with."""
    if ticks >= SAFE_TICKS:
        raise NoAnswer(
            "the GPU time of this pool does not fit into 64 bits",
            help="use rates with smaller denominators, such as `1/2`, or lower the caps on protection",
        )


def _ticks(amount: npt.NDArray[np.int64] | npt.NDArray[np.float64]) -> Ints:
    if amount.dtype == np.int64:
        return np.asarray(amount, dtype=np.int64)
    return np.rint(amount).astype(np.int64)
