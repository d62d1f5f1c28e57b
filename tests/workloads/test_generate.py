"""Generated labs: the same bytes for a seed, the load that was asked for, and each parameter where it shows."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime
from fractions import Fraction
from functools import cache
from hashlib import sha256
from math import isfinite
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policyctl.adapters.workload_json import write_workload
from policyctl.errors import UsageProblem
from policyctl.model.policy import Policy
from policyctl.model.workload import Task, Workload
from policyctl.sim.replay import prepare
from policyctl.sim.workloads.dice import Dice, Wheel
from policyctl.sim.workloads.lab import first_monday, generate
from policyctl.sim.workloads.mix import LabMix, Size
from policyctl.sim.workloads.people import hire
from policyctl.units import Seconds, format_instant, parse_instant
from tests.casebook import compiled

START = parse_instant("2026-09-07T00:00:00Z")
TEXT = """\
apiVersion: policyctl/v1
kind: Cluster
metadata: {name: lab}
spec:
  pools:
    h100: {nodes: 32, gpusPerNode: 8, blockNodes: 8}
    l40s: {nodes: 16, gpusPerNode: 4, chargeRate: 1/4}
---
apiVersion: policyctl/v1
kind: Accounting
metadata: {name: accounting}
spec: {window: {length: 7d}}
---
apiVersion: policyctl/v1
kind: Budget
metadata: {name: organization}
spec:
  account: /
  owner: leadership
  effective: {from: "2026-08-05T00:00:00Z"}
  shares: {language: 60%, vision: 40%}
---
apiVersion: policyctl/v1
kind: Budget
metadata: {name: language}
spec: {account: /language, owner: leadership, shares: {pretrain: 50%, posttrain: 50%}}
---
apiVersion: policyctl/v1
kind: Governance
metadata: {name: governance}
spec: {groups: {leadership: ["@lab/leadership"]}}
"""


@cache
def policy() -> Policy:
    made = compiled({"policy.yaml": TEXT}).policy
    assert made is not None
    return made


@cache
def lab(**said: Any) -> Workload:
    """Generate a week of forty people at a load of one and a half, unless something else is said."""
    mix: dict[str, Any] = {
        "seed": 5,
        "start": START,
        "days": 7,
        "researchers": 40,
        "load": Fraction(3, 2),
    } | said
    return generate(policy(), LabMix(**mix))


def every(workload: Workload) -> list[Task]:
    return [*workload.tasks, *(task for stream in workload.streams for task in stream.tasks)]


def asked(tasks: Iterable[Task]) -> int:
    """Return the GPU-seconds that tasks ask for."""
    return sum(task.job.gpus * task.work for task in tasks) // 1000


def part(tasks: list[Task], *, of: list[Task]) -> float:
    return len(tasks) / len(of)


def test_a_seed_gives_the_same_bytes_in_any_process() -> None:
    code = """
