"""States out of logs: who is where at an instant, and that no record gets lost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from policyctl.adapters.log_formats import FORMATS, read_log
from policyctl.adapters.log_map import LogMap
from policyctl.adapters.log_map_read import read_map
from policyctl.adapters.log_record import LogRead, LogRecord
from policyctl.adapters.log_state import ImportCounts, StateBuild, build_state
from policyctl.adapters.state_json import read_state, write_state
from policyctl.errors import UsageProblem
from policyctl.model.jobs import Outcome
from policyctl.units import Instant, MilliGpu, Seconds, parse_instant

FIXTURES = Path(__file__).parent / "fixtures"
MAP = LogMap(default_pool="h100")
FATES = (
    "queue",
    "running",
    "usage",
    "before_window",
    "not_yet_submitted",
    "never_ran",
    "superseded",
    "without_pool",
)


def record(
    number: int = 1,
    *,
    job: str = "71",
    submit: int = 100,
    start: int | None = 200,
    end: int | None = 300,
    **more: Any,
) -> LogRecord:
    outcome = more.pop("outcome", Outcome.COMPLETED if end is not None else None)
    words: dict[str, Any] = {"user": "dev5", "group": "arms", "gpus": MilliGpu(8000), "nodes": 1} | more
    return LogRecord(
        number=number,
        line=number + 1,
        id=job,
        submit=Instant(submit),
        start=None if start is None else Instant(start),
        end=None if end is None else Instant(end),
        outcome=outcome,
        state="X",
        **words,
    )


def build(*records: LogRecord, at: int, window: int | None = None, log_map: LogMap = MAP) -> StateBuild:
    start = None if window is None else Instant(window)
    return build_state(records, log_map, at=Instant(at), window_start=start, pools={"h100"})


def sums_up(counts: ImportCounts) -> bool:
    return sum(int(getattr(counts, name)) for name in FATES) == counts.records


@pytest.mark.parametrize(
    ("job", "at", "window", "fate"),
    [
        pytest.param(record(), 99, None, "not_yet_submitted", id="before it was submitted"),
        pytest.param(record(), 100, None, "queue", id="at its submission"),
        pytest.param(record(), 199, None, "queue", id="before it starts"),
        pytest.param(record(), 200, None, "running", id="at its start"),
        pytest.param(record(), 299, None, "running", id="before it ends"),
        pytest.param(record(), 300, None, "usage", id="at its end"),
        pytest.param(record(), 400, 299, "usage", id="it reaches into the window"),
        pytest.param(record(), 400, 300, "before_window", id="it ended as the window began"),
        pytest.param(record(end=200), 200, 200, "usage", id="an empty run within the window"),
        pytest.param(record(end=None), 10_000, None, "running", id="no end is known"),
        pytest.param(record(start=None, end=None), 10_000, None, "queue", id="it still waits"),
        pytest.param(record(start=None, outcome=Outcome.CANCELLED), 299, None, "queue", id="before it was cancelled"),
        pytest.param(record(start=None, outcome=Outcome.CANCELLED), 300, None, "never_ran", id="cancelled before start"),
        pytest.param(record(start=None, end=None, outcome=Outcome.FAILED), 100, None, "never_ran", id="ended nobody knows when"),
        pytest.param(record(submit=250, start=200), 200, None, "running", id="it ran before its submission"),
    ],
)  # fmt: skip
def test_what_a_record_is_at_an_instant(job: LogRecord, at: int, window: int | None, fate: str) -> None:
    counts = build(job, at=at, window=window).counts
    assert getattr(counts, fate) == 1
    assert sums_up(counts)


ATTEMPTS = [
    record(1, submit=100, start=200, end=300, outcome=Outcome.PREEMPTED),
    record(2, submit=300, start=350, end=400, outcome=Outcome.REQUEUED),
    record(3, submit=400, start=500, end=600),
]
SAME_SUBMIT = [
    record(1, submit=100, start=200, end=300, outcome=Outcome.PREEMPTED),
    record(2, submit=100, start=350, end=400, outcome=Outcome.REQUEUED),
    record(3, submit=100, start=500, end=600),
]


@pytest.mark.parametrize(
    "attempts", [ATTEMPTS, SAME_SUBMIT], ids=["submission is reset", "submission is repeated"]
)
@pytest.mark.parametrize(
    ("at", "live", "runs"),
    [
        (150, "waiting", 0),
        (250, "running since 200", 0),
        (320, "waiting", 1),
        (375, "running since 350", 1),
        (450, "waiting", 2),
        (550, "running since 500", 2),
        (700, "gone", 3),
    ],
)
def test_every_attempt_is_a_run_and_the_job_waits_since_its_first_submission(
    attempts: list[LogRecord], at: int, live: str, runs: int
) -> None:
    answer = build(*attempts, at=at)
    found = ["waiting" if job.start is None else f"running since {job.start}" for job in answer.state.jobs]
    assert found == ([] if live == "gone" else [live])
    assert len(answer.state.usage) == runs
    assert all(job.submit == 100 for job in answer.state.jobs)
    assert all(job.preemptions == ((300,) if at >= 300 else ()) for job in answer.state.jobs)
    assert sums_up(answer.counts)
    assert answer.counts.superseded == 0


def test_of_two_live_records_the_later_run_stays() -> None:
    answer = build(record(1, end=None), record(2, start=250, end=None), at=1000)
    assert [job.start for job in answer.state.jobs] == [250]
    assert answer.counts.superseded == 1
    assert "L012" in {one.code for one in answer.findings}


def test_of_two_runs_with_one_start_the_longer_stays() -> None:
    answer = build(record(1, end=300), record(2, end=400), record(3, end=350), at=1000)
    assert [run.end for run in answer.state.usage] == [400]
    assert answer.counts.superseded == 2
    assert sums_up(answer.counts)


def test_a_counter_of_ids_that_began_again_makes_nobody_wait_for_years() -> None:
    answer = build(
        record(1, user="dev6", submit=1, start=2, end=3), record(2, submit=900, start=None, end=None), at=1000
    )
    assert [job.submit for job in answer.state.jobs] == [900]


def test_clusters_do_not_share_ids() -> None:
    answer = build(record(1, cluster="a", end=None), record(2, cluster="b", end=None), at=1000)
    assert [job.id for job in answer.state.jobs] == ["a/71", "b/71"]
    assert [job.id for job in build(record(1, cluster="a", end=None), at=1000).state.jobs] == ["71"]


def test_what_is_not_mapped_is_kept_counted_and_shown() -> None:
    log_map = read_map("accounts: [{group: arms, to: /a}]\ndefaultPool: h100", file="m").map
    assert log_map is not None
    answer = build(
        record(1),
        record(2, job="72", group="legs"),
        record(3, job="73", group="legs"),
        at=1000,
        log_map=log_map,
    )
    assert [run.job.account for run in answer.state.usage] == ["/a", "/unmapped", "/unmapped"]
    assert (answer.counts.default_account, answer.counts.default_pool) == (2, 3)
    said = [one.message for one in answer.findings if one.code == "L017"]
    assert "2 records have no rule and go to account `/unmapped`; by group: `legs` (2)" in said


def test_a_record_that_no_pool_takes_is_an_error_with_its_number() -> None:
    answer = build(record(1), record(2, job="72"), at=1000, log_map=LogMap())
    assert answer.counts.without_pool == 2
    (found,) = [one for one in answer.findings if one.code == "L005"]
    assert found.severity == "error"
    assert "records 1 and 2" in found.message


def test_a_pool_that_the_policy_does_not_have_is_an_error() -> None:
    answer = build(record(), at=1000, log_map=LogMap(default_pool="tpu"))
    assert [one.code for one in answer.findings if one.severity == "error"] == ["L005"]


@pytest.mark.parametrize(
    ("per_node", "gpus", "nodes"), [(None, 64_000, 1), (8, 64_000, 8), (8, 9_000, 2), (8, 500, 1), (8, 0, 1)]
)
def test_nodes_that_the_log_does_not_say(per_node: int | None, gpus: int, nodes: int) -> None:
    log_map = LogMap(default_pool="h100", gpus_per_node=per_node)
    answer = build(record(nodes=None, gpus=MilliGpu(gpus)), at=1000, log_map=log_map)
    assert answer.state.usage[0].job.nodes == nodes
    assert "L020" in {one.code for one in answer.findings}


def test_processors_are_gpus_only_where_the_map_says_so() -> None:
    job = record(gpus=MilliGpu(0), gpus_counted=False, processors=80)
    plain = build(job, at=1000)
    assert plain.state.usage[0].job.gpus == 0
    assert "L008" in {one.code for one in plain.findings}
    treated = build(job, at=1000, log_map=LogMap(default_pool="h100", gpus_from="processors"))
    assert treated.state.usage[0].job.gpus == 80_000
    assert "L008" not in {one.code for one in treated.findings}


def test_rows_without_a_count_of_gpus_matter_in_pools_that_rules_name() -> None:
    rule = read_map("pools: [{partition: gpu, to: h100}]\ndefaultPool: h100", file="m").map
    assert rule is not None
    counted = record(1)
    silent = {"gpus": MilliGpu(0), "gpus_counted": False}
    answer = build(
        counted,
        record(2, job="72", partition="gpu", **silent),
        record(3, job="73", partition="cpu", **silent),
        at=1000,
        log_map=rule,
    )
    (found,) = [one for one in answer.findings if one.code == "L008"]
    assert found.message == "the log counts no GPUs in 1 record of pool `h100`: record 2"
    assert answer.counts.without_gpus == 1


def test_labels_are_the_words_that_the_map_asks_for() -> None:
    log_map = LogMap(default_pool="h100", labels=("qos", "partition", "array"))
    answer = build(record(qos="high", partition="gpu"), at=1000, log_map=log_map)
    assert answer.state.usage[0].job.labels == {"partition": "gpu", "qos": "high"}


def test_a_user_with_odd_characters_still_makes_a_state_that_can_be_read() -> None:
    answer = build(record(user="a\nb", job="7\x001"), at=1000)
    assert read_state(write_state(answer.state), file="s").state == answer.state


# Laws.

TIMES = st.integers(min_value=0, max_value=60)


@st.composite
def logs(draw: st.DrawFn) -> list[LogRecord]:
    records = []
    for number in range(1, draw(st.integers(min_value=0, max_value=8)) + 1):
        submit = draw(TIMES)
        wait, run = draw(st.none() | st.integers(0, 30)), draw(st.none() | st.integers(0, 30))
        start = None if wait is None else submit + wait
        end = None if start is None or run is None else start + run
        outcome = None if end is None else draw(st.sampled_from(Outcome))
        if start is None and draw(st.booleans()):
            end, outcome = draw(st.none() | TIMES), Outcome.CANCELLED
        records.append(
            record(
                number,
                job=draw(st.sampled_from(["1", "2", "3", "4"])),
                submit=submit,
                start=start,
                end=end,
                outcome=outcome,
                gpus=MilliGpu(draw(st.integers(min_value=0, max_value=16_000))),
                partition=draw(st.sampled_from(["gpu", "cpu"])),
                time_limit=draw(st.none() | st.just(Seconds(60))),
            )
        )
    return records


@given(logs(), TIMES, st.none() | TIMES, st.randoms(use_true_random=False))
@settings(max_examples=200, deadline=None)
def test_every_record_is_in_one_place_and_the_state_is_sound(
    records: list[LogRecord], at: int, window: int | None, rng: Any
) -> None:
    """Counts sum to the records, the state reads back without an error, and the order of records does not matter."""
    log_map = read_map("pools: [{partition: gpu, to: h100}]", file="m").map
    assert log_map is not None
    answer = build(*records, at=at, window=window, log_map=log_map)
    assert sums_up(answer.counts)
    assert len(answer.state.jobs) == answer.counts.queue + answer.counts.running
    assert len({job.id for job in answer.state.jobs}) == len(answer.state.jobs)
    assert len(answer.state.usage) == answer.counts.usage
    again = read_state(write_state(answer.state), file="s", pools={"h100"})
    assert {one.code for one in again.findings} <= {"J012"}
    shuffled = list(records)
    rng.shuffle(shuffled)
    assert build(*shuffled, at=at, window=window, log_map=log_map) == answer


@given(logs(), TIMES)
@settings(max_examples=100, deadline=None)
def test_no_gpu_time_is_lost_between_usage_and_running(records: list[LogRecord], at: int) -> None:
    """Over unique jobs, GPU time of usage and running jobs up to an instant is that of the log up to it."""
    unique = list({one.id: one for one in records}.values())
    state = build(*unique, at=at).state
    held = sum(run.job.gpus * (run.end - (run.job.start or 0)) for run in state.usage)
    held += sum(job.gpus * (at - job.start) for job in state.jobs if job.start is not None)
    in_log = sum(
        one.gpus * max(0, min(at, at if one.end is None else one.end) - one.start)
        for one in unique
        if one.start is not None
    )
    assert held == in_log


# Whole files of two versions of Slurm.


def read_fixture(name: str, log_format: str) -> LogRead:
    return read_log((FIXTURES / name).read_bytes(), log_format=log_format, file=name, log_map=MAP)


def test_text_and_json_of_sacct_say_the_same() -> None:
    text = read_fixture("sacct-22.05-steps.psv", "sacct")
    data = read_fixture("sacct-22.05.json", "sacct-json")
    assert (text.rows, text.aside, len(text.records)) == (38, 20, 18)
    assert (data.rows, data.aside, len(data.records)) == (18, 0, 18)

    def told(one: LogRecord) -> tuple[object, ...]:
        return (
            one.id,
            one.user,
            one.group,
            one.submit,
            one.start,
            one.end,
            one.outcome,
            one.gpus,
            one.nodes,
            one.time_limit,
            one.array,
        )

    assert {told(one) for one in text.records} == {told(one) for one in data.records}


def test_a_preempted_job_of_slurm_is_preempted_waits_and_runs_again() -> None:
    records = read_fixture("sacct-22.05-steps.psv", "sacct").records
    before, between, after = (parse_instant(f"2026-11-29T14:08:{second}Z") for second in ("45", "50", "53"))
    states = [build_state(records, MAP, at=moment).state for moment in (before, between, after)]
    found = [next(job for job in state.jobs if job.id == "61") for state in states]
    assert [job.start is not None for job in found] == [True, False, True]
    preempted = parse_instant("2026-11-29T14:08:46Z")
    assert [job.preemptions for job in found] == [(), (preempted,), (preempted,)]
    assert {job.submit for job in found} == {parse_instant("2026-11-29T14:08:42Z")}
    runs = [run for run in states[2].usage if run.job.id == "61"]
    assert [(run.outcome, run.end) for run in runs] == [(Outcome.PREEMPTED, preempted)]


def test_the_comment_of_a_job_declares_its_minimum_runtime() -> None:
    for name, log_format in (("sacct-22.05-steps.psv", "sacct"), ("sacct-22.05.json", "sacct-json")):
        declared = {one.id: one.declared for one in read_fixture(name, log_format).records}
        assert declared["49"] == 1800
        assert declared["61"] is None


def test_a_cancelled_pending_job_of_24_11_never_ran() -> None:
    for name, log_format in (("sacct-24.11.psv", "sacct"), ("sacct-24.11.json", "sacct-json")):
        (pending,) = [one for one in read_fixture(name, log_format).records if one.id == "6"]
        assert (pending.start, pending.outcome, pending.gpus) == (None, Outcome.CANCELLED, 32_000)


@pytest.mark.parametrize(("name", "running"), [("squeue-22.05.json", 3), ("squeue-24.11.json", 4)])
def test_squeue_of_both_versions_knows_what_runs_where(name: str, running: int) -> None:
    records = read_fixture(name, "squeue-json").records
    alive = [one for one in records if one.start is not None and one.outcome is None]
    assert len(alive) >= running
    assert all(one.placement and sum(one.placement.values()) == one.gpus for one in alive)
    waiting = [one for one in records if one.state == "PENDING"]
    assert waiting
    assert all(one.start is None and one.end is None for one in waiting)


@pytest.mark.parametrize(
    ("name", "log_format"),
    [("sacct-22.05-steps.psv", "sacct"), ("sacct-24.11.psv", "sacct"), ("sacct-24.11.json", "sacct-json"), ("squeue-22.05.json", "squeue-json"), ("squeue-24.11.json", "squeue-json")],
)  # fmt: skip
def test_any_instant_of_a_real_export_makes_a_state_that_reads_back(name: str, log_format: str) -> None:
    read = read_fixture(name, log_format)
    moments = sorted(
        {time for one in read.records for time in (one.submit, one.start, one.end) if time is not None}
    )
    for moment in moments:
        answer = build_state(read.records, MAP, at=moment)
        assert sums_up(answer.counts)
        again = read_state(write_state(answer.state), file="s", pools={"h100"})
        assert not again.findings
        assert again.state == answer.state


def test_formats_are_named() -> None:
    assert set(FORMATS) == {"csv", "swf", "sacct", "sacct-json", "squeue-json"}
    with pytest.raises(UsageProblem) as problem:
        read_log(b"", log_format="pbs", file="x", log_map=MAP)
    assert "`sacct-json`" in (problem.value.help or "")
