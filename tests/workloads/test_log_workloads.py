"""Workloads out of logs: one task for each job, what its work is, and that no job gets lost."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from policyctl.adapters.log_formats import read_log
from policyctl.adapters.log_map import LogMap
from policyctl.adapters.log_map_read import read_map
from policyctl.adapters.log_record import LogRecord
from policyctl.adapters.log_tasks import Habits, LeftOut, WorkloadCounts
from policyctl.adapters.log_workload import WorkloadBuild, build_workload
from policyctl.adapters.workload_json import read_workload, write_workload
from policyctl.errors import NothingVerified
from policyctl.model.jobs import Outcome
from policyctl.units import Instant, MilliGpu, Seconds
from policyctl.workspace.files import read_bytes
from tests.adapters.test_log_states import record

DATA = Path(__file__).parents[3] / "shared" / "data"
MAP = LogMap(default_pool="h100")
FATES = ("tasks", "never_ran", "no_time", "without_gpus", "outside_range", "without_pool")
GONE = Outcome.PREEMPTED


def build(*records: LogRecord, log_map: LogMap = MAP, **said: Any) -> WorkloadBuild:
    return build_workload(records, log_map, pools={"h100"}, **said)


def sums_up(counts: WorkloadCounts) -> bool:
    return sum(int(getattr(counts, name)) for name in FATES) == counts.jobs


def works(built: WorkloadBuild) -> dict[str, int]:
    return {task.job.id: task.work for task in built.workload.tasks}


def test_a_run_becomes_a_task_that_is_submitted_as_it_was() -> None:
    built = build(record(submit=100, start=200, end=500, priority=7, time_limit=Seconds(3600)))
    (task,) = built.workload.tasks
    assert (task.job.id, task.job.submit, task.work) == ("71", 100, 300)
    assert (task.job.start, task.job.placement, task.job.priority) == (None, None, 7)
    assert (built.workload.start, built.workload.end) == (100, 501)


def test_demand_without_waits_is_a_workload_too() -> None:
    (task,) = build(record(submit=100, start=100, end=400)).workload.tasks
    assert (task.job.submit, task.work) == (100, 300)


ATTEMPTS = [
    pytest.param(
        [record(1, end=300, outcome=GONE), record(2, submit=300, start=400, end=900)],
        500,
        1,
        id="the run that came through did the work of the one that was preempted",
    ),
    pytest.param(
        [
            record(1, end=300, outcome=Outcome.NODE_FAIL),
            record(2, start=400, end=450, outcome=Outcome.FAILED),
        ],
        50,
        1,
        id="a run that failed by itself is useful: it held its GPUs for it",
    ),
    pytest.param(
        [record(1, end=300, outcome=GONE), record(2, start=400, end=900, outcome=GONE)],
        500,
        1,
        id="where all were taken away the longest is what is known",
    ),
    pytest.param([record(1, end=300), record(2, start=400, end=450)], 150, 0, id="useful runs add up"),
    pytest.param(
        [record(1, end=300, outcome=GONE), record(2, start=None, end=400, outcome=Outcome.CANCELLED)],
        100,
        0,
        id="cancelled while it waited again",
    ),
]


@pytest.mark.parametrize(("records", "work", "repeated"), ATTEMPTS)
def test_attempts_are_one_task(records: list[LogRecord], work: int, repeated: int) -> None:
    built = build(*records)
    assert works(built) == {"71": work}
    assert (built.counts.jobs, built.counts.repeated_runs) == (1, repeated)
    assert built.workload.tasks[0].job.submit == 100


def test_the_last_run_says_how_large_a_job_is() -> None:
    small, large = record(1, outcome=GONE), record(2, start=400, end=500, gpus=MilliGpu(16000))
    (task,) = build(small, large).workload.tasks
    assert task.job.gpus == 16000


def test_a_run_that_has_not_ended_did_what_the_log_saw() -> None:
    built = build(
        record(1, job="1", submit=100, start=200, end=None),
        record(2, job="2", submit=100, start=150, end=900),
    )
    assert works(built) == {"1": 700, "2": 750}
    assert built.counts.provisional == 1


LEFT_OUT = [
    pytest.param(
        record(9, job="x", start=None, end=250, outcome=Outcome.CANCELLED),
        "never_ran",
        id="cancelled before it ran",
    ),
    pytest.param(record(9, job="x", start=None, end=None), "never_ran", id="still waiting"),
    pytest.param(record(9, job="x", start=200, end=200), "no_time", id="ended as it started"),
]


@pytest.mark.parametrize(("odd", "reason"), LEFT_OUT)
def test_what_nobody_knows_the_work_of_is_listed(odd: LogRecord, reason: str) -> None:
    built = build(record(), odd)
    assert built.left_out == (LeftOut(id="x", number=9, reason=reason),)
    assert (built.counts.jobs, built.counts.tasks, getattr(built.counts, reason)) == (2, 1, 1)
    assert [one.code for one in built.findings if one.code == "L028"] == ["L028"]


def test_a_pool_that_no_rule_names_is_an_error() -> None:
    log_map = read_map("pools:\n  - {partition: big, to: h100}\n", file="map.yaml").map
    assert log_map is not None
    built = build(record(job="1", partition="big"), record(job="2", partition="small"), log_map=log_map)
    assert [one.reason for one in built.left_out] == ["without_pool"]
    assert "L005" in {one.code for one in built.findings}


def test_only_what_was_submitted_in_the_range() -> None:
    jobs = [record(n, job=str(n), submit=at, start=500, end=600) for n, at in enumerate((99, 100, 199, 200))]
    built = build(*jobs, since=Instant(100), until=Instant(200))
    assert list(works(built)) == ["1", "2"]
    assert (built.workload.start, built.workload.end, built.counts.outside_range) == (100, 200, 2)


def test_a_factor_shrinks_every_gap_and_no_job() -> None:
    jobs = [record(n, job=str(n), submit=at, start=500, end=600) for n, at in enumerate((100, 200, 400))]
    built = build(*jobs, scale=Fraction(2), since=Instant(100), until=Instant(500))
    assert [(task.job.submit, task.work) for task in built.workload.tasks] == [
        (100, 100),
        (150, 100),
        (250, 100),
    ]
    assert (built.workload.start, built.workload.end) == (100, 300)


@pytest.mark.parametrize("scale", [Fraction(1, 7), Fraction(1), Fraction(2), Fraction(1000)])
def test_the_last_submission_is_before_the_end(scale: Fraction) -> None:
    jobs = [record(n, job=str(n), submit=at, start=at, end=at + 1) for n, at in enumerate((100, 200, 401))]
    for until in (None, Instant(402)):
        workload = build(*jobs, scale=scale, until=until).workload
        assert workload.end > workload.tasks[-1].job.submit >= workload.start


def test_only_jobs_with_gpus() -> None:
    built = build(record(job="1"), record(job="2", gpus=MilliGpu(0)), gpu_jobs_only=True)
    assert list(works(built)) == ["1"]
    assert built.left_out[0].reason == "without_gpus"
    assert list(works(build(record(job="1"), record(job="2", gpus=MilliGpu(0))))) == ["1", "2"]


def test_processors_are_gpus_where_the_map_says_so() -> None:
    log_map = LogMap(default_pool="h100", gpus_from="processors")
    plain = record(gpus=MilliGpu(0), processors=4)
    (task,) = build(plain, log_map=log_map, gpu_jobs_only=True).workload.tasks
    assert task.job.gpus == 4000


def test_ids_that_began_again_are_told_apart() -> None:
    built = build(record(1, user="dev5"), record(2, user="dev6", submit=900, start=910, end=920))
    assert works(built) == {"71": 100, "71~dev6": 10}


def test_minimum_runtimes_come_from_the_map() -> None:
    log_map = read_map(
        "defaultPool: h100\ndefaultMinRuntime: 1h\nminRuntime:\n  - {group: arms, ofTimeLimit: 50%}\n",
        file="m",
    ).map
    assert log_map is not None
    jobs = [record(1, job="1", time_limit=Seconds(600)), record(2, job="2", group="legs")]
    assert [task.job.min_runtime for task in build(*jobs, log_map=log_map).workload.tasks] == [300, 3600]


def test_a_limit_leaves_the_time_that_the_job_had_and_one_restart() -> None:
    habits = Habits(restart_overhead=Seconds(30))
    jobs = [
        record(1, job="1", end=300, time_limit=Seconds(60)),
        record(2, job="2", end=300, time_limit=Seconds(3600)),
    ]
    built = build(*jobs, habits=habits)
    assert [task.job.time_limit for task in built.workload.tasks] == [130, 3600]
    assert built.counts.longer_limits == 1


def test_habits_are_those_of_batch_jobs_that_can_go_on() -> None:
    habits = Habits(
        checkpoint_every=Seconds(600),
        save_time=Seconds(60),
        restart_overhead=Seconds(30),
        restart_failure=Fraction(1, 4),
    )
    kinds: list[dict[str, Any]] = [{}, {"resumable": False}, {"kind": "interactive"}]
    built = build(*(record(n, job=str(n), **kind) for n, kind in enumerate(kinds)), habits=habits)
    assert [task.checkpoint_every for task in built.workload.tasks] == [600, None, None]
    assert [task.save_time for task in built.workload.tasks] == [60, None, None]
    assert {(task.restart_overhead, task.restart_failure) for task in built.workload.tasks} == {(30, 0.25)}


def test_a_log_without_a_single_task_is_no_answer() -> None:
    with pytest.raises(NothingVerified, match="no job of `log` becomes a task"):
        build(record(start=None, end=None))


outcomes = st.sampled_from(
    [Outcome.COMPLETED, Outcome.FAILED, Outcome.PREEMPTED, Outcome.REQUEUED, Outcome.NODE_FAIL]
)
rows = st.tuples(
    st.integers(1, 3),
    st.sampled_from(["dev5", "dev6"]),
    st.integers(0, 300),
    st.none() | st.integers(0, 300),
    st.none() | st.integers(0, 300),
    outcomes,
)


@given(
    st.lists(rows, max_size=8),
    st.integers(0, 300),
    st.sampled_from([Fraction(1), Fraction(3, 2), Fraction(1, 3)]),
)
@settings(deadline=None)
def test_no_job_gets_lost_and_no_work_is_made_up(some: list[Any], since: int, scale: Fraction) -> None:
    records = [record(99, job="anchor", submit=290, start=290, end=300)]
    for number, (job, user, submit, wait, length, outcome) in enumerate(some):
        start = None if wait is None else submit + wait
        end = None if length is None else (submit if start is None else start) + length
        ended = None if end is None else outcome
        records.append(
            record(number, job=str(job), user=user, submit=submit, start=start, end=end, outcome=ended)
        )
    built = build(*records, since=Instant(min(since, 290)), scale=scale)
    assert sums_up(built.counts)
    jobs = {(one.id, one.user) for one in records}
    assert built.counts.jobs == len(jobs) == len(built.workload.tasks) + len(built.left_out)
    seen = max(one.end or one.start or one.submit for one in records)
    held = sum((seen if one.end is None else one.end) - one.start for one in records if one.start is not None)
    assert sum(task.work for task in built.workload.tasks) <= held
    assert built.workload.end > max(task.job.submit for task in built.workload.tasks)
    data = write_workload(built.workload)
    read = read_workload(data, file="w.json")
    assert read.workload == built.workload
    shuffled = build(*reversed(records), since=Instant(min(since, 290)), scale=scale)
    assert write_workload(shuffled.workload) == data


@pytest.mark.parametrize(
    ("name", "log_format", "tasks", "hours"),
    [
        pytest.param("KTH-SP2.swf.gz", "swf", 28_481, 562_394, id="KTH"),
        pytest.param("UniLu-Gaia-2014-1.swf.gz", "swf", 51_859, 1_938_353, id="UniLu"),
        pytest.param("philly.csv.gz", "csv", 82_247, 978_078, id="philly, demand only"),
    ],
)
def test_public_logs_keep_their_hours(name: str, log_format: str, tasks: int, hours: int) -> None:
    path = DATA / name
    if not path.is_file():
        pytest.skip(f"{name} is not beside the repository")
    log_map = LogMap(default_pool="h100", gpus_from="processors" if log_format == "swf" else "gpus")
    read = read_log(read_bytes(str(path)), log_format=log_format, file=name, log_map=log_map)
    built = build_workload(read.records, log_map, file=name)
    assert sums_up(built.counts)
    assert built.counts.tasks == tasks
    ticks = sum(task.work * task.job.gpus for task in built.workload.tasks)
    assert round(ticks / 3_600_000) == hours
