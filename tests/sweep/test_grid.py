"""Which policies a sweep tries."""

from __future__ import annotations

from fractions import Fraction

import pytest

from policyctl.errors import UsageProblem
from policyctl.model.policy import CalendarWindow, Policy, SlidingWindow
from policyctl.model.sweep import CapChange, Option
from policyctl.sim.grid import PROPORTIONAL, grid, longest_cap, options_of, varied
from policyctl.units import Seconds
from tests.decide import small
from tests.sweep.small import DAY, HOUR


def with_window(length: int, half_life: int | None = None) -> Policy:
    window = SlidingWindow(
        length=Seconds(length), half_life=None if half_life is None else Seconds(half_life)
    )
    return small.policy(window=window)


def test_every_combination_comes_once_windows_first() -> None:
    points = grid(
        with_window(DAY),
        windows=(Seconds(DAY), Seconds(2 * DAY), Seconds(DAY)),
        half_lives=(None, Seconds(HOUR)),
        loads=(Fraction(1), Fraction(2)),
    )
    assert [(one.option.window // DAY, one.option.half_life, int(one.load)) for one in points] == [
        (1, None, 1),
        (1, None, 2),
        (1, HOUR, 1),
        (1, HOUR, 2),
        (2, None, 1),
        (2, None, 2),
        (2, HOUR, 1),
        (2, HOUR, 2),
    ]
    assert len(options_of(points)) == 4


@pytest.mark.parametrize(
    ("own", "asked", "expected"),
    [
        pytest.param(7 * DAY, (), 4 * DAY, id="without half-lives each keeps the policy's proportion"),
        pytest.param(7 * DAY, (PROPORTIONAL,), 4 * DAY, id="the same when said"),
        pytest.param(7 * DAY, (None,), None, id="none at all"),
        pytest.param(7 * DAY, (Seconds(DAY),), DAY, id="a length"),
        pytest.param(None, (), None, id="a policy without a half-life has none to keep"),
        pytest.param(1, (), 1, id="never below a second"),
    ],
)
def test_half_life(own: int | None, asked: tuple[Seconds | str | None, ...], expected: int | None) -> None:
    (point,) = grid(with_window(14 * DAY, own), windows=(Seconds(8 * DAY),), half_lives=asked)
    assert point.option.half_life == expected


def test_nothing_asked_is_the_policy_itself() -> None:
    policy = with_window(14 * DAY, 7 * DAY)
    (point,) = grid(policy, windows=())
    assert varied(policy, point.option) == policy


def test_a_calendar_window_has_no_length_to_keep() -> None:
    policy = small.policy(window=CalendarWindow(unit="month"))
    with pytest.raises(UsageProblem, match="by the calendar"):
        grid(policy, windows=())
    (point,) = grid(policy, windows=(Seconds(DAY),))
    assert varied(policy, point.option).accounting.window == SlidingWindow(length=Seconds(DAY))


def capped(change: CapChange | None, policy: Policy) -> list[tuple[str, int | None, list[int]]]:
    made = varied(policy, Option(window=Seconds(DAY), half_life=None, cap=change))
    return [(cap.account, cap.default, [rule.max_protected for rule in cap.rules]) for cap in made.caps]


def test_caps_are_scaled_with_all_their_rules_or_get_a_default() -> None:
    caps = (small.cap("/", "4h", big=("job.gpus > 2.0", "12h")), small.cap("/a", "1h"))
    policy = small.policy(caps=caps)
    own = [("/", 4 * HOUR, [12 * HOUR]), ("/a", HOUR, [])]
    assert capped(None, policy) == own
    assert capped(CapChange(factor=Fraction(1, 2)), policy) == [
        ("/", 2 * HOUR, [6 * HOUR]),
        ("/a", HOUR // 2, []),
    ]
    assert capped(CapChange(default=Seconds(60)), policy) == [("/", 60, [12 * HOUR]), ("/a", HOUR, [])]
    assert capped(CapChange(default=Seconds(60)), small.policy()) == [("/", 60, [])]
    assert longest_cap(policy) == 12 * HOUR
    assert longest_cap(small.policy()) == 0