from hashlib import sha256
from math import isfinite
from tests.workloads.test_generate import lab, write_workload
print(sha256(write_workload(lab())).hexdigest())
"""
    said = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed, "TZ": zone, "PYTHONPATH": "."},
            check=True,
            capture_output=True,
            text=True,
        ).stdout.strip()
        for seed, zone in (("1", "UTC"), ("2", "Asia/Tokyo"))
    }
    assert said == {sha256(write_workload(lab())).hexdigest()}


def test_the_numbers_are_those_of_the_published_generator() -> None:
    dice = Dice(0)
    dice._state = 1_234_567
    published = (6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423)
    assert [dice.unit() for _ in published] == [(one >> 11) / 2**53 for one in published]


def test_each_purpose_has_numbers_of_its_own() -> None:
    purposes = [("people",), ("people", "a"), ("people", "b"), ("a", "people")]
    assert len({Dice(7, *purpose).unit() for purpose in purposes}) == 4
    assert Dice(7, "people").unit() == Dice(7, "people").unit() != Dice(8, "people").unit()


def test_another_seed_is_another_week() -> None:
    assert lab(seed=6) != lab()


@pytest.mark.parametrize("load", [Fraction(1, 2), Fraction(5, 2)])
def test_each_pool_is_asked_for_as_often_as_was_said(load: Fraction) -> None:
    for pool in policy().pools:
        wanted = float(load) * pool.gpus * 7 * 86_400
        tasks = [task for task in lab(load=load).tasks if task.job.pool == pool.name]
        assert asked(tasks) == pytest.approx(wanted, rel=1e-4)


def test_a_larger_load_only_adds() -> None:
    less, more = ({task.job.id: task for task in lab(load=Fraction(n, 2)).tasks} for n in (2, 3))
    cut = [name for name, task in less.items() if more[name] != task]
    assert len(cut) <= len(policy().pools), "only the last job of a pool is shortened to fit"


def test_accounts_ask_by_their_shares() -> None:
    sums: Counter[str] = Counter()
    for task in lab(skew=Fraction(0), days=28, load=Fraction(3)).tasks:
        sums[task.job.account] += asked([task])
    total = sums.total()
    parts = {account: sums[account] / total for account in sums}
    wanted = {"/language/pretrain": 0.3, "/language/posttrain": 0.3, "/vision": 0.4}
    assert parts == pytest.approx(wanted, abs=0.06)


def test_everybody_works_for_one_leaf_account() -> None:
    people = hire(policy(), LabMix(seed=1, start=START, researchers=40))
    heads = Counter(one.account for one in people)
    assert heads == {"/language/pretrain": 12, "/language/posttrain": 12, "/vision": 16}
    assert len({one.name for one in people}) == 40
    owners = {task.job.user: task.job.account for task in lab().tasks}
    assert all(owners[task.job.user] == task.job.account for task in lab().tasks)


def test_days_have_a_rhythm_on_the_clock_of_the_lab() -> None:
    hours = Counter(datetime.fromtimestamp(task.job.submit, UTC).hour for task in lab(load=Fraction(3)).tasks)
    assert hours[15] > 2 * hours[3]
    abroad = Counter(
        datetime.fromtimestamp(task.job.submit, UTC).hour
        for task in lab(load=Fraction(3), timezone="Asia/Tokyo").tasks
    )
    assert abroad[6] > 2 * abroad[18]


def test_weekends_are_quieter() -> None:
    days = Counter(
        datetime.fromtimestamp(task.job.submit, UTC).weekday() for task in lab(load=Fraction(3)).tasks
    )
    weekdays, weekend = sum(days[day] for day in range(5)) / 5, (days[5] + days[6]) / 2
    assert 0.2 < weekend / weekdays < 0.5


def test_sessions_come_in_office_hours_and_cannot_be_resumed() -> None:
    sessions = [task for task in lab().tasks if task.job.kind == "interactive"]
    hours = Counter(8 <= datetime.fromtimestamp(task.job.submit, UTC).hour < 18 for task in sessions)
    assert hours[True] > 10 * hours[False]
    assert not any(task.job.resumable or task.checkpoint_every for task in sessions)
    assert not [task for task in lab(interactive=Fraction(0)).tasks if task.job.kind == "interactive"]


def test_zero_declared() -> None:
    all_, none = lab(zero_declared=Fraction(1)).tasks, lab(zero_declared=Fraction(0)).tasks
    assert not any(task.job.min_runtime for task in all_)
    assert all(task.job.min_runtime for task in none)


def test_honest_people_declare_what_they_need_and_the_others_a_multiple() -> None:
    said: dict[str, Any] = {"zero_declared": Fraction(0), "most_declared": Seconds(30 * 86_400)}
    honest = lab(inflated=Fraction(0), **said).tasks
    inflated = lab(inflated=Fraction(1), **said).tasks
    untrue = [one for one in honest if not 0 <= one.job.min_runtime - one.work <= one.work // 5 + 900]
    assert len(untrue) <= len(policy().pools), "only the last job of a pool, which is shortened"
    assert all(task.job.min_runtime >= 2 * task.work - 1 for task in inflated)
    capped = lab(inflated=Fraction(1), zero_declared=Fraction(0), most_declared=Seconds(3600)).tasks
    assert max(task.job.min_runtime for task in capped) == 3600


@pytest.mark.parametrize("urgent", [Fraction(0), Fraction(9, 10), Fraction(1)])
def test_labels_are_as_inflated_as_was_said(urgent: Fraction) -> None:
    tasks = list(lab(urgent=urgent).tasks)
    assert part([task for task in tasks if task.job.priority], of=tasks) == pytest.approx(
        float(urgent), abs=0.04
    )


def test_what_restarts_cost_is_on_every_batch_job() -> None:
    said: dict[str, Any] = {
        "restart_overhead": Seconds(77),
        "restart_failure": Fraction(1, 3),
        "checkpoint_every": Seconds(600),
    }
    batch = [task for task in lab(resumable=Fraction(1), **said).tasks if task.job.kind == "batch"]
    assert {(task.restart_overhead, task.restart_failure, task.checkpoint_every) for task in batch} == {
        (77, 1 / 3, 600)
    }
    assert all(task.job.resumable for task in batch)
    assert not any(task.job.resumable for task in lab(resumable=Fraction(0)).tasks)


def test_jobs_fit_their_pool_and_take_whole_nodes() -> None:
    for task in every(lab(queue_depth=3)):
        pool = policy().pool(task.job.pool)
        assert pool is not None
        gpus = task.job.gpus // 1000
        assert 2 * gpus <= pool.gpus
        assert task.job.nodes == -(-gpus // pool.gpus_per_node)
        assert task.job.topology == "any" or 1 < task.job.nodes <= (pool.block_nodes or 0)
        limit = task.job.time_limit
        assert limit is not None
        assert limit >= max(task.job.min_runtime, task.work + task.restart_overhead)


def test_half_of_the_jobs_are_small_and_half_of_the_time_goes_to_large_ones() -> None:
    tasks = [task for task in lab(days=28, load=Fraction(3)).tasks if task.job.pool == "h100"]
    assert part([task for task in tasks if task.job.gpus <= 2000], of=tasks) == pytest.approx(0.55, abs=0.1)
    large = asked(task for task in tasks if task.job.gpus >= 32_000)
    assert large / asked(tasks) == pytest.approx(0.5, abs=0.15)


def test_own_sizes_take_the_place_of_the_usual_ones() -> None:
    sizes = (Size(gpus=16, weight=1, median=Seconds(3600)),)
    tasks = [task for task in lab(sizes=sizes, interactive=Fraction(0)).tasks if task.job.pool == "h100"]
    assert {task.job.gpus for task in tasks} == {16_000}
    middle = sorted(task.work for task in tasks)[len(tasks) // 2]
    assert middle == pytest.approx(3600, rel=0.15)


def test_in_a_closed_loop_each_researcher_keeps_a_queue_and_sessions_do_not() -> None:
    closed, opened = lab(queue_depth=4), lab()
    assert {task.job.kind for task in closed.tasks} == {"interactive"}
    assert {stream.depth for stream in closed.streams} == {4}
    for stream in closed.streams:
        assert len({task.job.user for task in stream.tasks}) == 1
        assert 0 <= stream.first - START < 3600
    by_id = {task.job.id: task.work for task in opened.tasks}
    assert {task.job.id: task.work for task in every(closed)} == by_id


def test_with_a_limit_jobs_keep_their_hours_and_nobody_has_more_of_them() -> None:
    limited, opened = lab(at_most=5), lab()
    assert {stream.depth for stream in limited.streams} == {5}
    assert sorted(every(limited), key=lambda task: task.job.id) == sorted(
        opened.tasks, key=lambda task: task.job.id
    )
    simulation = prepare(policy(), limited, seed=1)
    simulation.run()
    changes: dict[str, list[tuple[int, int]]] = {}
    for name, pool in simulation.pools.items():
        tasks, record = simulation.tasks(name), pool.record_at(simulation.now)
        last = {run.row: run.end for run in record.runs}
        waiting = {row for row, _, ended in record.waits if ended is None}
        for row, at in record.submitted.items():
            job = tasks[row].job
            assert at >= job.submit
            if job.kind == "batch":
                gone = simulation.now + 1 if row in waiting else last[row]
                changes.setdefault(job.user, []).extend([(at, 1), (gone, -1)])
    most = 0
    for moments in changes.values():
        there = 0
        for _, step in sorted(moments):
            there += step
            most = max(most, there)
    assert most == 5


@pytest.mark.parametrize(("unequal", "part_of_a_tenth"), [("0", 0.1), ("3/5", 0.25), ("9/5", 0.7)])
def test_a_tenth_of_the_people_want_as_much_as_their_inequality_says(
    unequal: str, part_of_a_tenth: float
) -> None:
    mix = LabMix(seed=5, start=START, researchers=3000, unequal=Fraction(unequal), skew=Fraction(0))
    wants = sorted((sum(one.wants.values()) for one in hire(policy(), mix)), reverse=True)
    assert sum(wants[:300]) / sum(wants) == pytest.approx(part_of_a_tenth, abs=0.06)


@pytest.mark.parametrize(("unequal", "skew"), [(10**6, 0), (0, 10**6)], ids=["people", "accounts"])
def test_inequality_beyond_all_measure_leaves_each_a_demand_that_can_be_computed_with(
    unequal: int, skew: int
) -> None:
    mix = LabMix(seed=5, start=START, researchers=300, unequal=Fraction(unequal), skew=Fraction(skew))
    totals = [sum(one.wants.values()) for one in hire(policy(), mix)]
    assert all(isfinite(one) and one >= 0 for one in totals)
    assert max(totals) > 0


@pytest.mark.parametrize("block", ["0", "1"])
def test_a_part_of_the_wide_jobs_insists_on_one_block(block: str) -> None:
    wide = [
        task.job
        for task in lab(block=Fraction(block)).tasks
        if task.job.pool == "h100" and 1 < task.job.nodes <= 8
    ]
    assert {job.topology for job in wide} == {"block" if block == "1" else "any"}


def test_it_runs() -> None:
    simulation = prepare(policy(), lab(days=2), seed=1)
    simulation.run()
    record = simulation.pools["h100"].record
    assert record.runs
    assert not record.impossible


@pytest.mark.parametrize(
    ("said", "message"),
    [
        pytest.param(
            {"researchers": 2}, "2 researchers cannot work for 3 accounts", id="fewer people than accounts"
        ),
        pytest.param(
            {"start": START - 60 * 86_400},
            "no account has a share at the start of the workload",
            id="before the budget",
        ),
        pytest.param(
            {"sizes": (Size(gpus=999, weight=1, median=Seconds(60)),)},
            "no size of the mix fits half of pool `h100`",
            id="no size fits",
        ),
    ],
)
def test_what_does_not_go_together_is_refused(said: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageProblem, match=message):
        lab(**said)


def test_the_first_monday_is_one_on_which_a_budget_is_in_effect() -> None:
    assert format_instant(first_monday(policy())) == "2026-08-10T00:00:00Z"
    without = tuple(replace(one, period=replace(one.period, start=None)) for one in policy().budgets)
    assert format_instant(first_monday(replace(policy(), budgets=without))) == "2026-01-05T00:00:00Z"


@given(st.lists(st.integers(0, 5), min_size=1, max_size=6).filter(any), st.integers(0, 2**64))
def test_a_wheel_never_stops_where_it_has_no_weight(weights: list[int], seed: int) -> None:
    dice, wheel = Dice(seed, "wheel"), Wheel(weights)
    assert all(weights[wheel.pick(dice)] for _ in range(20))


def test_dice_are_fair() -> None:
    dice = Dice(1, "fair")
    units = [dice.unit() for _ in range(20_000)]
    assert all(0 <= one < 1 for one in units)
    assert sum(units) / len(units) == pytest.approx(0.5, abs=0.01)
    logs = sorted(dice.around(100.0, 1.0) for _ in range(20_000))
    assert logs[10_000] == pytest.approx(100, rel=0.03)
    assert logs[16_827] == pytest.approx(271.8, rel=0.06)
    runs = [dice.run_length(4) for _ in range(20_000)]
    assert min(runs) == 1
    assert sum(runs) / len(runs) == pytest.approx(4, abs=0.1)
    assert dice.run_length(1) == 1
