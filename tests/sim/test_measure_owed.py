"""What was owed and delivered: cases worked by hand, on eight GPUs that two programs share half and half."""

from __future__ import annotations

import pytest

from policyctl.model.policy import SlidingWindow
from policyctl.sim.measure_owed import accounting_windows
from policyctl.units import Seconds
from tests.decide.small import NOW, budget, hours, job
from tests.decide.small import policy as small_policy
from tests.sim.cases import group, measured, task, window

TEN_HOURS = SlidingWindow(length=Seconds(hours(10)))
POLICY = small_policy(window=TEN_HOURS)
FIRST = task(job("first", "/a", gpus=8, submit=0), 10)


def test_a_job_demands_its_gpus_while_it_waits_but_no_more_than_its_work() -> None:
    found = measured(POLICY, FIRST, task(job("second", "/b", gpus=4, submit=0), 5), length=20)
    early, late = window(found, "/b", 0), window(found, "/b", 1)
    assert (early.demand, early.owed, early.delivered) == (20, 20, 0)
    assert (late.demand, late.owed, late.delivered) == (20, 20, 20)
    assert group(found, "/b").delivery_ratio == 0.5


def test_what_is_owed_is_capped_by_the_entitlement() -> None:
    found = measured(POLICY, FIRST, task(job("second", "/b", gpus=4, submit=0), 5), length=20)
    row = window(found, "/a", 0)
    assert (row.demand, row.entitlement, row.owed, row.delivered) == (80, 40, 40, 80)
    assert group(found, "/a").delivery_ratio == 1
    assert found.overall.owed == 80
    assert found.overall.delivery_ratio == (40 + 20) / 80


def test_a_short_wait_demands_only_its_own_time() -> None:
    found = measured(POLICY, FIRST, task(job("second", "/b", gpus=4, submit=hours(9)), 5), length=20)
    assert window(found, "/b", 0).demand == 4


def test_waiting_and_running_in_one_window_demand_the_work_once() -> None:
    short = task(job("first", "/a", gpus=8, submit=0), 4)
    found = measured(POLICY, short, task(job("second", "/b", gpus=4, submit=0), 3), length=10)
    assert window(found, "/b", 0).demand == 12


def test_nobody_demands_more_than_a_time_limit_lets_it_run() -> None:
    found = measured(POLICY, FIRST, task(job("second", "/b", gpus=4, submit=0), 5, limit=2), length=10)
    assert window(found, "/b", 0).demand == 8


def test_a_shorter_last_window_entitles_to_less() -> None:
    found = measured(POLICY, FIRST, length=14)
    assert [row.entitlement for row in found.windows if row.account == "/a"] == [40, 16]


def test_the_entitlement_follows_the_budgets_inside_a_window() -> None:
    changing = small_policy(
        [
            budget("/", {"a": "1/2", "b": "1/2"}, until=hours(4)),
            budget("/", {"a": "1/4", "b": "3/4"}, since=hours(4)),
        ],
        window=TEN_HOURS,
    )
    found = measured(changing, FIRST, length=10)
    assert window(found, "/a", 0).entitlement == 8 * (0.5 * 4 + 0.25 * 6)


def test_programs_that_never_ask_are_owed_nothing() -> None:
    found = measured(POLICY, FIRST, length=10)
    assert window(found, "/b", 0).owed == 0
    assert group(found, "/b").delivery_ratio is None


def test_an_account_without_a_share_is_owed_nothing() -> None:
    found = measured(POLICY, task(job("stranger", "/z", gpus=8, submit=0), 2), length=10)
    assert (window(found, "/z", 0).owed, window(found, "/z", 0).delivered) == (0, 16)
    assert found.overall.delivered == 16


def test_a_job_that_fits_no_empty_pool_is_listed_and_owed_nothing() -> None:
    found = measured(POLICY, task(job("giant", "/a", gpus=16, submit=0), 2), length=10)
    assert [one.job for one in found.impossible] == ["giant"]
    assert (found.overall.jobs, found.overall.owed) == (0, 0)
    assert [one.code for one in found.warnings] == ["impossible_jobs"]


def test_a_program_that_the_total_hides_is_warned_of() -> None:
    thirds = small_policy({"/": {"a": "9/10", "b": "1/10"}}, window=TEN_HOURS)
    found = measured(thirds, FIRST, task(job("second", "/b", gpus=1, submit=0), 8), length=10)
    assert found.overall.delivery_ratio == pytest.approx(72 / 80)
    assert [(one.code, one.subject) for one in found.warnings] == [("underserved_program", "/b")]


@pytest.mark.parametrize(
    ("end", "windows"),
    [
        (20, [(0, 10), (10, 20)]),
        (25, [(0, 10), (10, 20), (20, 25)]),
        (3, [(0, 3)]),
    ],
    ids=["whole-windows", "the-last-is-shorter", "shorter-than-one"],
)
def test_windows_start_with_the_workload(end: int, windows: list[tuple[int, int]]) -> None:
    found = accounting_windows(POLICY, NOW, NOW + hours(end))
    assert list(found) == [(NOW + hours(one), NOW + hours(other)) for one, other in windows]
