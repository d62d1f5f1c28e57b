"""`policyctl simulate` as a user runs it: what it takes, how it ends, and that its answer depends on nothing else."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from policyctl.cli import main
from policyctl.cli.command_line import reproducing
from policyctl.units import Instant
from tests.cli.program import run

ROWS: list[tuple[str, str, int, str]] = [
    # what is so, the call, the exit code, what standard error or output then says
    ("help", "--help", 0, "Examples:"),
    ("nothing to simulate", "", 2, "one of `--workload`, `--log` and `--scenario`"),
    ("two things", "--workload workload.json --scenario rack-failure", 2, "one of `--workload`, `--log`"),
    ("a missing workload", "--workload missing.json", 3, "cannot read `missing.json`"),
    ("no workload", "--workload policies/policy.yaml", 3, "policies/policy.yaml:1:1"),
    ("a workload with errors", "--workload broken.json", 1, "error"),
    ("an empty workload", "--workload empty.json", 5, "nothing is submitted"),
    ("nothing yet", "--workload workload.json --until 2026-09-07T00:00:01Z", 5, "nothing is submitted"),
    ("before the beginning", "--workload workload.json --until 2026-09-07T00:00:00Z", 2, "is not after"),
    (
        "after the end",
        "--workload workload.json --until 2030-01-01T00:00:00Z",
        2,
        "a later `end` in the workload",
    ),
    ("after the horizon", "--scenario rack-failure --until 2030-01-01T00:00:00Z", 2, "a later `horizon`"),
    ("a pool that does not exist", "--workload a100.json", 1, "a100"),
    ("a log without a map", "--log jobs.csv --log-format csv", 2, "`--log` needs `--map`"),
    ("a log without a format", "--log jobs.csv --map MAP.yaml", 2, "`--log` needs `--log-format`"),
    ("a map without a log", "--workload workload.json --map M", 2, "`--map` goes with `--log`"),
    ("a log's filter", "--workload workload.json --gpu-only", 2, "`--gpu-only` goes with `--log`"),
    ("standard input twice", "--bundle - --workload -", 2, "standard input holds one thing"),
    ("an unknown scenario", "--scenario rack-failur", 2, "did you mean `rack-failure`?"),
    ("an unknown contestant", "--workload workload.json --against fifi", 2, "`fifi` is no contestant"),
    ("one twice", "--workload workload.json --against fifo --against fifo", 2, "takes part twice"),
    ("itself", "--workload workload.json --against policies", 2, "takes part twice"),
    ("another cluster", "--workload workload.json --against larger", 2, "the same nodes in pool `h100`"),
    ("every so often, where", "--workload workload.json --checkpoint-every 1d", 2, "`--checkpoint`"),
    ("never", "--workload workload.json --checkpoint c --checkpoint-every 0s", 2, "no time at all"),
    ("a bare number", "--workload workload.json --checkpoint-every 7", 2, "a duration needs a unit"),
    ("no process", "--workload workload.json --jobs 0", 2, "--jobs"),
    ("a broken policy", "--workload workload.json --policy broken", 1, "error"),
    ("a broken contestant", "--workload workload.json --against broken", 1, "error"),
    ("a bundle that is none", "--workload workload.json --bundle workload.json", 4, "digest"),
    ("a contestant that is no bundle", "--workload workload.json --against workload.json", 4, "digest"),
    ("no checkpoint", "--workload workload.json --checkpoint workload.json", 3, "is not a checkpoint"),
]


@pytest.fixture(scope="module")
def folder(made: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    top = tmp_path_factory.mktemp("calls")
    text = (made / "policies/policy.yaml").read_text()
    texts = {
        "policies": text,
        "broken": text.replace("50%", "90%"),
        "larger": text.replace("nodes: 2", "nodes: 3"),
    }
    for name, content in texts.items():
        (top / name).mkdir()
        (top / name / "policy.yaml").write_text(content)
    workload = (made / "workload.json").read_text()
    (top / "workload.json").write_text(workload)
    (top / "broken.json").write_text(workload.replace('"work"', '"wrok"'))
    (top / "a100.json").write_text(workload.replace('"pool":"h100"', '"pool":"a100"'))
    whole = json.loads(workload)
    (top / "empty.json").write_text(json.dumps({**whole, "tasks": []}))
    return top


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_how_it_ends(
    folder: Path,
    row: tuple[str, str, int, str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    _, call, code, says = row
    monkeypatch.chdir(folder)
    assert main.run(["simulate", *call.split()]) == code
    out, err = capsys.readouterr()
    assert says in (err if code else out)
    assert code in {0, 1} or err.startswith("error: ")
    if code:
        assert not out


def test_the_answer_does_not_depend_on_processes_hash_seed_or_zone(made: Path, tmp_path: Path) -> None:
    call = ("simulate", "--workload", "workload.json", "--against", "other", "--against", "partitions")
    outputs = set()
    for number, (jobs, environment) in enumerate(
        [
            ("1", ("0", "UTC")),
            ("7", ("1", "Pacific/Auckland")),
        ]
    ):
        files = [tmp_path / f"{number}.html", tmp_path / f"tables-{number}"]
        ended = run(
            *(*call, "--seed", "3", "--seed", "1", "--format", "json", "--jobs", jobs),
            *("--report", files[0], "--csv", files[1]),
            cwd=made,
            PYTHONHASHSEED=environment[0],
            TZ=environment[1],
        )
        assert (ended.code, ended.err) == (0, "")
        tables = [(files[1] / name).read_bytes() for name in ("jobs.csv", "decisions.csv")]
        outputs.add((ended.out, files[0].read_bytes(), *tables))
    assert len(outputs) == 1


def test_what_is_in_the_answer(made: Path, tmp_path: Path) -> None:
    call = ("simulate", "--workload", "workload.json", "--against", "fifo", "--seed", "1", "--seed", "2")
    ended = run(*call, "--format", "json", "--csv", tmp_path, cwd=made)
    answer = json.loads(ended.out)
    labels = [f"{name}, seed {seed}" for name in ("policies", "fifo") for seed in (1, 2)]
    assert [one["label"] for one in answer["contestants"]] == labels
    assert {one["policy"] for one in answer["contestants"]} == {"policies"}
    assert set(answer["digests"]) == {"policy", "workload"}
    with (tmp_path / "jobs.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [*dict.fromkeys(row["contestant"] for row in rows)] == labels
    jobs = {one["label"]: one["overall"]["jobs"] for one in answer["contestants"]}
    assert {name: sum(row["contestant"] == name for row in rows) for name in labels} == jobs
    with (tmp_path / "decisions.csv").open() as file:
        assert {row["decision"] for row in csv.DictReader(file)} == {"start", "preempt"}


def test_the_command_in_the_answer_gives_it_again(made: Path, tmp_path: Path) -> None:
    call = ("simulate", "--workload", "workload.json", "--seed", "7", "--jobs", "1", "--format", "json")
    first = run(*call, "--checkpoint", tmp_path / "c", cwd=made)
    said = json.loads(first.out)["command"]
    assert said == "policyctl simulate --workload workload.json --seed 7"
    again = run(*said.split()[1:], "--format", "json", cwd=made)
    assert again.out == first.out


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (["simulate", "--jobs", "2", "--seed", "1"], "policyctl simulate --seed 1"),
        (["simulate", "--jobs=2", "--debug", "--report", "a b.html"], "policyctl simulate"),
        (["simulate", "--workload", "a b.json"], "policyctl simulate --workload 'a b.json'"),
        (["sweep", "--dask", "tcp://x:1", "--window=1d"], "policyctl sweep --window=1d"),
    ],
)
def test_what_changes_nothing_is_left_out_of_the_command(given: list[str], kept: str) -> None:
    assert reproducing(given) == kept


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (["diff", "main", "--", "-x"], "policyctl diff --now 1970-01-02T00:00:00Z main -- -x"),
        (["diff", "--now", "2026-09-01"], "policyctl diff --now 2026-09-01"),
        (["diff", "--now=2026-09-01", "main"], "policyctl diff --now=2026-09-01 main"),
    ],
    ids=["from the clock", "named", "named in one word"],
)
def test_the_command_names_the_instant_of_the_answer(given: list[str], kept: str) -> None:
    assert reproducing(given, now=Instant(86_400)) == kept


@pytest.mark.parametrize("command", ["simulate", "sweep"])
def test_a_page_that_cannot_be_written_is_refused_first(command: str, tmp_path: Path) -> None:
    ended = run(command, "--report", "nowhere/page.html", cwd=tmp_path)
    assert (ended.code, "there is no folder `nowhere`" in ended.err) == (3, True)


def test_a_bundle_and_its_folder_are_one_contestant_twice(made: Path, tmp_path: Path) -> None:
    bundle = tmp_path / "policy.bundle"
    assert run("compile", "policies", "-o", bundle, cwd=made).code == 0
    ended = run(
        *("simulate", "--workload", "workload.json", "--format", "json", "--against", bundle), cwd=made
    )
    one, other = json.loads(ended.out)["contestants"]
    for answer in (one, other):
        del answer["label"], answer["name"]
    assert one == other


def test_a_scenario_brings_its_policy_and_its_seeds(tmp_path: Path) -> None:
    ended = run("simulate", "--scenario", "rack-failure", "--format", "json", cwd=tmp_path)
    assert ended.code == 0, ended.err
    answer = json.loads(ended.out)
    assert answer["title"] == "rack-failure"
    assert answer["command"] == "policyctl simulate --scenario rack-failure"


def test_a_scenario_under_another_policy(made: Path) -> None:
    ended = run("simulate", "--scenario", "rack-failure", "--policy", "policies", cwd=made)
    assert ended.code == 1, "its incidents name nodes that two nodes do not have"
    assert "policies" not in ended.text


def test_a_log_with_its_map(tmp_path: Path) -> None:
    example = Path(__file__).parents[2] / "examples" / "real-log"
    call = (
        *("simulate", "--policy", example / "policy", "--log", example / "jobs.csv", "--log-format", "csv"),
        *("--map", example / "MAP.yaml", "--format", "json", "--gpu-only"),
    )
    ended = run(*call, cwd=tmp_path)
    assert ended.code == 0, ended.err
    assert "error L002" in ended.err, "bad records are listed, and the rest is simulated"
    answer = json.loads(ended.out)
    assert set(answer["digests"]) == {"policy", "log", "map"}
    part = run(*(*call, "--from", "2026-11-26T00:00:00Z", "--until", "2026-11-28T00:00:00Z"), cwd=tmp_path)
    (one,), (two,) = answer["contestants"], json.loads(part.out)["contestants"]
    assert (two["start"], two["end"]) == ("2026-11-26T00:00:00Z", "2026-11-28T00:00:00Z")
    assert 0 < two["overall"]["jobs"] < one["overall"]["jobs"]
    missing = run(*call, "--map", "missing.yaml", cwd=tmp_path)
    assert (missing.code, missing.out) == (3, b"")


def test_until_is_where_it_ends_and_a_checkpoint_goes_on_from_there(made: Path, tmp_path: Path) -> None:
    call = ("simulate", "--workload", "workload.json", "--format", "json", "--checkpoint", tmp_path / "c")
    half = run(*call, "--until", "2026-09-10T00:00:00Z", cwd=made)
    assert json.loads(half.out)["contestants"][0]["end"] == "2026-09-10T00:00:00Z"
    through = run(*call[:-2], cwd=made)
    assert run(*call, cwd=made).out == through.out
    back = run(*call, "--until", "2026-09-10T00:00:00Z", cwd=made)
    assert (back.code, back.out) == (3, b"")
    assert "past the instant of `--until`" in back.err


def test_a_checkpoint_of_other_inputs_is_refused(made: Path, tmp_path: Path) -> None:
    call = ("simulate", "--workload", "workload.json", "--checkpoint", tmp_path / "c")
    assert run(*call, cwd=made).code == 0
    for other in (("--seed", "2"), ("--against", "fifo"), ("--policy", "other")):
        ended = run(*call, *other, cwd=made)
        assert (ended.code, ended.out) == (3, b"")
        assert "is a checkpoint of other inputs" in ended.err
