"""Workload files: what is written is read back, and every mistake is told at its record."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from policyctl.adapters.workload_fields import INCIDENT, QUEUED, STREAM, TASK, TOP
from policyctl.adapters.workload_json import read_workload, write_workload
from policyctl.diagnostics import Severity
from policyctl.errors import NoAnswer
from policyctl.model.jobs import Job
from policyctl.model.workload import Incident, IncidentKind, Stream, Task, Workload
from policyctl.units import Instant, MilliGpu, Seconds
from tests.workloads.test_generate import lab

SCHEMA: dict[str, Any] = json.loads(
    (Path(__file__).parent.parent.parent / "schemas/workload.json").read_text()
)
POOLS = {"h100": 88}
TASK_LINE = '{"id":"a","account":"/vision","user":"dev5","pool":"h100","gpus":8,"submit":"2026-09-07T01:00:00Z","work":"4h"}'
INCIDENT_LINE = (
    '{"kind":"fail","pool":"h100","nodes":[0,1],"at":"2026-09-07T06:00:00Z","until":"2026-09-07T08:00:00Z"}'
)


def text(tasks: str = TASK_LINE, incidents: str = INCIDENT_LINE, head: str = "") -> str:
    """Return a workload file of six lines: the head, the task in line 3, the incident in line 6."""
    head = head or '"start":"2026-09-07T00:00:00Z","end":"2026-09-08T00:00:00Z"'
    return f'{{{head},\n"tasks":[\n{tasks}\n],"incidents":[\n\n{incidents}\n]}}\n'


def changed(line: str, **fields: Any) -> str:
    """Return a record with some fields changed, or (None) left out."""
    merged = {name: value for name, value in (json.loads(line) | fields).items() if value is not None}
    return json.dumps(merged)


times = st.integers(0, 10**6)
lengths = st.integers(1, 10**6).map(Seconds)
words = st.text("abcé-/", min_size=1, max_size=4)


@st.composite
def tasks(draw: st.DrawFn, identity: str, submit: int) -> Task:
    limit = draw(st.none() | st.integers(10**6, 10**7).map(Seconds))
    job = Job(
        id=identity,
        account=draw(st.sampled_from(["/", "/a", "/a/b"])),
        user=draw(words),
        pool="h100",
        gpus=MilliGpu(draw(st.integers(0, 100_000))),
        nodes=draw(st.integers(1, 9)),
        submit=Instant(submit),
        min_runtime=Seconds(draw(times)),
        time_limit=limit,
        priority=draw(st.integers(-9, 9)),
        kind=draw(st.sampled_from(["batch", "interactive"])),
        resumable=draw(st.booleans()),
        labels=draw(st.dictionaries(words, words, max_size=2)),
        topology=draw(st.sampled_from(["any", "block"])),
    )
    return Task(
        job=job,
        work=draw(lengths),
        checkpoint_every=draw(st.none() | lengths),
        save_time=draw(st.none() | times.map(Seconds)),
        restart_overhead=Seconds(draw(times)),
        restart_failure=draw(st.sampled_from([0.0, 1.0, 0.02, 1 / 3, 0.000001])),
    )


@st.composite
def workloads(draw: st.DrawFn) -> Workload:
    submits = draw(st.lists(times, max_size=4))
    some = [draw(tasks(f"t{number}", at)) for number, at in enumerate(sorted(submits))]
    streams = []
    for number in range(draw(st.integers(0, 2))):
        first = Instant(draw(times))
        queued = tuple(
            draw(tasks(f"s{number}-{place}", draw(st.just(first) | st.integers(first, 10**6))))
            for place in range(draw(st.integers(0, 3)))
        )
        streams.append(
            Stream(tasks=queued, depth=draw(st.integers(1, 4)), first=first, pause=Seconds(draw(times)))
        )
    incidents = [
        Incident(kind=kind, pool="h100", nodes=(number, number + 1), at=Instant(at), until=Instant(at + 1))
        for number, (kind, at) in enumerate(
            draw(st.lists(st.tuples(st.sampled_from(IncidentKind), times), max_size=3))
        )
    ]
    return Workload(
        start=Instant(0),
        end=Instant(10**6 + 1),
        tasks=tuple(some),
        streams=tuple(streams),
        incidents=tuple(sorted(incidents, key=lambda one: (one.at, one.pool, one.nodes))),
    )


@given(workloads())
@settings(deadline=None, max_examples=60)
def test_what_is_written_is_read_back(workload: Workload) -> None:
    data = write_workload(workload)
    read = read_workload(data, file="workload.json", pools=POOLS)
    assert read.workload == workload, read.findings
    assert write_workload(read.workload) == data
    Draft202012Validator(SCHEMA).validate(json.loads(data))


def test_order_of_tasks_and_incidents_means_nothing_and_that_of_a_stream_does() -> None:
    workload = lab(queue_depth=2)
    turned = replace(workload, tasks=tuple(reversed(workload.tasks)))
    assert write_workload(turned) == write_workload(workload)
    first = workload.streams[0]
    other = replace(first, tasks=tuple(reversed(first.tasks)))
    assert write_workload(replace(workload, streams=(other,))) != write_workload(
        replace(workload, streams=(first,))
    )


def test_one_task_is_one_line() -> None:
    lines = write_workload(lab()).splitlines()
    assert sum(line.startswith(b'{"id":') for line in lines) == len(lab().tasks)


WRONG = [
    pytest.param(
        text(changed(TASK_LINE, wrk="4h")), "J001", "tasks[0].wrk", 3, "did you mean `work`?", id="misspelt"
    ),
    pytest.param(
        text(changed(TASK_LINE, start="2026-09-07T02:00:00Z")),
        "J001",
        "tasks[0].start",
        3,
        None,
        id="a task has no start yet",
    ),
    pytest.param(text(changed(TASK_LINE, work=None)), "J002", "tasks[0].work", 3, None, id="no work"),
    pytest.param(
        text(changed(TASK_LINE, work="0s")),
        "J004",
        "tasks[0].work",
        3,
        "write a duration above zero: `10m`",
        id="nothing to do",
    ),
    pytest.param(
        text(changed(TASK_LINE, work=4)), "J004", "tasks[0].work", 3, None, id="work without a unit"
    ),
    pytest.param(
        text(changed(TASK_LINE, restart_failure=1.5)),
        "J004",
        "tasks[0].restart_failure",
        3,
        None,
        id="more than certain",
    ),
    pytest.param(
        text(changed(TASK_LINE, restart_failure="2%")),
        "J003",
        "tasks[0].restart_failure",
        3,
        None,
        id="a probability as text",
    ),
    pytest.param(
        text(changed(TASK_LINE, pool="h10")),
        "J006",
        "tasks[0].pool",
        3,
        "did you mean `h100`?",
        id="unknown pool",
    ),
    pytest.param(text(f"{TASK_LINE},{TASK_LINE}"), "J005", "tasks[1].id", 3, None, id="one id for two"),
    pytest.param(
        text(changed(TASK_LINE, submit="2026-09-06T23:59:59Z")),
        "J008",
        "tasks[0].submit",
        3,
        None,
        id="before the start",
    ),
    pytest.param(
        text(changed(TASK_LINE, submit="2026-09-08T00:00:00Z")),
        "J008",
        "tasks[0].submit",
        3,
        None,
        id="at the end",
    ),
    pytest.param(
        text(head='"start":"2026-09-08T00:00:00Z","end":"2026-09-08T00:00:00Z"'),
        "J008",
        "end",
        1,
        None,
        id="no time at all",
    ),
    pytest.param(text(head='"start":"2026-09-07T00:00:00Z"'), "J002", "end", 1, None, id="no end"),
    pytest.param(
        text(incidents=changed(INCIDENT_LINE, nodes=[88])),
        "J014",
        "incidents[0].nodes",
        6,
        "its nodes are `0` to `87`",
        id="a node too many",
    ),
    pytest.param(
        text(incidents=changed(INCIDENT_LINE, nodes=[])), "J003", "incidents[0].nodes", 6, None, id="no nodes"
    ),
    pytest.param(
        text(incidents=changed(INCIDENT_LINE, nodes=[-1])),
        "J004",
        "incidents[0].nodes",
        6,
        None,
        id="a node below zero",
    ),
    pytest.param(
        text(incidents=changed(INCIDENT_LINE, kind="break")),
        "J011",
        "incidents[0].kind",
        6,
        None,
        id="an unknown kind",
    ),
    pytest.param(
        text(incidents=changed(INCIDENT_LINE, pool="l40s")),
        "J006",
        "incidents[0].pool",
        6,
        "the pools are `h100`",
        id="an incident nowhere",
    ),
    pytest.param(
        text(incidents=changed(INCIDENT_LINE, until="2026-09-07T06:00:00Z")),
        "J008",
        "incidents[0].until",
        6,
        None,
        id="over at once",
    ),
]


@pytest.mark.parametrize(("written", "code", "path", "line", "way_out"), WRONG)
def test_a_mistake_is_told_at_its_record(
    written: str, code: str, path: str, line: int, way_out: str | None
) -> None:
    read = read_workload(written.encode(), file="workload.json", pools=POOLS)
    assert read.workload is None
    errors = [one for one in read.findings if one.severity is Severity.ERROR]
    assert [(one.code, one.place.path, one.place.line) for one in errors] == [(code, path, line)]
    assert way_out in {None, errors[0].help}


@pytest.mark.parametrize(
    ("first", "depth", "found"),
    [
        pytest.param("01:00:00", 0, [("J004", "streams[0].depth")], id="no place at all"),
        pytest.param("01:00:00", 1, [], id="one at once"),
        pytest.param("01:00:01", 1, [("J008", "streams[0].tasks[0].submit")], id="one before it begins"),
    ],
)
def test_a_queue_has_a_place_and_its_tasks_come_after_it_began(
    first: str, depth: int, found: list[tuple[str, str]]
) -> None:
    stream = {"first": f"2026-09-07T{first}Z", "depth": depth, "tasks": [json.loads(TASK_LINE)]}
    data = json.dumps(
        {"start": "2026-09-07T00:00:00Z", "end": "2026-09-08T00:00:00Z", "streams": [stream]}
    ).encode()
    read = read_workload(data, file="w.json")
    assert [(one.code, one.place.path) for one in read.findings] == found


def test_a_task_of_a_queue_without_a_time_is_always_there() -> None:
    stream = {
        "first": "2026-09-07T01:00:00Z",
        "depth": 1,
        "tasks": [changed_object(TASK_LINE, "submit", None)],
    }
    data = json.dumps(
        {"start": "2026-09-07T00:00:00Z", "end": "2026-09-08T00:00:00Z", "streams": [stream]}
    ).encode()
    workload = read_workload(data, file="w.json").workload
    assert workload is not None
    (found,) = workload.streams
    assert (found.tasks[0].job.submit, found.paced) == (found.first, False)


def test_a_queue_outside_of_the_workload_is_told_once() -> None:
    stream = {
        "first": "2026-09-09T01:00:00Z",
        "depth": 1,
        "tasks": [changed_object(TASK_LINE, "submit", None)],
    }
    data = json.dumps(
        {"start": "2026-09-07T00:00:00Z", "end": "2026-09-08T00:00:00Z", "streams": [stream]}
    ).encode()
    read = read_workload(data, file="w.json")
    assert [(one.code, one.place.path) for one in read.findings] == [("J008", "streams[0].first")]


@pytest.mark.parametrize(
    ("own", "found"),
    [
        pytest.param("2026-09-09T01:00:00Z", ["streams[0].first"], id="the same instant as its stream"),
        pytest.param(
            "2026-09-09T02:00:00Z", ["streams[0].first", "streams[0].tasks[0].submit"], id="a later one"
        ),
        pytest.param(
            "2026-09-06T01:00:00Z",
            ["streams[0].first", "streams[0].tasks[0].submit"],
            id="before both its stream and the workload",
        ),
    ],
)
def test_each_time_outside_of_the_workload_is_told_once(own: str, found: list[str]) -> None:
    outside = "2026-09-09T01:00:00Z"
    queued = changed_object(TASK_LINE, "submit", own) | {"id": "q"}
    whole = {
        "start": "2026-09-07T00:00:00Z",
        "end": "2026-09-08T00:00:00Z",
        "tasks": [changed_object(TASK_LINE, "submit", outside)],
        "streams": [{"first": outside, "depth": 1, "tasks": [queued]}],
    }
    read = read_workload(json.dumps(whole).encode(), file="w.json")
    assert sorted(one.place.path for one in read.findings) == [*found, "tasks[0].submit"]
    assert {one.code for one in read.findings} == {"J008"}


def test_a_minimum_runtime_above_the_limit_is_a_warning() -> None:
    line = changed(TASK_LINE, min_runtime="5h", time_limit="4h")
    read = read_workload(text(line).encode(), file="workload.json", pools=POOLS)
    assert [one.code for one in read.findings] == ["J013"]
    assert read.workload is not None


def test_text_that_is_no_workload_is_no_answer() -> None:
    with pytest.raises(NoAnswer, match="a workload is one JSON object"):
        read_workload(b"[]", file="workload.json")


@pytest.mark.parametrize(
    ("table", "schema"),
    [
        pytest.param(TOP, SCHEMA, id="workload"),
        pytest.param(TASK, SCHEMA["$defs"]["task"], id="task"),
        pytest.param(QUEUED, SCHEMA["$defs"]["queued"], id="queued task"),
        pytest.param(STREAM, SCHEMA["$defs"]["stream"], id="stream"),
        pytest.param(INCIDENT, SCHEMA["$defs"]["incident"], id="incident"),
    ],
)
def test_the_schema_has_the_fields_that_are_read(table: dict[str, Any], schema: dict[str, Any]) -> None:
    assert set(schema["properties"]) == set(table)
    assert set(schema["required"]) == {name for name, field in table.items() if field.required}
    assert schema["additionalProperties"] is False


def test_the_schema_agrees_about_what_is_a_workload() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    check = Draft202012Validator(SCHEMA)
    assert check.is_valid(json.loads(text()))
    refused = {"J001", "J002", "J003", "J011"}
    for one in WRONG:
        written, code = str(one.values[0]), one.values[1]
        if code == "J004":
            continue  # a quantity of the right form may still be none, such as a length of `0s`
        assert check.is_valid(json.loads(written)) is not (code in refused), one.id


json_values: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-2, 10**20)
    | st.floats()
    | st.sampled_from(["", "4h", "x", "-1", "2026-09-07T01:00:00Z", "\u2028"]),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from(["id", "work", "nodes", "x"]), inner, max_size=2)
    ),
    max_leaves=4,
)


@given(st.sampled_from([*TASK, *INCIDENT, *TOP, *STREAM]), json_values)
@settings(deadline=None, max_examples=150)
def test_any_value_anywhere_is_read_or_told(name: str, value: Any) -> None:
    stream: dict[str, Any] = {
        "first": "2026-09-07T01:00:00Z",
        "depth": 1,
        "tasks": [changed_object(TASK_LINE, "submit", None)],
    }
    whole: dict[str, Any] = json.loads(text()) | {"streams": [stream]}
    places: list[dict[str, Any]] = [
        whole,
        whole["tasks"][0],
        whole["incidents"][0],
        stream,
        stream["tasks"][0],
    ]
    for place in places:
        if name in place:
            place[name] = value
    read = read_workload(json.dumps(whole).encode(), file="workload.json", pools=POOLS)
    assert read.workload is not None or read.findings
    assert all("\n" not in one.message and one.place.line >= 1 for one in read.findings)


def changed_object(line: str, name: str, value: Any) -> dict[str, Any]:
    made: dict[str, Any] = json.loads(changed(line, **{name: value}))
    return made | {"id": "queued"}
