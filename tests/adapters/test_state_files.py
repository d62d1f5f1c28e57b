"""State files: what is accepted, where each problem is, and that writing and reading are inverse."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from policyctl.adapters.clock_text import read_instant, write_instant
from policyctl.adapters.state_fields import JOB, NODE, RUN, TOP
from policyctl.adapters.state_json import StateRead, read_state, write_state
from policyctl.errors import NoAnswer
from policyctl.model.jobs import ClusterState, Job, Node, Outcome, PastRun
from policyctl.units import (
    BadQuantity,
    Instant,
    MilliGpu,
    Seconds,
    format_instant,
    parse_instant,
)

SCHEMA = json.loads((Path(__file__).parents[2] / "schemas" / "state.json").read_text(encoding="utf-8"))
NOON = "2026-09-01T12:00:00Z"
JOB_71: dict[str, Any] = {
    "id": "71",
    "account": "/robotics/arms",
    "user": "dev5",
    "pool": "h100",
    "gpus": 8,
    "submit": "2026-09-01T10:00:00Z",
}
RUNNING = {**JOB_71, "start": "2026-09-01T10:30:00Z"}
RUN_70: dict[str, Any] = {
    "job": "70",
    "account": "/robotics/arms",
    "user": "dev5",
    "pool": "h100",
    "gpus": 8,
    "start": "2026-09-01T08:00:00Z",
    "end": "2026-09-01T09:00:00Z",
    "outcome": "completed",
}
NODE_1: dict[str, Any] = {"name": "n1", "pool": "h100", "gpus": 8}


def read(value: object, pools: frozenset[str] | None = frozenset({"h100"})) -> StateRead:
    return read_state(json.dumps(value).encode(), file="state.json", pools=pools)


def with_job(**change: object) -> dict[str, Any]:
    return {"time": NOON, "jobs": [JOB_71 | change]}


def with_running(**change: object) -> dict[str, Any]:
    return {"time": NOON, "jobs": [RUNNING | change]}


def with_run(**change: object) -> dict[str, Any]:
    return {"time": NOON, "usage": [RUN_70 | change]}


def only(answer: StateRead) -> ClusterState:
    assert answer.state is not None, answer.findings
    return answer.state


def test_defaults_of_a_job() -> None:
    (job,) = only(read(with_job())).jobs
    assert job == Job(
        id="71",
        account="/robotics/arms",
        user="dev5",
        pool="h100",
        gpus=MilliGpu(8000),
        submit=parse_instant("2026-09-01T10:00:00Z"),
    )


def test_a_past_run_was_submitted_when_it_started_unless_it_says_otherwise() -> None:
    (run,) = only(read(with_run())).usage
    assert run.job.submit == run.job.start
    assert run.job.min_runtime == 0
    (run,) = only(read(with_run(submit="2026-09-01T07:00:00Z"))).usage
    assert run.job.submit == parse_instant("2026-09-01T07:00:00Z")


def test_no_nodes_is_not_an_empty_list_of_nodes() -> None:
    assert only(read({"time": NOON})).nodes is None
    assert only(read({"time": NOON, "nodes": []})).nodes == ()


@pytest.mark.parametrize(
    ("written", "available"),
    [(word, True) for word in ("up", "idle", "mixed", "allocated", "alloc", "IDLE")]
    + [
        (word, False)
        for word in ("down", "drained", "draining", "drain", "fail", "maint", "unknown", "DRAIN")
    ],
)
def test_states_of_nodes(written: str, available: bool) -> None:  # noqa: FBT001 - a table's column
    (node,) = only(read({"time": NOON, "nodes": [NODE_1 | {"state": written}]})).nodes or ()
    assert node.available is available


@pytest.mark.parametrize(
    ("written", "milli"), [("8", 8000), ("0.46", 460), ("0.125", 125), ("0", 0), ("1.500", 1500)]
)
def test_gpus_are_read_from_their_text(written: str, milli: int) -> None:
    text = json.dumps(with_job()).replace('"gpus": 8', f'"gpus": {written}')
    (job,) = only(read_state(text.encode(), file="s.json")).jobs
    assert job.gpus == milli


@pytest.mark.parametrize(
    ("state", "code", "path", "said", "way_out"),
    [
        pytest.param(with_job(gpsu=1), "J001", "jobs[0].gpsu", "not a field", "did you mean `gpus`?", id="typo"),
        pytest.param({"time": NOON, "job": []}, "J001", "job", "not a field", "did you mean `jobs`?", id="typo at the top"),
        pytest.param({"jobs": []}, "J002", "time", "is missing", None, id="no time"),
        pytest.param({"time": NOON, "jobs": {}}, "J003", "jobs", "not a list", None, id="jobs that are no list"),
        pytest.param({"time": NOON, "jobs": [5]}, "J003", "jobs[0]", "not an object", None, id="job that is no object"),
        pytest.param(with_job(id=71), "J003", "jobs[0].id", "`71` is not text", 'in quotes: "71"', id="id as number"),
        pytest.param(with_job(id=" "), "J003", "jobs[0].id", "empty", None, id="empty id"),
        pytest.param(with_job(id="a\nb"), "J003", "jobs[0].id", "control", None, id="id with a line break"),
        pytest.param(with_job(gpus="8"), "J003", "jobs[0].gpus", "not a number", "without quotes", id="GPUs in quotes"),
        pytest.param(with_job(gpus=True), "J003", "jobs[0].gpus", "not a number", None, id="GPUs as truth value"),
        pytest.param(with_job(resumable="no"), "J003", "jobs[0].resumable", "not true or false", None, id="word for a flag"),
        pytest.param(with_job(labels={"a": 1}), "J003", "jobs[0].labels", "not text", None, id="label that is no text"),
        pytest.param(with_job(min_runtime=None), "J003", "jobs[0].min_runtime", "null is not text", None, id="null"),
        pytest.param(with_job(gpus=-8), "J004", "jobs[0].gpus", "`-8`", None, id="negative GPUs"),
        pytest.param(with_job(gpus=0.4567), "J004", "jobs[0].gpus", "`0.4567`", "three decimals", id="a fourth decimal"),
        pytest.param(with_job(nodes=0), "J004", "jobs[0].nodes", "`0`", "at least `1`", id="no nodes"),
        pytest.param(with_job(nodes=-1), "J004", "jobs[0].nodes", "`-1`", None, id="negative nodes"),
        pytest.param(with_job(nodes=1.5), "J004", "jobs[0].nodes", "`1.5`", None, id="half a node"),
        pytest.param(with_job(min_runtime="-4h"), "J004", "jobs[0].min_runtime", "`-4h`", "never negative", id="negative time"),
        pytest.param(with_job(min_runtime=4), "J004", "jobs[0].min_runtime", "`4`", "`4h`", id="bare duration"),
        pytest.param(with_job(submit=1788256800), "J004", "jobs[0].submit", "`1788256800`", "2026-09-01T", id="Unix seconds"),
        pytest.param(with_job(submit="2026-09-01T10:00:00"), "J004", "jobs[0].submit", "no offset", "Z` is UTC", id="naive"),
        pytest.param(with_job(submit="2026-09-01"), "J004", "jobs[0].submit", "`2026-09-01`", "T00:00:00Z", id="bare date"),
        pytest.param({"time": NOON, "jobs": [JOB_71, JOB_71]}, "J005", "jobs[1].id", "already the job at `jobs[0]`", None, id="id twice"),
        pytest.param({"time": NOON, "usage": [RUN_70, RUN_70]}, "J005", "usage[1].start", "already", None, id="run twice"),
        pytest.param({"time": NOON, "nodes": [NODE_1, NODE_1]}, "J005", "nodes[1].name", "already", None, id="node twice"),
        pytest.param(with_job(pool="h10"), "J006", "jobs[0].pool", "`h10`", "did you mean `h100`?", id="pool typo"),
        pytest.param(with_run(pool="tpu"), "J006", "usage[0].pool", "`tpu`", "the pools are `h100`", id="pool of a run"),
        pytest.param({"time": NOON, "nodes": [NODE_1 | {"pool": "x"}]}, "J006", "nodes[0].pool", "`x`", None, id="pool of a node"),
        pytest.param(with_job(account="robotics"), "J007", "jobs[0].account", "`robotics`", "`/robotics`", id="bare account"),
        pytest.param(with_job(account="/a//b/"), "J007", "jobs[0].account", "`/a//b/`", "`/a/b`", id="empty names in a path"),
        pytest.param(with_run(end="2026-09-01T07:00:00Z"), "J008", "usage[0].end", "before its start", None, id="end before start"),
        pytest.param(with_run(end="2026-09-01T13:00:00Z"), "J008", "usage[0].end", "after the state's time", None, id="ends later"),
        pytest.param(with_job(submit="2026-09-01T13:00:00Z"), "J008", "jobs[0].submit", "after the state's time", None, id="not yet"),
        pytest.param(with_job(start="2026-09-01T12:00:01Z"), "J008", "jobs[0].start", "after the state's time", None, id="starts later"),
        pytest.param(with_job(start="2026-09-01T09:00:00Z"), "J008", "jobs[0].start", "before its submit", None, id="start first"),
        pytest.param(with_job(preemptions=["2026-09-01T13:00:00Z"]), "J008", "jobs[0].preemptions", "after", None, id="preempted later"),
        pytest.param(with_running(last_checkpoint="2026-09-01T10:29:59Z"), "J008", "jobs[0].last_checkpoint", "before its start", None, id="checkpoint before start"),
        pytest.param(with_running(last_checkpoint="2026-09-01T12:00:01Z"), "J008", "jobs[0].last_checkpoint", "after the state's time", None, id="checkpoint later"),
        pytest.param(with_run(last_checkpoint="2026-09-01T09:00:01Z"), "J008", "usage[0].last_checkpoint", "after the run's end", None, id="checkpoint after the end"),
        pytest.param(with_job(last_checkpoint=NOON), "J008", "jobs[0].last_checkpoint", "does not run", "leave it out", id="checkpoint of a waiting job"),
        pytest.param(with_running(placement={"n1": 4}), "J009", "jobs[0].placement", "adds up to `4`", None, id="too few placed"),
        pytest.param(with_running(placement={"n1": 4, "n2": 4}), "J009", "jobs[0].placement", "names `2` nodes", None, id="too many nodes"),
        pytest.param(with_job(placement={"n1": 8}), "J009", "jobs[0].placement", "runs nowhere", None, id="waiting and placed"),
        pytest.param({**with_running(placement={"n2": 8}), "nodes": [NODE_1]}, "J009", "jobs[0].placement.n2", "no node", None, id="unknown node"),
        pytest.param({**with_running(placement={"n1": 8}), "nodes": [NODE_1 | {"pool": "a100"}]}, "J009", "jobs[0].placement.n1", "pool `a100`", None, id="node of another pool"),
        pytest.param(with_job(kind="Batch"), "J011", "jobs[0].kind", "`Batch`", "did you mean `batch`?", id="kind"),
        pytest.param(with_job(topology="rack"), "J011", "jobs[0].topology", "`rack`", None, id="topology"),
        pytest.param(with_run(outcome="cancel"), "J011", "usage[0].outcome", "`cancel`", "`cancelled`", id="outcome"),
        pytest.param({"time": NOON, "nodes": [NODE_1 | {"state": "dwon"}]}, "J011", "nodes[0].state", "`dwon`", "`down`", id="state of a node"),
    ],
)  # fmt: skip
def test_a_problem_is_named_at_its_path(
    *, state: object, code: str, path: str, said: str, way_out: str | None
) -> None:
    answer = read(state, pools=frozenset({"h100", "a100"} if code == "J009" else {"h100"}))
    assert answer.state is None
    (found,) = answer.findings
    assert (found.code, found.place.path) == (code, path)
    assert said in found.message
    assert path in found.message
    if way_out is not None:
        assert found.help is not None
        assert way_out in found.help


def test_all_problems_are_told_at_once_each_on_its_line() -> None:
    text = f"""{{
  "time": "{NOON}",
  "jobs": [
    {{"id": "1", "account": "/a", "user": "u", "pool": "h100", "gpus": 1, "submit": "2026-09-01T10:00:00Z"}},
    {{
      "id": 2,
      "account": "a",
      "user": "u",
      "gpus": -1,
      "submit": "now"
    }}
  ],
  "usages": []
}}"""
    answer = read_state(text.encode(), file="s.json")
    assert [(one.code, one.place.line, one.place.column) for one in answer.findings] == [
        ("J002", 5, 5),
        ("J003", 6, 13),
        ("J007", 7, 18),
        ("J004", 9, 15),
        ("J004", 10, 17),
        ("J001", 13, 13),
    ]


def test_a_key_written_twice_is_refused_wherever_it_is() -> None:
    text = json.dumps(with_running(labels={"a": "1"}, placement={"n1": 8}))
    for once, twice in (
        ('"gpus": 8', '"gpus": 8, "gpus": 8'),
        ('{"a": "1"}', '{"a": "1", "a": "2"}'),
        ('{"n1": 8}', '{"n1": 8, "n1": 8}'),
        (f'"time": "{NOON}"', f'"time": "{NOON}", "time": "{NOON}"'),
    ):
        found = read_state(text.replace(once, twice, 1).encode(), file="s.json").findings
        assert [one.code for one in found] == ["J010"]


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e3", "9" * 5000, "1" * 19])
@pytest.mark.parametrize("field", ["gpus", "nodes", "priority"])
def test_numbers_beyond_reason_are_findings(field: str, number: str) -> None:
    text = json.dumps(with_job(nodes=1, priority=5)).replace(
        f'"{field}": {with_job(nodes=1, priority=5)["jobs"][0][field]}', f'"{field}": {number}'
    )
    (found,) = read_state(text.encode(), file="s.json").findings
    assert found.code in {"J003", "J004"}
    assert found.place.path == f"jobs[0].{field}"


def test_a_priority_may_be_negative() -> None:
    assert only(read(with_job(priority=-5))).jobs[0].priority == -5


@pytest.mark.parametrize(
    ("data", "said"),
    [
        pytest.param(b"", "f:1:1: not JSON: the text ends", id="empty"),
        pytest.param(b'{"time": "2026', "f:1:10: not JSON", id="cut in a text"),
        pytest.param(b'{"jobs": [\n{"id": "1"},', "f:2:13: not JSON: the text ends", id="cut in a list"),
        pytest.param(b'{"time": 1}\n{}', "f:2:1: not JSON: there is more text", id="trailing data"),
        pytest.param(b'{"time": nan}', "f:1:10: not JSON", id="a word"),
        pytest.param(b'{\n "a": "\xff"}', "f:2:8: the bytes are not UTF-8", id="not UTF-8"),
        pytest.param(b"[1]", "one JSON object", id="a list"),
        pytest.param(b"[" * 200_000, "f:1:65: nested deeper than 64", id="brackets without end"),
        pytest.param(
            b'{"a":' * 50_000 + b"1" + b"}" * 50_000, "f:1:321: nested deeper", id="deep and complete"
        ),
    ],
)
def test_text_that_is_no_state_is_no_answer(data: bytes, said: str) -> None:
    with pytest.raises(NoAnswer) as problem:
        read_state(data, file="f")
    assert said in str(problem.value)
    assert "\n" not in str(problem.value)


@given(
    st.binary(max_size=80)
    | st.text(alphabet='{}[]",:0123456789ejobstimenuag \n', max_size=80).map(str.encode)
)
@settings(max_examples=150)
def test_no_bytes_do_more_than_findings_or_no_answer(data: bytes) -> None:
    try:
        answer = read_state(data, file="f")
    except NoAnswer:
        return
    assert (answer.state is None) == any(one.severity == "error" for one in answer.findings)


# Writing.

NAMES = st.text(alphabet='abcé"\\/ -', min_size=1, max_size=8).filter(lambda name: bool(name.strip()))
INSTANTS = st.integers(min_value=0, max_value=4_000_000_000).map(Instant)
TIME = Instant(4_100_000_000)


@st.composite
def jobs(draw: st.DrawFn, name: str, *, past: bool) -> Job:
    submit = draw(INSTANTS)
    start = draw(st.integers(min_value=0, max_value=10**6).map(lambda wait: Instant(submit + wait)))
    runs = past or draw(st.booleans())
    limit = draw(st.none() | st.integers(min_value=10**7, max_value=10**8).map(Seconds))
    gpus = MilliGpu(draw(st.integers(min_value=0, max_value=10**6)))
    nodes = draw(st.integers(min_value=1, max_value=3))
    places: Mapping[str, MilliGpu] | None = None
    if runs and not past and draw(st.booleans()):
        each = {f"n{number}": MilliGpu(gpus // nodes) for number in range(1, nodes)}
        places = {"n0": MilliGpu(gpus - sum(each.values())), **each}
    return Job(
        id=name,
        account="/" + draw(st.sampled_from(["a", "a/b", "x-1/y.2"])),
        user=draw(NAMES),
        pool=draw(NAMES),
        gpus=gpus,
        nodes=nodes,
        submit=submit,
        start=start if runs else None,
        min_runtime=Seconds(draw(st.integers(min_value=0, max_value=10**6))),
        time_limit=limit,
        priority=draw(st.integers(min_value=-5, max_value=10**9)),
        kind=draw(st.sampled_from(["batch", "interactive"])),
        resumable=draw(st.booleans()),
        last_checkpoint=start if runs and draw(st.booleans()) else None,
        labels=draw(st.dictionaries(NAMES, NAMES, max_size=2)),
        preemptions=() if past else tuple(sorted(draw(st.lists(INSTANTS, max_size=2)))),
        placement=places,
        topology="any" if past else draw(st.sampled_from(["any", "block"])),
    )


@st.composite
def states(draw: st.DrawFn) -> ClusterState:
    live = draw(st.lists(NAMES, unique=True, max_size=4))
    gone = draw(st.lists(NAMES, unique=True, max_size=4))
    runs = []
    for name in gone:
        job = draw(jobs(name, past=True))
        length = draw(st.integers(min_value=0, max_value=10**6))
        end = Instant((job.start or 0) + length)
        runs.append(PastRun(job=job, end=end, outcome=draw(st.sampled_from(Outcome))))
    return ClusterState(
        time=TIME,
        jobs=tuple(draw(jobs(name, past=False)) for name in live),
        usage=tuple(runs),
        nodes=draw(
            st.none()
            | st.just((Node(name="n0", pool="p", gpus=MilliGpu(500), available=False, block="b"),)).filter(
                lambda _: not live
            )
        ),
    )


@given(states(), st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_reading_inverts_writing_and_the_order_of_records_does_not_matter(
    state: ClusterState, rng: Any
) -> None:
    written = write_state(state)
    again = read_state(written, file="s.json")
    assert not [one for one in again.findings if one.severity == "error"], again.findings
    assert again.state is not None
    assert list(again.state.jobs) == sorted(state.jobs, key=lambda job: job.id)
    assert list(again.state.usage) == sorted(state.usage, key=lambda run: run.job.id)
    assert again.state.nodes == state.nodes
    shuffled = list(state.jobs), list(state.usage)
    for records in shuffled:
        rng.shuffle(records)
    assert (
        write_state(
            ClusterState(time=TIME, jobs=tuple(shuffled[0]), usage=tuple(shuffled[1]), nodes=state.nodes)
        )
        == written
    )
    assert write_state(again.state) == written
    Draft202012Validator(SCHEMA).validate(json.loads(written))


def test_one_record_a_line() -> None:
    state = only(read({"time": NOON, "jobs": [RUNNING], "usage": [RUN_70], "nodes": [NODE_1]}))
    assert write_state(state).decode().splitlines() == [
        f'{{"time":"{NOON}",',
        '"jobs":[',
        (
            '{"id":"71","account":"/robotics/arms","user":"dev5","pool":"h100","gpus":8,'
            '"submit":"2026-09-01T10:00:00Z","start":"2026-09-01T10:30:00Z"}'
        ),
        "],",
        '"usage":[',
        (
            '{"job":"70","account":"/robotics/arms","user":"dev5","pool":"h100","gpus":8,'
            '"start":"2026-09-01T08:00:00Z","end":"2026-09-01T09:00:00Z","outcome":"completed"}'
        ),
        "],",
        '"nodes":[',
        '{"name":"n1","pool":"h100","gpus":8}',
        "]}",
    ]


@given(st.integers(min_value=-60_000_000_000, max_value=250_000_000_000))
def test_instants_in_bulk_are_those_of_units(value: int) -> None:
    assert write_instant(value) == format_instant(value)
    assert read_instant(write_instant(value)) == value


@pytest.mark.parametrize(
    "text", ["2026-02-30T00:00:00Z", "2026-09-01T24:00:00Z", "2026-09-01T10:00:60Z", "2026-09-01T10:00:00"]
)
def test_instants_that_do_not_exist_are_refused_in_bulk_too(text: str) -> None:
    with pytest.raises(BadQuantity):
        read_instant(text)


def test_the_schema_has_exactly_the_fields_that_are_read() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    parts = SCHEMA["$defs"]
    for table, part in ((TOP, SCHEMA), (JOB, parts["job"]), (RUN, parts["run"]), (NODE, parts["node"])):
        assert set(table) == set(part["properties"])
        assert set(table.required) == set(part["required"])
        assert part["additionalProperties"] is False


def test_the_page_of_the_format_names_every_field() -> None:
    page = (Path(__file__).parents[2] / "docs" / "state.md").read_text(encoding="utf-8")
    for table in (TOP, JOB, RUN, NODE):
        for name in table:
            assert f"`{name}`" in page


@pytest.mark.parametrize(
    "state",
    [
        pytest.param(with_job(account="a\x1b[31m\nb"), id="an account"),
        pytest.param(with_job(kind="\x07" + "x" * 5000), id="a word"),
        pytest.param(with_job(min_runtime="4\n" * 500), id="a duration"),
        pytest.param(with_job(**{"\r\n" + "y" * 5000: 1}), id="the name of a field"),
        pytest.param(with_job(pool="p\n"), id="a pool"),
    ],
)
def test_text_of_others_cannot_break_out_of_a_message(state: object) -> None:
    (found,) = read(state).findings
    assert (found.message + (found.help or "")).isprintable()
    assert len(found.message) < 300
