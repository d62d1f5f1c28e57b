"""The rhythm of a workload, worked out by hand."""

from __future__ import annotations

from policyctl.model.sweep import Cadence, ProgramCadence
from policyctl.model.workload import Stream
from policyctl.sim.cadence import cadence
from policyctl.units import Instant, Seconds
from tests.sweep.small import DAY, HOUR, START, task, workload


def program(found: Cadence, account: str) -> ProgramCadence:
    return next(one for one in found.programs if one.account == account)


def test_bursts_alternate_with_idle_spells() -> None:
    # Two days of work, three days off, three times; the nights in between are no idle spells.
    days = [0, 1, 5, 6, 10, 11]
    found = cadence(workload(*(task(f"j{day}", 24 * day, 8, account="/a/x") for day in days)))
    assert found.cycle == 5 * DAY
    assert program(found, "/a") == ProgramCadence(
        account="/a",
        bursts=3,
        burst=DAY + 8 * HOUR,
        spells=2,
        spell=3 * DAY + 16 * HOUR,
        longest_spell=3 * DAY + 16 * HOUR,
    )


def test_the_time_before_the_first_burst_is_a_spell_but_no_rhythm() -> None:
    found = cadence(workload(task("late", 48, 1), task("early", 0, 49, account="/b")))
    assert program(found, "/a").longest_spell == 2 * DAY
    assert program(found, "/b").spells == 0
    assert found.cycle is None


def test_half_of_the_time_may_be_in_few_jobs() -> None:
    # 1 h of GPU time in small jobs, 8 h in one large one, 91 h in one long one.
    found = cadence(
        workload(
            *(task(f"s{number}", 0, 0.25) for number in range(4)),
            task("large", 0, 1, gpus=8),
            task("long", 0, 91),
        )
    )
    assert (found.jobs, found.job, found.job_long) == (6, 91 * HOUR, 91 * HOUR)
    assert cadence(workload(task("small", 0, 1), task("same", 0, 1), task("x", 0, 2))).job == HOUR


def test_a_closed_loop_is_busy_until_its_stock_is_used_up() -> None:
    stream = Stream(
        tasks=tuple(task(f"s{number}", 0, 23) for number in range(8)),
        depth=2,
        first=Instant(START + 2 * DAY),
        pause=Seconds(HOUR),
    )
    found = program(cadence(workload(streams=(stream,))), "/a")
    assert (found.bursts, found.burst, found.spell) == (1, 4 * DAY, 2 * DAY)


def test_a_queue_with_a_limit_is_busy_when_its_tasks_come() -> None:
    apart = tuple(task(f"s{number}", 48 * number, 1) for number in range(3))
    stream = Stream(tasks=apart, depth=2, first=Instant(START))
    assert program(cadence(workload(streams=(stream,))), "/a").bursts == 3


def test_the_end_of_the_workload_cuts_the_last_burst() -> None:
    found = program(cadence(workload(task("long", 24, 240), task("after", 100, 1), days=3)), "/a")
    assert (found.bursts, found.burst) == (1, 2 * DAY)


def test_nothing_has_no_rhythm() -> None:
    found = cadence(workload())
    assert found == Cadence(jobs=0, job=0, job_long=0, cycle=None, programs=())
