"""Laws of the ledger: integrals do not depend on how often anyone asks, windows lie where the calendar says."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from policyctl.decide.situation import Situation
from policyctl.ledger.window import Lookback, lookback
from policyctl.model.jobs import ClusterState, Outcome
from policyctl.model.policy import CalendarWindow, Charge, Policy, SlidingWindow
from policyctl.units import Seconds
from tests.decide.small import ask, job, past, policy, state
from tests.oracle.windows import span_of
from tests.property.strategies import EXAMPLES, NOW, World, worlds

ZONES = (
    "UTC",
    "America/Los_Angeles",
    "Europe/Berlin",
    "Asia/Beirut",
    "America/Havana",
    "Australia/Lord_Howe",
    "Asia/Kathmandu",
    "Pacific/Apia",
)


def weight(window: Lookback, start: int, end: int) -> float:
    return float(window.weigh_intervals(np.array([start]), np.array([end]))[0])


@given(st.lists(st.integers(1, 5000), min_size=1, max_size=30), st.sampled_from([50, 3600, 86_400]))
@settings(max_examples=EXAMPLES, deadline=None)
def test_a_decaying_integral_does_not_depend_on_the_ticks_of_whoever_asks(
    ticks: list[int], half_life: int
) -> None:
    """Carried from tick to tick, `W <- W * 2^(-d/h) + w(d)`, it comes to the same as in one step."""
    window = SlidingWindow(length=Seconds(10**7), half_life=Seconds(half_life))
    carried, now = 0.0, int(NOW)
    for tick in ticks:
        now += tick
        carried = carried * math.pow(2, -tick / half_life) + weight(lookback(window, now), now - tick, now)
    assert math.isclose(carried, weight(lookback(window, now), NOW, now), rel_tol=1e-9)


@given(st.integers(-500, 500), st.integers(0, 500), st.integers(0, 500), st.sampled_from([None, 50, 1000]))
@settings(max_examples=EXAMPLES, deadline=None)
def test_two_parts_weigh_as_much_as_the_whole(
    start: int, first: int, second: int, half_life: int | None
) -> None:
    """Anywhere: before the window, across its edge, across `now`."""
    window = lookback(
        SlidingWindow(length=Seconds(300), half_life=None if half_life is None else Seconds(half_life)), 0
    )
    parts = weight(window, start, start + first) + weight(window, start + first, start + first + second)
    assert math.isclose(parts, weight(window, start, start + first + second), rel_tol=1e-9, abs_tol=1e-9)


@given(
    st.integers(1_300_000_000, 1_900_000_000),
    st.sampled_from(ZONES),
    st.sampled_from(["day", "day", "week", "month"]),
)
@settings(max_examples=2 * EXAMPLES, deadline=None)
def test_a_calendar_period_is_the_stretch_around_now_with_one_name(now: int, zone: str, unit: str) -> None:
    window = CalendarWindow(unit=unit, timezone=zone)  # type: ignore[arg-type]  # drawn from the words it takes
    fast, slow = lookback(window, now), span_of(window, now)
    assert (fast.start, fast.end) == (slow.start, slow.end)
    assert fast.start <= now < fast.end


def occupied(start: int, end: int, window: Lookback) -> int:
    return max(0, min(end, window.now) - max(start, window.start))


@given(worlds())
@settings(max_examples=EXAMPLES, deadline=None)
def test_at_rate_one_everything_that_is_charged_was_occupied(world: World) -> None:
    """The sum over all runs of GPUs times seconds in the window, split between the two ledgers, nothing twice."""
    charge = Charge(unused_protection=Fraction(0))
    plain = replace(
        world.policy,
        accounting=replace(world.policy.accounting, charge=charge),
        pools=tuple(replace(pool, charge_rate=Fraction(1)) for pool in world.policy.pools),
    )
    pool = Situation(policy=plain, state=world.state, now=NOW).pool("p")
    window = pool.window
    runs = [
        (job.start, NOW, job.gpus) for job in world.state.jobs if job.pool == "p" and job.start is not None
    ]
    runs += [
        (run.job.start, run.end, run.job.gpus)
        for run in world.state.usage
        if run.job.pool == "p" and run.job.start
    ]
    assert int(pool.book.charged[0] + pool.book.opportunistic[0]) == pool.rates.per_unit * sum(
        gpus * occupied(start, end, window) for start, end, gpus in runs
    )


@given(worlds())
@settings(max_examples=EXAMPLES, deadline=None)
def test_the_whole_is_charged_what_its_runs_are_charged_alone(world: World) -> None:
    """A state with one run only charges it the same: no run changes the price of another."""
    whole = Situation(policy=world.policy, state=world.state, now=NOW).pool("p").book
    jobs = [(job,) for job in world.state.jobs if job.pool == "p" and job.start is not None]
    runs = [(run,) for run in world.state.usage if run.job.pool == "p"]
    alone = [replace(world.state, jobs=one, usage=()) for one in jobs]
    alone += [replace(world.state, jobs=(), usage=one) for one in runs]
    books = [Situation(policy=world.policy, state=state, now=NOW).pool("p").book for state in alone]
    for column in ("charged", "committed", "opportunistic"):
        assert int(getattr(whole, column)[0]) == sum(int(getattr(book, column)[0]) for book in books)


_RATES = st.sampled_from([Fraction(part) for part in ("1", "0", "1/3", "2", "5/7")])
_CHARGES = st.builds(
    Charge, protected=_RATES, after_protection=_RATES, opportunistic=_RATES, unused_protection=_RATES
)


def used(some: Policy, there: ClusterState, after: int) -> Fraction:
    """Return U of the root in GPU-seconds times rate."""
    pool = ask(some, there, later=after).pool("p")
    return Fraction(int(pool.book.usage[0]), pool.rates.per_unit * 1000)


@given(
    _CHARGES, st.sampled_from(["1", "2/3"]), st.integers(1, 900), st.lists(st.integers(0, 900), max_size=4)
)
@settings(max_examples=EXAMPLES, deadline=None)
def test_a_protected_run_counts_the_same_from_start_to_expiry(
    charge: Charge, rate: str, wants: int, instants: list[int]
) -> None:
    """What was charged and what is committed make up the whole price of the guarantee at every instant of it."""
    some = policy(charge=charge, charge_rate=rate)
    there = state(job("j", gpus=3, start=0, wants=wants))
    for after in instants:
        extra = max(0, after - wants) * charge.after_protection
        assert used(some, there, after) == 3 * Fraction(rate) * (wants * charge.protected + extra)


@given(_CHARGES, st.integers(0, 400), st.integers(0, 400), st.sampled_from(sorted(Outcome)))
@settings(max_examples=EXAMPLES, deadline=None)
def test_ending_early_costs_a_part_of_what_is_left_unless_it_was_taken_away(
    charge: Charge, wants: int, ran: int, outcome: Outcome
) -> None:
    run = past(job("j", gpus=3, start=0, wants=wants), ran, outcome)
    expected = min(ran, wants) * charge.protected + max(0, ran - wants) * charge.after_protection
    if not wants:
        expected = ran * charge.opportunistic
    elif not outcome.taken_away:
        expected += max(0, wants - ran) * charge.protected * charge.unused_protection
    assert used(policy(charge=charge), state(usage=[run]), 500) == 3 * expected
