"""Which option is chosen, and whether the runs or only the rhythm of the workload say so."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import pytest

from policyctl.model.sweep import Cadence, Choice, Option, Point, Row, Score, Why
from policyctl.sim.choosing import choose_option, costs_by_setting
from policyctl.units import Seconds
from tests.sweep.small import DAY, HOUR

WINDOWS = tuple(Option(window=Seconds(days * DAY), half_life=None) for days in (1, 3, 7))
STEADY = Cadence(jobs=100, job=HOUR, job_long=4 * HOUR, cycle=None, programs=())


def score(cost: float, *, returns: int = 1, wait: float = 0.0) -> Score:
    """Return a score in which the cost of an option is its volatility, in percent."""
    return Score(
        volatility=cost / 100,
        returns=returns,
        recovered=returns,
        recovery=7200.0 if returns else None,
        wait_median=60.0,
        wait_p90=wait,
        delivered=100.0,
        lost=0.0,
        preemptions=0,
        occupancy=1.0,
        delivery_ratio=1.0,
    )


def rows(*costs: Sequence[float], returns: int = 1, load: Fraction = Fraction(1)) -> tuple[Row, ...]:
    """Return the rows of WINDOWS: the costs of each, by seed."""
    return tuple(
        Row(point=Point(option=option, load=load), scores=tuple(score(one, returns=returns) for one in mine))
        for option, mine in zip(WINDOWS, costs, strict=True)
    )


def chosen(found: tuple[Row, ...], rhythm: Cadence = STEADY, *, cap: int = 0, days: int = 60) -> Choice:
    return choose_option(WINDOWS, found, rhythm, cap=cap, span=days * DAY)


CLEAR = rows((30, 31, 29), (10, 11, 9), (50, 52, 48))
SAME = rows((10, 12, 11), (11, 10, 12), (12, 11, 10))


def rhythm(cycle: int | None = None, job: int = HOUR) -> Cadence:
    return Cadence(jobs=100, job=job, job_long=job, cycle=cycle, programs=())


@pytest.mark.parametrize(
    ("found", "cadence", "cap", "option", "decided", "why"),
    [
        pytest.param(CLEAR, STEADY, 0, 1, True, {Why.COVERS_JOBS, Why.LOWEST_COST}, id="the cheapest"),
        pytest.param(
            SAME, STEADY, 0, 0, False, {Why.COVERS_JOBS, Why.WITHIN_SPREAD}, id="a tie: the shortest"
        ),
        pytest.param(
            SAME,
            rhythm(cycle=2 * DAY),
            0,
            1,
            False,
            {Why.COVERS_CYCLE, Why.WITHIN_SPREAD},
            id="a tie: the shortest that covers the cycle",
        ),
        pytest.param(
            CLEAR,
            rhythm(cycle=5 * DAY),
            0,
            2,
            False,
            {Why.COVERS_CYCLE, Why.SHORTER_IS_CHEAPER},
            id="what the runs prefer does not cover the cycle",
        ),
        pytest.param(
            CLEAR,
            rhythm(job=30 * HOUR),
            29 * HOUR,
            1,
            True,
            {Why.COVERS_JOBS, Why.LOWEST_COST},
            id="longer jobs than any protection",
        ),
        pytest.param(
            CLEAR, STEADY, 30 * HOUR, 1, True, {Why.COVERS_CAP, Why.LOWEST_COST}, id="the longest protection"
        ),
        pytest.param(
            rows((1, 1.1, 0.9), (2, 2.1, 1.9), (3, 3.1, 2.9)),
            rhythm(cycle=20 * DAY),
            0,
            2,
            False,
            {Why.NONE_COVERS, Why.SHORTER_IS_CHEAPER},
            id="nothing covers the cycle: the longest",
        ),
        pytest.param(
            rows((30,), (10,), (50,)),
            STEADY,
            0,
            1,
            False,
            {Why.COVERS_JOBS, Why.ONE_SEED},
            id="one seed never decides",
        ),
        pytest.param(
            rows((30, 30), (10, 10), (50, 50)),
            STEADY,
            0,
            1,
            False,
            {Why.COVERS_JOBS, Why.NO_LUCK},
            id="seeds without luck never decide",
        ),
        pytest.param(
            rows((30, 31, 29), (10, 11, 9), (50, 52, 48), returns=0),
            STEADY,
            0,
            1,
            False,
            {Why.COVERS_JOBS, Why.NO_RETURNS},
            id="nobody came back",
        ),
    ],
)
def test_choice(  # noqa: PLR0917 - the columns of the table
    found: tuple[Row, ...],
    cadence: Cadence,
    cap: int,
    option: int,
    decided: bool,  # noqa: FBT001 - a column of the table
    why: set[Why],
) -> None:
    choice = chosen(found, cadence, cap=cap)
    assert (choice.option, choice.decided, set(choice.why)) == (option, decided, why)
    assert choice.option in choice.ties


def test_a_short_simulation_never_decides() -> None:
    assert Why.TOO_SHORT not in chosen(CLEAR, days=14).why
    short = chosen(CLEAR, days=13)
    assert Why.TOO_SHORT in short.why
    assert not short.decided


def test_one_option_is_no_choice() -> None:
    choice = choose_option(WINDOWS[:1], CLEAR[:1], STEADY, cap=0, span=60 * DAY)
    assert (choice.option, choice.decided, choice.why[1:]) == (0, False, (Why.ONLY_OPTION,))


def test_the_first_of_two_seeds_may_not_decide_alone() -> None:
    # Far apart in the mean, but the second seed says the opposite.
    choice = chosen(rows((10, 90), (40, 10), (90, 90)))
    assert Why.WITHIN_SPREAD in choice.why
    assert {0, 1} <= set(choice.ties)


def test_differences_that_matter_to_nobody_cost_little() -> None:
    # A tenth of a percent of all GPU time, measured exactly: sure, and next to nothing.
    found = rows((0.3, 0.31, 0.29), (0.2, 0.21, 0.19), (0.4, 0.41, 0.39))
    costs = [max(mine) for mine in costs_by_setting(WINDOWS, found)]
    assert costs == pytest.approx([0.1, 0.0, 0.2], abs=0.02)


def test_a_figure_that_one_option_lacks_counts_for_none() -> None:
    lacking = Row(point=CLEAR[0].point, scores=tuple(score(0, returns=0) for _ in range(3)))
    whole = costs_by_setting(WINDOWS, CLEAR)
    partly = costs_by_setting(WINDOWS, (lacking, *CLEAR[1:]))
    assert len(partly) == len(whole) == 3
    assert all(len(mine) == 3 for mine in partly)


def test_loads_are_further_settings() -> None:
    light, heavy = CLEAR, rows((90, 91, 89), (10, 11, 9), (90, 92, 88), load=Fraction(2))
    mixed = tuple(row for pair in zip(light, heavy, strict=True) for row in pair)
    assert {len(mine) for mine in costs_by_setting(WINDOWS, mixed)} == {6}
    assert chosen(mixed).option == 1


def test_the_order_of_options_changes_nothing_but_numbers() -> None:
    for order in ((0, 1, 2), (2, 0, 1), (1, 2, 0)):
        options = tuple(WINDOWS[place] for place in order)
        found = tuple(CLEAR[place] for place in order)
        choice = choose_option(options, found, STEADY, cap=0, span=60 * DAY)
        assert options[choice.option] == WINDOWS[1]


def test_every_reason_is_reached_somewhere() -> None:
    seen: set[Why] = set()
    settings = product(
        (CLEAR, SAME, rows((30,), (10,), (50,)), rows((3, 3), (1, 1), (5, 5), returns=0)),
        (STEADY, rhythm(cycle=2 * DAY), rhythm(cycle=5 * DAY), rhythm(cycle=20 * DAY)),
        (0, 30 * HOUR),
        (5, 60),
    )
    for found, cadence, cap, days in settings:
        seen |= set(chosen(found, cadence, cap=cap, days=days).why)
    seen |= set(choose_option(WINDOWS[:1], CLEAR[:1], STEADY, cap=0, span=DAY).why)
    assert seen == set(Why)
