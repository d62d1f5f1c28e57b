"""Text, JSON and CSV of a simulation: whole outputs, promised shapes, and what must hold for any text of a user."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from policyctl.model.measures import SimulationReport, WaitStatistics
from policyctl.render import simulation_csv, simulation_json, simulation_text
from tests.render.samples import golden
from tests.render.simulation.played import played, real_report
from tests.render.simulation.samples import AWKWARD, contestant, report

SCHEMA: dict[str, Any] = json.loads(
    (Path(__file__).parents[3] / "schemas/simulation.json").read_text(encoding="utf-8")
)
SMALL = report(
    contestant("policy", programs=("/language", "/robotics")),
    contestant("fifo", 0.71, programs=("/language", "/robotics"), preempts=False),
)


def nothing() -> SimulationReport:
    one = contestant("policy", preempts=False)
    group = replace(one.overall, owed=0.0, delivered=0.0, restarts_ok=0, restarts_failed=0)
    return report(
        replace(one, overall=group, interactive=replace(one.interactive, waits=None), series=(), pools=())
    )


REPORTS = {
    "samples": report(),
    "awkward names": report(contestant("policy", 0.9, programs=AWKWARD)),
    "nothing owed": nothing(),
}


def test_text_is_the_golden_file() -> None:
    assert simulation_text.render(SMALL, colour=False, full=True) == golden("simulation.txt")


def test_text_has_one_table_a_contestant_unless_all_are_asked_for() -> None:
    text = simulation_text.render(SMALL, colour=False)
    assert "policy: programs and projects, in GPU-hours" in text
    assert "fifo: programs and projects, in GPU-hours" in text
    assert "policy: pools" not in text


def test_text_lets_no_text_of_a_user_steer_the_terminal() -> None:
    one = contestant("policy\x1b[2J", 0.9, programs=("/a\x1b[31mb\nc",))
    text = simulation_text.render(replace(report(one), title="\x1b]0;x\x07"), colour=False, full=True)
    assert not set(text) & {"\x1b", "\x07", "\r"}
    assert "/a\\x1b[31mb\\nc" in text


def test_warnings_come_before_figures() -> None:
    lines = simulation_text.render(SMALL, colour=False).splitlines()
    warned = [number for number, line in enumerate(lines) if line.startswith("warning: fifo: `/robotics`")]
    assert warned
    assert max(warned) < next(
        number for number, line in enumerate(lines) if line.startswith("delivered of owed")
    )


@pytest.mark.parametrize("name", REPORTS)
def test_json_has_the_promised_shape(name: str) -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.validate(json.loads(simulation_json.render(REPORTS[name])), SCHEMA)


def test_json_of_a_simulation_that_was_run_has_the_promised_shape() -> None:
    answer = json.loads(simulation_json.render(real_report()))
    jsonschema.validate(answer, SCHEMA)
    policy, fifo, _ = answer["contestants"]
    assert policy["overall"]["preemptions"] == 2
    assert fifo["overall"]["preemptions"] == 0
    assert [job["job"] for job in policy["impossible"]] == ["too-large"]


def keys(value: Any, schema: Any, path: str = "") -> Iterator[str]:
    """Yield each key of an answer that its schema does not describe."""
    if "$ref" in schema:
        schema = SCHEMA["$defs"][schema["$ref"].rpartition("/")[2]]
    if isinstance(value, dict):
        known = schema.get("properties", {})
        for key, inner in value.items():
            if key in known:
                yield from keys(inner, known[key], f"{path}/{key}")
            elif "additionalProperties" not in schema:
                yield f"{path}/{key}"
    elif isinstance(value, list):
        for inner in value:
            yield from keys(inner, schema["items"], path)


def test_every_key_is_described() -> None:
    answer = json.loads(simulation_json.render(report()))
    for one in answer["contestants"]:
        del one["interactive"]["waits"]  # null or an object: the validator looks after it
    assert sorted(set(keys(answer, SCHEMA))) == []


def test_json_refuses_what_is_no_number() -> None:
    one = contestant("policy")
    with pytest.raises(ValueError, match="not JSON compliant"):
        simulation_json.render(report(replace(one, overall=replace(one.overall, lost=float("nan")))))


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_csv_of_jobs() -> None:
    text = simulation_csv.jobs([("policy", played()), ("fifo", played("fifo"))])
    found = rows(text)
    assert tuple(found[0]) == simulation_csv.JOB_HEADER
    assert [(row["contestant"], row["job"], row["state"], row["preemptions"]) for row in found[:6]] == [
        ("policy", "free-1", "completed", "1"),
        ("policy", "free-2", "running", "1"),
        ("policy", "too-large", "impossible", "0"),
        ("policy", "wanted", "completed", "0"),
        ("policy", "endless", "running", "0"),
        ("policy", "last", "waiting", "0"),
    ]
    by_id = {row["job"]: row for row in found if row["contestant"] == "policy"}
    assert by_id["wanted"] == {
        "contestant": "policy",
        "pool": "h100",
        "job": "wanted",
        "account": "/robotics",
        "user": "w-user",
        "kind": "batch",
        "gpus": "48",
        "nodes": "6",
        "submitted": "2026-11-01T01:00:00Z",
        "first_start": "2026-11-01T01:00:00Z",
        "wait_seconds": "0",
        "class": "funded",
        "protection_seconds": "3600",
        "runs": "1",
        "preemptions": "0",
        "last_end": "2026-11-01T03:00:00Z",
        "state": "completed",
        "held_gpu_hours": "96.000000",
        "lost_gpu_hours": "0.000000",
    }
    # One restart of 120 s on 32 GPUs; the hour before was saved twice.
    assert by_id["free-1"]["lost_gpu_hours"] == "1.066667"
    assert by_id["last"]["first_start"] == by_id["last"]["wait_seconds"] == by_id["last"]["last_end"] == ""
    assert {row["job"]: row["wait_seconds"] for row in found[6:]}["wanted"] == "19800"


def test_csv_of_decisions() -> None:
    found = rows(simulation_csv.decisions([("policy", played())]))
    assert tuple(found[0]) == simulation_csv.DECISION_HEADER
    assert [
        (row["at"][11:16], row["decision"], row["job"], row["attempt"], row["victims"]) for row in found
    ] == [
        ("00:00", "start", "free-1", "1", ""),
        ("00:00", "start", "free-2", "1", ""),
        ("01:00", "preempt", "wanted", "", "free-1 free-2"),
        ("01:00", "start", "wanted", "1", ""),
        ("02:00", "start", "endless", "1", ""),
        ("03:00", "start", "free-1", "2", ""),
        ("08:02", "start", "free-2", "2", ""),
    ]
    assert [row["waited_seconds"] for row in found if row["job"] == "free-2"] == ["0", "25320"]


def test_csv_agrees_with_the_measures() -> None:
    found = rows(simulation_csv.jobs([("policy", played())]))
    measured = real_report().contestants[0].overall
    assert sum(float(row["held_gpu_hours"]) for row in found) == pytest.approx(measured.delivered)
    assert sum(float(row["lost_gpu_hours"]) for row in found) == pytest.approx(measured.lost)
    assert sum(int(row["preemptions"]) for row in found) == measured.preemptions


def test_waits_that_do_not_exist_are_no_zero() -> None:
    one = contestant("policy", preempts=False)
    answer = json.loads(
        simulation_json.render(report(replace(one, interactive=replace(one.interactive, waits=None))))
    )
    assert answer["contestants"][0]["interactive"]["waits"] is None
    assert isinstance(one.interactive.waits, WaitStatistics)
