"""Odd but real rows of Slurm, SWF and CSV logs: each becomes what a careful reader would make of it."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

from policyctl.adapters.log_csv import COLUMNS, read_csv
from policyctl.adapters.log_notes import BadRecord
from policyctl.adapters.log_record import LogRead, LogRecord
from policyctl.adapters.log_sacct import read_sacct
from policyctl.adapters.log_sacct_json import read_sacct_json
from policyctl.adapters.log_squeue_json import read_squeue_json
from policyctl.adapters.log_swf import read_swf
from policyctl.adapters.slurm_words import (
    Phase,
    array_tasks,
    host_names,
    outcome_of,
    parse_elapsed,
    parse_limit,
    parse_tres,
    state_word,
)
from policyctl.errors import NoAnswer
from policyctl.model.jobs import Outcome
from policyctl.units import parse_instant

DAY = "2026-09-01T"
BASE = {
    "JobID": "71",
    "JobIDRaw": "71",
    "Cluster": "c1",
    "JobName": "train",
    "User": "dev5",
    "Account": "arms",
    "Partition": "gpu",
    "Submit": f"{DAY}10:00:00",
    "Start": f"{DAY}10:05:00",
    "End": f"{DAY}11:00:00",
    "Elapsed": "00:55:00",
    "Timelimit": "2:00:00",
    "State": "COMPLETED",
    "NNodes": "1",
    "ReqTRES": "cpu=8,gres/gpu=8,node=1",
    "AllocTRES": "cpu=8,gres/gpu=8,node=1",
}


def at(clock: str) -> int:
    return parse_instant(f"{DAY}{clock}Z")


def sacct(*rows: Mapping[str, str], **options: str) -> LogRead:
    lines = ["|".join(BASE)]
    lines += ["|".join((BASE | dict(row)).values()) for row in rows]
    return read_sacct(("\n".join(lines) + "\n").encode(), file="s.psv", **options)  # type: ignore[arg-type]


def one(read: LogRead) -> LogRecord:
    assert len(read.records) == 1, read.findings
    return read.records[0]


def codes(read: LogRead) -> set[str]:
    return {finding.code for finding in read.findings} - {"L014", "L015"}


def balanced(read: LogRead) -> bool:
    gone = read.rejected + read.aside + read.repeated + read.merged
    return read.rows + read.expanded == len(read.records) + gone


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        pytest.param(
            {"State": "CANCELLED by 1185300516"},
            {
                "state": "CANCELLED",
                "cancelled_by": "1185300516",
                "outcome": Outcome.CANCELLED,
                "end": at("11:00:00"),
            },
            id="who cancelled is kept beside the state",
        ),
        pytest.param(
            {"State": "CANCELLED by 7", "Start": "None", "Elapsed": "00:00:00"},
            {"start": None, "end": at("11:00:00"), "outcome": Outcome.CANCELLED},
            id="cancelled before it started: no run, and no error",
        ),
        pytest.param(
            {"State": "RUNNING", "End": "Unknown"},
            {"start": at("10:05:00"), "end": None, "outcome": None},
            id="running with an unknown end is open",
        ),
        pytest.param(
            {"State": "RUNNING", "End": f"{DAY}10:05:00", "Elapsed": "22:32:22"},
            {"start": at("10:05:00"), "end": None, "outcome": None},
            id="running whose end repeats its start is open",
        ),
        pytest.param(
            {"State": "PENDING", "Start": f"{DAY}23:00:00", "End": f"{DAY}23:30:00"},
            {"start": None, "end": None, "outcome": None},
            id="pending with times of an estimate is waiting",
        ),
        pytest.param(
            {"State": "PREEMPTED"},
            {"outcome": Outcome.PREEMPTED, "end": at("11:00:00")},
            id="preempted is an end, billed for the time it ran",
        ),
        pytest.param(
            {"State": "COMPLETED", "End": "Unknown", "Elapsed": "00:10:00"},
            {"end": at("10:15:00")},
            id="an end that is missing follows from the elapsed time",
        ),
        pytest.param(
            {"JobID": "1043074_91", "JobIDRaw": "1043166"},
            {"id": "1043166", "array": "1043074_91"},
            id="an array task is known by its raw id",
        ),
        pytest.param(
            {"AllocTRES": "billing=112,cpu=36,gres/gpu:rtx2080ti=4,gres/gpu=4,mem=180G,node=1"},
            {"gpus": 4000},
            id="typed GPUs are a part of the total",
        ),
        pytest.param(
            {"AllocTRES": "cpu=36,gres/gpu:a100=2,gres/gpu:h100=1"},
            {"gpus": 3000},
            id="typed GPUs without a total are summed",
        ),
        pytest.param(
            {"ReqTRES": "cpu=12,node=1", "AllocTRES": "billing=12,cpu=12,gres/gpu=2,node=1"},
            {"gpus": 2000},
            id="what was allocated is charged, not what was asked for",
        ),
        pytest.param(
            {"State": "PENDING", "ReqTRES": "gres/gpu=16,node=2", "AllocTRES": "", "NNodes": "0"},
            {"gpus": 16000, "nodes": 2},
            id="pending counts what it asks for",
        ),
        pytest.param(
            {"ReqTRES": "cpu=8", "AllocTRES": "cpu=8,node=1"},
            {"gpus": 0, "gpus_counted": False},
            id="no GPU among the TRES is not counted, which is not none",
        ),
        pytest.param(
            {"Timelimit": "Partition_Limit"}, {"time_limit": None}, id="limit of the partition is unknown"
        ),
        pytest.param({"Timelimit": "UNLIMITED"}, {"time_limit": None}, id="unlimited is no limit"),
        pytest.param({"Timelimit": "INVALID"}, {"time_limit": None}, id="invalid limit is unknown"),
        pytest.param({"Timelimit": ""}, {"time_limit": None}, id="empty limit is unknown"),
        pytest.param({"Timelimit": "4294967295"}, {"time_limit": None}, id="2^32-1 is no limit"),
        pytest.param({"Timelimit": "10"}, {"time_limit": 600}, id="bare limit is in minutes"),
        pytest.param({"Timelimit": "3-10:00"}, {"time_limit": 295_200}, id="limit in days and hours"),
        pytest.param({"Submit": "1788256800"}, {"submit": 1788256800}, id="times may be Unix seconds"),
        pytest.param(
            {"Submit": f"{DAY}12:00:00+02:00"}, {"submit": at("10:00:00")}, id="times may have an offset"
        ),
        pytest.param(
            {"State": "RESIZING"},
            {"outcome": Outcome.REQUEUED, "end": at("11:00:00")},
            id="a resized piece of a job is a closed run",
        ),
        pytest.param({"State": "BOOT_FAIL"}, {"outcome": Outcome.BOOT_FAIL}, id="boot failure is an end"),
        pytest.param(
            {"State": "REQUEUE_HOLD"}, {"start": None, "outcome": None}, id="held after requeue is waiting"
        ),
        pytest.param(
            {"State": "COMPLETING"}, {"end": None, "outcome": None}, id="completing still holds its GPUs"
        ),
        pytest.param({"End": f"{DAY}10:05:00"}, {"end": at("10:05:00")}, id="an empty run is a run"),
    ],
)
def test_a_row_of_sacct_becomes(change: Mapping[str, str], expected: Mapping[str, object]) -> None:
    read = sacct(change)
    record = one(read)
    assert {name: getattr(record, name) for name in expected} == expected
    assert read.rejected == 0
    assert balanced(read)


@pytest.mark.parametrize(
    ("change", "code", "said"),
    [
        pytest.param(
            {"State": "FOO"}, "L004", "`FOO` is not a state of Slurm", id="unknown state is never guessed"
        ),
        pytest.param({"State": "?"}, "L004", "`?` is not a state", id="question mark is no state"),
        pytest.param({"State": ""}, "L004", "the state is empty", id="empty state"),
        pytest.param({"End": f"{DAY}09:00:00"}, "L003", "before its start", id="end before start"),
        pytest.param({"Elapsed": "-16"}, "L003", "negative time", id="negative usage"),
        pytest.param(
            {"End": "Unknown", "Elapsed": ""}, "L003", "does not say when", id="ended at an unknown time"
        ),
        pytest.param(
            {"JobName": "a | grep hot"}, "L001", "17 fields", id="name with the delimiter shifts all fields"
        ),
        pytest.param({"Submit": "Unknown"}, "L002", "no time of submission", id="no submission"),
        pytest.param({"Submit": "soon"}, "L002", "`soon` is not a time", id="text that is no time"),
        pytest.param({"AllocTRES": "gres/gpu=many"}, "L002", "does not count", id="TRES without a number"),
        pytest.param({"Timelimit": "3 days"}, "L002", "`3 days`", id="limit in words"),
        pytest.param({"NNodes": "one"}, "L002", "`one`", id="number in words"),
        pytest.param(
            {"JobID": "5_[0-999999]", "State": "PENDING"}, "L002", "at most 100000", id="array beyond reason"
        ),
    ],
)
def test_a_bad_row_is_listed_and_the_rest_is_read(change: Mapping[str, str], code: str, said: str) -> None:
    read = sacct({"JobID": "70", "JobIDRaw": "70"}, change, {"JobID": "72", "JobIDRaw": "72"})
    assert [record.id for record in read.records] == ["70", "72"]
    assert read.rejected == 1
    (bad,) = [finding for finding in read.findings if finding.code == code]
    assert said in bad.message
    assert bad.message.startswith("record 2: ")
    assert bad.place.line == 3
    assert balanced(read)


def test_steps_are_left_aside_for_they_carry_gpus_too() -> None:
    steps = [
        {"JobID": f"71.{step}", "JobIDRaw": f"71.{step}", "State": "CANCELLED"}
        for step in ("batch", "extern", "0")
    ]
    read = sacct(BASE, *steps)
    assert one(read).outcome is Outcome.COMPLETED
    assert read.aside == 3
    assert "L018" in codes(read)
    assert balanced(read)


def test_a_row_that_comes_twice_counts_once() -> None:
    read = sacct(BASE, BASE, BASE)
    assert one(read).gpus == 8000
    assert (read.repeated, codes(read)) == (2, {"L013"})
    assert balanced(read)


@pytest.mark.parametrize("newer_first", [False, True], ids=["older row first", "newer row first"])
def test_of_two_exports_the_row_that_knows_more_stays(newer_first: bool) -> None:  # noqa: FBT001 - a table's column
    rows = [
        {"State": "PENDING", "Start": "Unknown", "End": "Unknown"},
        {"State": "RUNNING", "End": "Unknown"},
        BASE,
    ]
    read = sacct(*(rows[::-1] if newer_first else rows))
    assert one(read).outcome is Outcome.COMPLETED
    assert read.repeated == 2


def test_a_requeued_job_has_every_attempt_and_waits_again() -> None:
    read = sacct(
        {"State": "REQUEUED", "End": f"{DAY}10:10:00"},
        {"State": "REQUEUED", "Start": f"{DAY}10:15:00", "End": f"{DAY}10:20:00"},
        {"State": "PENDING", "Start": "Unknown", "End": "Unknown"},
    )
    assert [record.outcome for record in read.records] == [Outcome.REQUEUED, Outcome.REQUEUED, None]
    assert read.repeated == 0


def test_pending_tasks_of_an_array_are_one_job_each() -> None:
    read = sacct(
        {"JobID": "20956421_[2-4,7%25]", "JobIDRaw": "20956421", "State": "PENDING", "Start": "Unknown"}
    )
    assert [record.id for record in read.records] == [f"20956421_{task}" for task in (2, 3, 4, 7)]
    assert {record.start for record in read.records} == {None}
    assert (read.rows, read.expanded) == (1, 3)
    assert balanced(read)


def test_components_of_a_heterogeneous_job_are_one_job_that_starts_when_all_run() -> None:
    read = sacct(
        {"JobID": "123+0", "JobIDRaw": "123", "AllocTRES": "gres/gpu=8,node=1"},
        {
            "JobID": "123+1",
            "JobIDRaw": "124",
            "AllocTRES": "gres/gpu=2,node=2",
            "NNodes": "2",
            "Start": f"{DAY}10:06:00",
        },
    )
    record = one(read)
    assert (record.id, record.gpus, record.nodes, record.start) == ("123", 10_000, 3, at("10:06:00"))
    assert read.merged == 1
    assert balanced(read)


def test_a_heterogeneous_job_waits_while_one_component_does() -> None:
    waiting = {"JobID": "123+1", "JobIDRaw": "124", "State": "PENDING", "Start": "Unknown", "End": "Unknown"}
    record = one(sacct({"JobID": "123+0", "JobIDRaw": "123", "State": "RUNNING", "End": "Unknown"}, waiting))
    assert (record.start, record.outcome, record.gpus) == (None, None, 16_000)


def test_numeric_tres_need_a_name_from_the_map() -> None:
    row = {"AllocTRES": "1=40,2=340000,4=1,5=40,1002=2", "ReqTRES": ""}
    read = sacct(row)
    assert "L009" in codes(read)
    assert not one(read).gpus_counted
    text = "|".join(BASE) + "\n" + "|".join((BASE | row).values())
    named = read_sacct(text.encode(), file="s.psv", tres={"1002": "gres/gpu"})
    assert (one(named).gpus, one(named).nodes) == (2000, 1)


def test_bytes_that_are_not_utf8_are_replaced_and_named() -> None:
    text = "|".join(BASE) + "\n" + "|".join((BASE | {"JobName": "aàb"}).values())
    read = read_sacct(text.encode("latin-1"), file="s.psv")
    assert one(read).name == "a\ufffdb"
    (finding,) = [finding for finding in read.findings if finding.code == "L007"]
    assert "line 2" in finding.message
    assert one(read_sacct(text.encode(), file="s.psv")).name == "aàb"


def test_a_line_cut_at_the_front_does_not_hide_the_header() -> None:
    text = "lpha-0.0-ed|volta32gb|0\n" + "|".join(BASE) + "\n" + "|".join(BASE.values())
    read = read_sacct(text.encode(), file="s.psv")
    assert one(read).id == "71"
    assert codes(read) == {"L001"}


def test_exports_put_together_may_repeat_the_header() -> None:
    text = "|".join(BASE) + "\n" + "|".join(BASE.values()) + "\n"
    read = read_sacct((text + text).encode(), file="s.psv")
    assert (read.rows, len(read.records)) == (2, 1)


@pytest.mark.parametrize("delimiter", ["|", "|#", ";|;", ",", "\t", "^"])
def test_the_header_shows_its_delimiter(delimiter: str) -> None:
    text = (
        delimiter.join(BASE)
        + "\n"
        + delimiter.join((BASE | {"ReqTRES": "", "AllocTRES": "gres/gpu=8"}).values())
    )
    assert one(read_sacct(text.encode(), file="s.psv")).gpus == 8000


def test_a_trailing_delimiter_is_an_empty_column() -> None:
    text = "|".join(BASE) + "|\n" + "|".join(BASE.values()) + "|\n"
    assert one(read_sacct(text.encode(), file="s.psv")).id == "71"


def test_a_log_without_a_header_needs_its_columns() -> None:
    text = "|".join(BASE.values())
    with pytest.raises(NoAnswer) as problem:
        read_sacct(text.encode(), file="s.psv")
    assert problem.value.help is not None
    assert "columns:" in problem.value.help
    assert one(read_sacct(text.encode(), file="s.psv", columns=list(BASE))).id == "71"


def test_naive_times_are_read_in_the_zone_of_the_map_and_it_is_said() -> None:
    read = sacct(BASE, zone="Europe/Stockholm")
    assert one(read).submit == at("08:00:00")
    assert any(finding.code == "L014" and "Europe/Stockholm" in finding.message for finding in read.findings)


def test_a_run_over_the_hour_that_comes_twice_does_not_end_before_it_starts() -> None:
    row = {"Submit": "2026-10-25T00:00:00", "Start": "2026-10-25T02:50:00", "End": "2026-10-25T02:10:00"}
    record = one(sacct(row, zone="Europe/Stockholm"))
    assert (record.start, record.end) == (
        parse_instant("2026-10-25T00:50:00Z"),
        parse_instant("2026-10-25T01:10:00Z"),
    )


def test_sacct_never_proves_that_nothing_was_preempted() -> None:
    assert any(finding.code == "L015" for finding in sacct(BASE).findings)


def test_a_comment_declares_a_minimum_runtime() -> None:
    text = "JobID|State|Submit|Start|End|Comment\n71|COMPLETED|1788256800|1788257100|1788260400|policyctl:min-runtime=30m;class=interactive"
    record = one(read_sacct(text.encode(), file="s.psv"))
    assert (record.declared, record.kind) == (1800, "interactive")


# The words themselves.


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1-02:24:13", 95_053),
        ("8-15:40:36", 747_636),
        ("01:05.753", 65),
        ("3-13", 306_000),
        ("3-10:00", 295_200),
        ("88-01:35:39", 7_608_939),
        ("22:32:22", 81_142),
    ],
)
def test_one_parser_reads_all_durations(text: str, seconds: int) -> None:
    assert parse_elapsed(text) == seconds
    assert parse_limit(text) == seconds


def test_a_bare_number_is_minutes_for_a_limit_only() -> None:
    assert parse_limit("10") == 600
    with pytest.raises(BadRecord):
        parse_elapsed("10")


@pytest.mark.parametrize(
    ("text", "tasks"),
    [
        ("[2-4%25]", [2, 3, 4]),
        ("[2-7,12-17,22%56]", [2, 3, 4, 5, 6, 7, 12, 13, 14, 15, 16, 17, 22]),
        ("[2,4-12]", [2, 4, 5, 6, 7, 8, 9, 10, 11, 12]),
        ("[0%1]", [0]),
        ("0-15:5", [0, 5, 10, 15]),
    ],
)
def test_array_ranges_are_expanded_without_their_limit(text: str, tasks: list[int]) -> None:
    assert array_tasks(text) == tasks


@pytest.mark.parametrize("text", ["[]", "[a]", "[5-2]", "[0-100000]", "[0-10:0]", "[1-2"[:-1] + "x"])
def test_what_is_no_array_range_is_refused(text: str) -> None:
    with pytest.raises(BadRecord):
        array_tasks(text)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("n1", ["n1"]),
        ("n[1-3,07],m2", ["n1", "n2", "n3", "n07", "m2"]),
        ("cpn-f13-03-[01-02],cpn-f14", ["cpn-f13-03-01", "cpn-f13-03-02", "cpn-f14"]),
        ("r[1-2]n[1-2]", []),
        ("None assigned", ["None assigned"]),
    ],
)
def test_host_lists(text: str, names: list[str]) -> None:
    assert host_names(text) == names


@pytest.mark.parametrize(
    ("text", "word", "by"),
    [
        ("CANCELLED by 32874", "CANCELLED", "32874"),
        ("COMPLETED", "COMPLETED", ""),
        ("CANCELLED+", "CANCELLED", ""),
    ],
)
def test_the_first_word_is_the_state(text: str, word: str, by: str) -> None:
    assert state_word(text) == (word, by)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["RUNNING", "COMPLETING"], Phase.RUNNING),
        (["PENDING", "REQUEUED"], Phase.PENDING),
        (["CONFIGURING", "RUNNING"], Phase.RUNNING),
        (["COMPLETED", "COMPLETING"], Outcome.COMPLETED),
        (["EXPEDITING"], Phase.PENDING),
        (["SIGNALING"], Phase.RUNNING),
        (["SPECIAL_EXIT"], Phase.PENDING),
        (["REVOKED"], Outcome.CANCELLED),
        (["DEADLINE"], Outcome.DEADLINE),
    ],
)
def test_a_list_of_states_is_decided_by_the_one_that_is_no_flag(
    words: list[str], said: Outcome | Phase
) -> None:
    assert outcome_of(words) is said


def test_every_outcome_has_a_word_of_slurm() -> None:
    assert {outcome_of([one.value.upper()]) for one in Outcome} == set(Outcome)


def test_numbers_that_mean_not_set_count_nothing() -> None:
    assert parse_tres("gres/gpu=4294967294,node=1", {}).gpus is None
    assert parse_tres("gres/gpu=18446744073709551615", {}).gpus is None


# Slurm's JSON.


def old_shape(**change: object) -> dict[str, object]:
    return {
        "job_id": 71,
        "group": "dev5",
        "user": "dev5",
        "account": "arms",
        "partition": "gpu",
        "cluster": "c1",
        "allocation_nodes": 1,
        "array": {"job_id": 0, "task": None, "task_id": None},
        "het": {"job_id": 0, "job_offset": None},
        "priority": 5,
        "state": {"current": "COMPLETED"},
        "time": {"submission": 100, "start": 200, "end": 300, "elapsed": 100, "limit": 60},
        "tres": {"allocated": [{"type": "gres", "name": "gpu", "id": 1001, "count": 8}], "requested": []},
    } | change


def number(value: int | None) -> dict[str, object]:
    return {"set": value is not None, "infinite": False, "number": value or 0}


def new_shape(**change: object) -> dict[str, object]:
    return (
        old_shape(
            array={"job_id": 0, "task": "", "task_id": number(None)},
            het={"job_id": 0, "job_offset": number(None)},
            priority=number(5),
            state={"current": ["COMPLETED"]},
            time={"submission": 100, "start": 200, "end": 300, "elapsed": 100, "limit": number(60)},
        )
        | change
    )


def sacct_json(*jobs: object) -> LogRead:
    return read_sacct_json(json.dumps({"jobs": jobs}).encode(), file="s.json")


def test_both_shapes_of_sacct_json_say_the_same() -> None:
    assert sacct_json(old_shape()).records == sacct_json(new_shape()).records
    assert one(sacct_json(old_shape())).time_limit == 3600


@pytest.mark.parametrize("nothing", [0, 4294967294, 4294967295])
def test_times_that_mean_not_set(nothing: int) -> None:
    time = {"submission": 100, "start": nothing, "end": 300, "elapsed": 0}
    record = one(sacct_json(old_shape(state={"current": "CANCELLED"}, time=time)))
    assert (record.start, record.end) == (None, 300)


@pytest.mark.parametrize(
    "task", [3, {"number": 3}, number(3)], ids=["a number", "an object", "an object that is set"]
)
def test_a_task_id_in_either_shape(task: object) -> None:
    assert one(sacct_json(old_shape(array={"job_id": 51, "task_id": task}))).array == "51_3"


def test_an_entry_without_a_group_is_left_out_with_a_count() -> None:
    read = sacct_json(old_shape(group=None), old_shape(job_id=72))
    assert one(read).id == "72"
    assert (read.aside, codes(read)) == (1, {"L006"})
    assert balanced(read)


def test_pending_arrays_and_heterogeneous_jobs_in_json() -> None:
    waiting = {"submission": 100, "start": 0, "end": 0}
    tasks = old_shape(
        state={"current": "PENDING"}, time=waiting, array={"job_id": 51, "task": "0-2%2", "task_id": None}
    )
    assert [record.id for record in sacct_json(tasks).records] == ["51_0", "51_1", "51_2"]
    parts = [
        old_shape(job_id=80, het={"job_id": 80, "job_offset": 0}),
        old_shape(job_id=81, het={"job_id": 80, "job_offset": 1}),
    ]
    assert (one(sacct_json(*parts)).id, one(sacct_json(*parts)).gpus) == ("80", 16_000)


@pytest.mark.parametrize(
    ("job", "code"),
    [
        pytest.param("text", "L002", id="an entry that is no object"),
        pytest.param(old_shape(state={"current": "FOO"}), "L004", id="a state nobody knows"),
        pytest.param(old_shape(state={"current": 5}), "L004", id="a state that is a number"),
        pytest.param(
            old_shape(time={"submission": 100, "start": 300, "end": 200}), "L003", id="end before start"
        ),
        pytest.param(old_shape(job_id=None), "L002", id="no id"),
        pytest.param(old_shape(priority="high"), "L002", id="a word for a number"),
    ],
)
def test_a_bad_entry_is_listed_by_its_index(job: object, code: str) -> None:
    read = sacct_json(old_shape(), job)
    assert one(read).id == "71"
    (bad,) = [finding for finding in read.findings if finding.code == code]
    assert bad.message.startswith("`jobs[1]`: ")
    assert bad.place.path == "jobs[1]"


@pytest.mark.parametrize("data", [b"[]", b"{}", b'{"jobs": 5}', b'{"jobs": [', b"", b"[" * 100_000])
@pytest.mark.parametrize("read", [read_sacct_json, read_squeue_json])
def test_what_is_no_list_of_jobs_is_no_answer(data: bytes, read: object) -> None:
    with pytest.raises(NoAnswer):
        read(data, file="s.json")  # type: ignore[operator]


# Standard Workload Format.


def swf(*rows: str, start: str = "; UnixStartTime: 1000\n") -> LogRead:
    return read_swf((start + "\n".join(rows)).encode("latin-1"), file="w.swf")


def line(
    *, job: int = 1, wait: int = 10, run: int = 100, procs: int = 8, asked: int = 8, status: int = 1
) -> str:
    return f"{job} 0 {wait} {run} {procs} -1 -1 {asked} 3600 -1 {status} 5 6 7 2 1 -1 -1"


def test_a_line_of_swf() -> None:
    record = one(swf(line()))
    assert (record.submit, record.start, record.end, record.processors) == (1000, 1010, 1110, 8)
    assert (record.user, record.group, record.qos, record.partition, record.time_limit) == (
        "5",
        "6",
        "2",
        "1",
        3600,
    )


@pytest.mark.parametrize(
    ("row", "start", "end", "outcome", "processors", "code"),
    [
        pytest.param(
            line(procs=-1), 1010, 1110, Outcome.COMPLETED, 8, None, id="requested where allocated is unknown"
        ),
        pytest.param(
            line(procs=-1, asked=-1),
            1010,
            1110,
            Outcome.COMPLETED,
            0,
            "L010",
            id="unknown size bills nothing",
        ),
        pytest.param(line(run=0), 1010, 1010, Outcome.COMPLETED, 8, None, id="zero run time is an empty run"),
        pytest.param(line(run=-1), 1010, 1010, Outcome.COMPLETED, 8, "L011", id="unknown run bills nothing"),
        pytest.param(line(wait=-1), 1000, 1100, Outcome.COMPLETED, 8, "L011", id="unknown wait is none"),
        pytest.param(
            line(status=-1), 1010, 1110, Outcome.COMPLETED, 8, "L016", id="unknown status is completed"
        ),
        pytest.param(
            line(status=5, run=0), None, 1010, Outcome.CANCELLED, 8, None, id="cancelled before start"
        ),
        pytest.param(line(status=5), 1010, 1110, Outcome.CANCELLED, 8, None, id="cancelled while it ran"),
        pytest.param(line(status=0), 1010, 1110, Outcome.FAILED, 8, None, id="failed"),
    ],
)
def test_what_is_unknown_in_swf(  # noqa: PLR0917 - a table of columns
    row: str, start: int | None, end: int, outcome: Outcome, processors: int, code: str | None
) -> None:
    read = swf(row)
    record = one(read)
    assert (record.start, record.end, record.outcome, record.processors) == (start, end, outcome, processors)
    assert codes(read) == ({code} if code else set())


def test_partial_records_are_billed_only_without_a_summary() -> None:
    parts = [line(run=40, status=2), line(wait=60, run=50, status=3)]
    assert len(swf(*parts).records) == 2
    read = swf(line(), *parts)
    assert one(read).outcome is Outcome.COMPLETED
    assert (read.aside, codes(read)) == (2, {"L018"})
    assert balanced(read)


@pytest.mark.parametrize(
    ("row", "code"),
    [
        pytest.param("1 2 3", "L001", id="too few fields"),
        pytest.param(line() + " 5", "L001", id="too many fields"),
        pytest.param(line().replace("3600", "1h"), "L002", id="not a number"),
        pytest.param(line(status=9), "L004", id="unknown status"),
    ],
)
def test_a_bad_line_of_swf(row: str, code: str) -> None:
    read = swf(row, line(job=2))
    assert one(read).id == "2"
    assert codes(read) == {code}


def test_the_header_of_swf_is_free_text_in_latin_1() -> None:
    header = "; Partition: 18  z+i5U=:\n`; \n; Queue: né\n;UnixStartTime: 1000\n"
    read = swf(line(), start=header)
    assert len(read.records) == 1
    assert read.records[0].submit == 1000
    assert codes(read) == set()


# The nine-column CSV.


def csv_log(*rows: str) -> LogRead:
    return read_csv((",".join(COLUMNS) + "\n" + "\n".join(rows)).encode(), file="c.csv")


@pytest.mark.parametrize(
    ("row", "expected", "code"),
    [
        pytest.param("1,100,200,300,u,g,8,1,COMPLETED", (200, 300, Outcome.COMPLETED), None, id="a run"),
        pytest.param("1,100,200,,u,g,8,1,RUNNING", (200, None, None), None, id="no end: it runs"),
        pytest.param("1,100,,,u,g,8,1,PENDING", (None, None, None), None, id="no start: it waits"),
        pytest.param(
            "1,100,,300,u,g,8,1,CANCELLED", (None, 300, Outcome.CANCELLED), None, id="left without running"
        ),
        pytest.param("1,100,,300,u,g,8,1,PENDING", (None, None, None), None, id="pending with an end waits"),
        pytest.param(
            "1,100,,,u,g,8,1,FAILED", (None, None, Outcome.FAILED), "L011", id="ended without a time"
        ),
        pytest.param(
            "1,100,200,300,u,g,8,1,UNKNOWN", (200, 300, Outcome.COMPLETED), "L016", id="outcome unknown"
        ),
        pytest.param(
            "1,100,200,300,u,g,8,1,RUNNING", (200, 300, Outcome.COMPLETED), "L016", id="an end decides"
        ),
        pytest.param("1,100,200,300,u,g,,1,FAILED", (200, 300, Outcome.FAILED), "L010", id="size unknown"),
    ],
)
def test_a_row_of_csv(
    row: str, expected: tuple[int | None, int | None, Outcome | None], code: str | None
) -> None:
    read = csv_log(row)
    record = one(read)
    assert (record.start, record.end, record.outcome) == expected
    assert codes(read) == ({code} if code else set())


@pytest.mark.parametrize(
    ("row", "code"),
    [
        pytest.param("1,100,200", "L001", id="too few fields"),
        pytest.param("1,100,300,200,u,g,8,1,COMPLETED", "L003", id="end before start"),
        pytest.param("1,100,200,,u,g,8,1,COMPLETED", "L003", id="ended, nobody knows when"),
        pytest.param("1,100,,,u,g,8,1,RUNNING", "L003", id="runs, nobody knows since when"),
        pytest.param("1,100,200,300,u,g,8,1,BAR", "L004", id="unknown state"),
        pytest.param("1,2026-09-01,200,300,u,g,8,1,COMPLETED", "L002", id="time that is not Unix seconds"),
        pytest.param("1,,200,300,u,g,8,1,COMPLETED", "L002", id="no submission"),
        pytest.param(",100,200,300,u,g,8,1,COMPLETED", "L002", id="no id"),
        pytest.param("1,100,200,300,u,g,-8,1,COMPLETED", "L002", id="negative GPUs"),
        pytest.param("1,100,200,300,u,g,0.4567,1,COMPLETED", "L002", id="more than three decimals"),
    ],
)
def test_a_bad_row_of_csv(row: str, code: str) -> None:
    read = csv_log("0,1,2,3,u,g,1,1,COMPLETED", row)
    assert one(read).id == "0"
    (bad,) = [finding for finding in read.findings if finding.severity == "error"]
    assert (bad.code, bad.place.line) == (code, 3)
    assert "record 2" in bad.message
    assert balanced(read)


def test_a_quoted_name_over_two_lines_keeps_the_lines_after_it_right() -> None:
    read = csv_log('1,1,2,3,"a\nb",g,1,1,COMPLETED', "2,bad,2,3,u,g,1,1,COMPLETED")
    assert read.records[0].user == "a\nb"
    assert [finding.place.line for finding in read.findings] == [4]


@pytest.mark.parametrize(
    "header",
    ["", "job_id,submit\n", ",".join(COLUMNS[:-1]) + "\n", ",".join((*COLUMNS, "extra")) + "\n", "\x00\n"],
    ids=["empty file", "another header", "a column less", "a column more", "a control character"],
)
def test_another_header_is_no_answer(header: str) -> None:
    with pytest.raises(NoAnswer):
        read_csv(header.encode(), file="c.csv")


def test_columns_may_come_in_any_order() -> None:
    text = "state,nodes,gpus,group,user,end_time_s,start_time_s,submit_time_s,job_id\nCOMPLETED,1,0.46,g,u,3,2,1,9"
    record = one(read_csv(text.encode(), file="c.csv"))
    assert (record.id, record.gpus, record.start) == ("9", 460, 2)
