"""What one run costs: rates, unused protection, the second ledger, and amounts that are too large."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from policyctl.errors import NoAnswer
from policyctl.ledger.charge import Rates, Runs, charge_runs, rates_of
from policyctl.ledger.window import lookback
from policyctl.model.policy import Charge, SlidingWindow
from policyctl.units import Seconds

TENTHS = Charge(
    protected=Fraction(1),
    after_protection=Fraction(1, 2),
    opportunistic=Fraction(1, 10),
    unused_protection=Fraction(1, 4),
)


def run(
    start: int, end: int | None, *, protection: int | None, taken_away: bool = False, gpus: int = 2000
) -> Runs:
    """Make one run of two GPUs; `protection` None is opportunistic, `end` None still running."""
    return Runs(
        gpus=np.array([gpus]),
        start=np.array([start]),
        end=np.array([start if end is None else end]),
        open=np.array([end is None]),
        funded=np.array([protection is not None]),
        protection=np.array([protection or 0]),
        taken_away=np.array([taken_away]),
    )


def gpu_seconds(one: Runs, *, length: int = 10_000) -> tuple[Fraction, Fraction, Fraction]:
    """Return (charged, committed, opportunistic) at instant 0, in GPU-seconds of rate 1."""
    rates = rates_of(TENTHS, Fraction(1), decays=False)
    found = charge_runs(one, rates, lookback(SlidingWindow(length=Seconds(length)), 0))
    unit = rates.per_unit * 1000
    charged, committed, spare = (
        Fraction(int(column[0]), unit) for column in (found.charged, found.committed, found.opportunistic)
    )
    return charged, committed, spare


@pytest.mark.parametrize(
    ("one", "charged", "committed", "spare"),
    [
        pytest.param(
            run(-30, None, protection=100), 60, 140, 0, id="protected so far, the rest is committed"
        ),
        pytest.param(run(-100, None, protection=100), 200, 0, 0, id="protection ends now"),
        pytest.param(run(-130, None, protection=100), 230, 0, 0, id="cheaper after protection"),
        pytest.param(run(0, None, protection=100), 0, 200, 0, id="starts now"),
        pytest.param(run(-30, None, protection=0), 30, 0, 0, id="capped to no protection at all"),
        pytest.param(run(-30, None, protection=None), 6, 0, 60, id="opportunistic, in both ledgers"),
        pytest.param(
            run(-80, -20, protection=100), 120 + 20, 0, 0, id="ended early: a quarter of what is left"
        ),
        pytest.param(run(-80, -20, protection=60), 120, 0, 0, id="ended with its protection"),
        pytest.param(
            run(-80, -20, protection=100, taken_away=True), 120, 0, 0, id="taken away: nothing unused"
        ),
        pytest.param(run(-80, 0, protection=100), 160 + 10, 0, 0, id="ended this instant"),
        pytest.param(run(-80, 5, protection=100), 160, 40, 0, id="ends after now: as if it ran"),
        pytest.param(run(-80, -80, protection=100), 50, 0, 0, id="ended as it started"),
        pytest.param(run(-80, -20, protection=None), 12, 0, 120, id="opportunistic and over"),
    ],
)
def test_the_price_of_a_run(one: Runs, charged: int, committed: int, spare: int) -> None:
    assert gpu_seconds(one) == (Fraction(charged), Fraction(committed), Fraction(spare))


@pytest.mark.parametrize(
    ("end", "charged"),
    [
        pytest.param(-100, 50, id="at the age of the window its unused protection still counts"),
        pytest.param(-101, 0, id="a second older it is forgotten"),
        pytest.param(-99, 2 + 49.5, id="the last second inside counts too"),
    ],
)
def test_unused_protection_is_charged_at_the_instant_of_the_end(end: int, charged: float) -> None:
    one = run(end - 200, end, protection=300 if end != -99 else 299)
    assert gpu_seconds(one, length=100)[0] == Fraction(charged)


def test_eight_gpus_are_charged_eight_times_as_much() -> None:
    single, eight = (gpu_seconds(run(-30, None, protection=100, gpus=gpus)) for gpus in (1000, 8000))
    assert eight == tuple(8 * amount for amount in single)


def test_odd_rates_stay_exact() -> None:
    rates = rates_of(Charge(protected=Fraction(1, 3)), Fraction(5, 7), decays=False)
    assert Fraction(rates.protected, rates.per_unit) == Fraction(5, 21)
    assert Fraction(rates.unused_protection, rates.per_unit) == Fraction(5, 42)


@pytest.mark.parametrize(
    "rates",
    [
        pytest.param(rates_of(Charge(), Fraction("0.1234567891"), decays=True), id="a rate of many digits"),
        pytest.param(
            rates_of(Charge(), Fraction(1, 10**18 - 1), decays=False), id="a denominator beyond any"
        ),
    ],
)
def test_what_does_not_fit_into_64_bits_is_no_answer(rates: Rates) -> None:
    huge = run(-10_000_000, None, protection=None, gpus=10_000_000)
    with pytest.raises(NoAnswer, match="does not fit into 64 bits"):
        charge_runs(huge, rates, lookback(SlidingWindow(length=Seconds(10**7)), 0))
