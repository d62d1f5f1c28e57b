"""Whatever a log holds: every row is accounted for, and the state that comes out can be read back."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from policyctl.adapters.log_csv import COLUMNS
from policyctl.adapters.log_formats import FORMATS, read_log
from policyctl.adapters.log_map import LogMap
from policyctl.adapters.log_record import LogRead
from policyctl.adapters.log_state import build_state
from policyctl.adapters.state_json import read_state, write_state
from policyctl.errors import NoAnswer
from policyctl.units import Instant

MAP = LogMap(default_pool="h100", gpus_per_node=8, labels=("qos", "name", "array"))
ODD = st.sampled_from(
    [
        "",
        "Unknown",
        "None",
        "-1",
        "0",
        "1",
        "71",
        "71.0",
        "5_[1-3]",
        "5_[1,...]",
        "9+1",
        "4294967294",
        "4294967295",
        "18446744073709551614",
        "9" * 30,
        "1-02:24:13",
        "01:05.753",
        "UNLIMITED",
        "gres/gpu=8",
        "1=4,1001=2",
        "né\x00",
        "gres/gpu=99999999999",
        "999999999-00:00:00",
        "9999-12-31T23:59:59",
        "0001-01-01T00:00:00",
        "2026-02-30T00:00:00",
        "2026-10-25T02:30:00",
        "COMPLETED",
        "RUNNING",
        "PENDING",
        "PREEMPTED",
        "CANCELLED by 0",
        "RESIZING",
        "FOO",
        "policyctl:min-runtime=90",
        "policyctl:min-runtime=1h;class=interactive",
    ]
)
WORDS = ODD | st.text(max_size=6)
SACCT = [
    "JobID",
    "JobIDRaw",
    "DBIndex",
    "Cluster",
    "User",
    "Account",
    "QOS",
    "JobName",
    "Submit",
    "Start",
    "End",
    "ElapsedRaw",
    "Timelimit",
    "State",
    "NNodes",
    "ReqTRES",
    "AllocTRES",
    "Comment",
    "Priority",
]
GOOD = {
    "JobID": "71",
    "Submit": "2026-09-01T10:00:00",
    "Start": "2026-09-01T10:05:00",
    "End": "2026-09-01T11:00:00",
    "State": "COMPLETED",
    "ElapsedRaw": "5",
}


def text_rows(names: list[str], good: dict[str, str], delimiter: str) -> st.SearchStrategy[str]:
    row = st.dictionaries(st.sampled_from(names), WORDS, max_size=5)
    line = row.map(
        lambda odd: delimiter.join((dict.fromkeys(names, "") | good | odd)[name] for name in names)
    )
    return st.lists(line, max_size=6).map("\n".join)


def sound(data: bytes, log_format: str) -> LogRead | None:
    try:
        read = read_log(data, log_format=log_format, file="x", log_map=MAP)
    except NoAnswer:
        return None
    gone = read.rejected + read.aside + read.repeated + read.merged
    assert read.rows + read.expanded == len(read.records) + gone
    times = {time for one in read.records for time in (one.submit, one.start, one.end) if time is not None}
    for at in [*sorted(times)[:4], max(times, default=0)]:
        answer = build_state(read.records, MAP, at=Instant(at), pools={"h100"})
        again = read_state(write_state(answer.state), file="s", pools={"h100"})
        assert {one.code for one in again.findings} <= {"J012"}, again.findings
        assert again.state == answer.state
    return read


@given(text_rows(SACCT, GOOD, "|"))
@settings(max_examples=150, deadline=None)
def test_any_rows_of_sacct(rows: str) -> None:
    sound(("|".join(SACCT) + "\n" + rows).encode(errors="replace"), "sacct")


@given(
    text_rows(
        list(COLUMNS),
        {
            "job_id": "1",
            "submit_time_s": "1",
            "start_time_s": "2",
            "end_time_s": "3",
            "gpus": "8",
            "state": "COMPLETED",
        },
        ",",
    )
)
@settings(max_examples=150, deadline=None)
def test_any_rows_of_csv(rows: str) -> None:
    sound((",".join(COLUMNS) + "\n" + rows).encode(errors="replace"), "csv")


@given(text_rows([str(field) for field in range(18)], {str(field): "1" for field in range(18)}, " "))
@settings(max_examples=100, deadline=None)
def test_any_rows_of_swf(rows: str) -> None:
    sound(("; UnixStartTime: 9999999999\n" + rows).encode(errors="replace"), "swf")


NUMBERS: st.SearchStrategy[object] = st.sampled_from(
    [None, 0, 5, 200, -2, 4294967294, 2**64 - 1, 10**11, 10**30, 1.5, True, "7", "x", [], {}]
) | st.builds(
    lambda set_, number: {"set": set_, "infinite": False, "number": number},
    st.booleans(),
    st.integers(0, 300),
)
STATES = st.sampled_from(
    ["RUNNING", ["PENDING"], ["COMPLETED"], ["CANCELLED", "COMPLETING"], "FOO", None, 5, [], [5], ""]
)
TEXTS: st.SearchStrategy[object] = st.sampled_from(
    ["", "a", "gpu", None, 5, [], {"job": "policyctl:min-runtime=1h"}, "gres/gpu=4,node=1", "0-3%2"]
)


@st.composite
def sacct_jobs(draw: st.DrawFn) -> object:
    job: dict[str, object] = {
        "job_id": draw(st.integers(1, 3) | NUMBERS),
        "group": draw(st.sampled_from(["g", None])),
        "state": {"current": draw(STATES)},
        "time": {name: draw(NUMBERS) for name in ("start", "end", "elapsed", "limit")}
        | {"submission": draw(st.just(100) | NUMBERS)},
        "array": {"job_id": draw(NUMBERS), "task_id": draw(NUMBERS), "task": draw(TEXTS)},
        "het": {"job_id": draw(NUMBERS)},
        "tres": {
            name: [{"type": "gres", "name": "gpu", "count": draw(NUMBERS)}]
            for name in ("allocated", "requested")
        },
    }
    return job | {name: draw(TEXTS) for name in ("user", "account", "comment", "qos", "name")}


@st.composite
def squeue_jobs(draw: st.DrawFn) -> object:
    numbers = (
        "start_time",
        "end_time",
        "time_limit",
        "array_job_id",
        "array_task_id",
        "het_job_id",
        "node_count",
        "priority",
    )
    job: dict[str, object] = {name: draw(NUMBERS) for name in numbers}
    job |= {
        "job_id": draw(st.integers(1, 3)),
        "submit_time": draw(st.just(100) | NUMBERS),
        "job_state": draw(STATES),
    }
    job |= {name: draw(TEXTS) for name in ("user_name", "account", "comment", "nodes", "array_task_string")}
    job |= {name: draw(st.just("gres/gpu=8") | TEXTS) for name in ("tres_alloc_str", "tres_req_str")}
    job["gres_detail"] = draw(st.sampled_from([None, [], ["gpu:h100:8(IDX:0-7)"], [5], "gpu:8"]))
    return job


@given(st.lists(sacct_jobs() | NUMBERS, max_size=4))
@settings(max_examples=150, deadline=None)
def test_any_entries_of_sacct_json(jobs: list[object]) -> None:
    sound(json.dumps({"jobs": jobs, "errors": ["x", {"error": "y"}, 5]}).encode(), "sacct-json")


@given(st.lists(squeue_jobs() | NUMBERS, max_size=4))
@settings(max_examples=150, deadline=None)
def test_any_entries_of_squeue_json(jobs: list[object]) -> None:
    sound(json.dumps({"jobs": jobs}).encode(), "squeue-json")


@pytest.mark.parametrize("log_format", FORMATS)
@given(data=st.binary(max_size=60))
@settings(max_examples=40, deadline=None)
def test_any_bytes_at_all(log_format: str, data: bytes) -> None:
    sound(data, log_format)
