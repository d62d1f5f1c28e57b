"""`policyctl sweep` as a user runs it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from policyctl.cli import main
from tests.cli.program import run
from tests.sim_cli.folder import lab

ROWS: list[tuple[str, str, int, str]] = [
    # what is so, the call, the exit code, what standard error or output then says
    ("help", "--help", 0, "Examples:"),
    ("nothing to simulate", "--window 1d", 2, "one of `--workload`, `--log` and `--scenario`"),
    ("a bare number", "--workload workload.json --window 7", 2, "a duration needs a unit"),
    ("an empty window", "--workload workload.json --window 1d,0s", 2, "`0s` is no time at all"),
    ("nothing after the comma", "--workload workload.json --window 1d,", 2, "`` is not a duration"),
    ("no half-life", "--workload workload.json --half-life half", 2, "`half` is not a duration"),
    ("caps times nothing", "--workload workload.json --cap x0", 2, "`0` is nothing at all"),
    ("a load of nothing", "--workload workload.json --load 0", 2, "`0` is nothing at all"),
    ("a load beyond reason", "--workload workload.json --load 1e9", 2, "is not a number of the kind"),
    ("too much load", "--workload workload.json --load 1000", 2, "more than 100 times"),
    ("one window", "--workload workload.json --window 1d --jobs 1 --seed 1", 0, "nothing to choose"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return lab(tmp_path_factory.mktemp("sweep"), days=6, load="3/2")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_how_it_ends(
    folder: Path,
    row: tuple[str, str, int, str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    _, call, code, says = row
    monkeypatch.chdir(folder)
    assert main.run(["sweep", *call.split()]) == code
    out, err = capsys.readouterr()
    assert says in (err if code else out)
    if code:
        assert not out


def test_the_answer_does_not_depend_on_processes(folder: Path, tmp_path: Path) -> None:
    call = (
        *("sweep", "--workload", "workload.json", "--window", "1d,3d", "--half-life", "none,proportional"),
        *("--cap", "own,x1/2", "--seed", "1", "--seed", "2", "--format", "json"),
    )
    answers = set()
    for jobs, hashing in (("1", "1"), ("5", "2")):
        page = tmp_path / f"{jobs}.html"
        ended = run(*call, "--jobs", jobs, "--report", page, cwd=folder, PYTHONHASHSEED=hashing)
        assert (ended.code, ended.err) == (0, "")
        answers.add((ended.out, page.read_bytes()))
    assert len(answers) == 1
    answer = json.loads(answers.pop()[0])
    assert len(answer["options"]) == 8
    assert answer["choice"]["option"] in [option["name"] for option in answer["options"]]


def test_load_is_a_stress_and_no_choice(folder: Path) -> None:
    ended = run(
        *("sweep", "--workload", "workload.json", "--window", "1d,3d", "--load", "0.5,2", "--seed", "1"),
        *("--format", "json"),
        cwd=folder,
    )
    answer = json.loads(ended.out)
    assert len(answer["options"]) == 2
    assert [point["load"] for point in answer["points"]] == ["1/2", "2", "1/2", "2"]
    light, heavy = (answer["points"][place]["scores"][0] for place in (0, 1))
    assert light["wait_p90_seconds"] < heavy["wait_p90_seconds"]
    assert not answer["choice"]["decided"], "one seed never decides"


def test_a_long_absence_is_seen(folder: Path) -> None:
    ended = run("sweep", "--workload", "workload.json", "--format", "json", "--seed", "1", cwd=folder)
    answer = json.loads(ended.out)
    away = {one["account"]: one["idle_spells"] for one in answer["cadence"]["programs"]}
    assert away["/safety"] >= 1
    assert answer["points"][0]["scores"][0]["returns"] >= 1
