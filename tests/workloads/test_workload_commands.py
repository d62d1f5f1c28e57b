"""`policyctl workload` as a user runs it: what it writes, what it says, how it ends."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from policyctl.cli.main import run as call
from policyctl.errors import Exit
from tests.cli.program import policy, run

LOG = """\
job_id,submit_time_s,start_time_s,end_time_s,user,group,gpus,nodes,state
71,1788220800,1788224400,1788231600,dev5,arms,8,1,COMPLETED
72,1788222600,,1788226200,dev6,arms,8,1,CANCELLED
73,1788307200,1788307200,1788310800,dev6,legs,0,1,COMPLETED
74,1788307260,1788307300,1788314400,dev5,arms,16,2,COMPLETED
75,bad,1788307300,1788314400,dev5,arms,16,2,COMPLETED
"""
MAP = 'accounts:\n  - {group: "*", to: "/robotics/{group}"}\ndefaultPool: h100\ndefaultMinRuntime: 1h\n'
SMALL = ("--seed", "3", "--days", "2", "--researchers", "10", "--load", "0.5")


def log(folder: Path) -> Path:
    """Write a log and its map beside a policy, and return the folder."""
    (folder / "jobs.csv").write_text(LOG)
    (folder / "MAP.yaml").write_text(MAP)
    return policy(folder)


def from_log(folder: Path, *more: str) -> tuple[int, str]:
    arguments = ("--log", "jobs.csv", "--log-format", "csv", "--map", "MAP.yaml", "-o", "w.json", *more)
    ended = run("workload", "from-log", *arguments, cwd=folder)
    assert not ended.out
    return ended.code, ended.err


def ids(file: Path) -> list[str]:
    return [task["id"] for task in json.loads(file.read_text())["tasks"]]


def test_a_lab_is_generated_and_told(tmp_path: Path) -> None:
    ended = run("workload", "generate", *SMALL, "-o", "w.json", cwd=policy(tmp_path))
    assert (ended.code, ended.out) == (0, b"")
    said = ended.err.splitlines()
    tasks = json.loads((tmp_path / "w.json").read_text())["tasks"]
    assert said[0] == f"{len(tasks):,} tasks from 2026-01-05T00:00:00Z, 2d"
    (pool,) = [line.split() for line in said if line.startswith("h100")]
    assert pool == ["h100", f"{len(tasks):,}", "16,896", "0.50"]
    assert [line.split()[0] for line in said if line.startswith("/")] == ["/language", "/robotics"]
    assert said[-1] == "wrote w.json"


def test_a_packed_file_and_standard_output_have_the_same_content(tmp_path: Path) -> None:
    folder = policy(tmp_path)
    packed = run("workload", "generate", *SMALL, "-o", "w.json.gz", cwd=folder)
    plain = run("workload", "generate", *SMALL, "-o", "-", cwd=folder)
    assert (packed.code, plain.code) == (0, 0)
    assert gzip.decompress((folder / "w.json.gz").read_bytes()) == plain.out
    first = (folder / "w.json.gz").read_bytes()
    run("workload", "generate", *SMALL, "-o", "w.json.gz", cwd=folder)
    assert (folder / "w.json.gz").read_bytes() == first


def test_what_is_said_of_the_lab_shows(tmp_path: Path) -> None:
    said = (
        "--start",
        "2026-09-07T00:00:00Z",
        "--queue",
        "2",
        "--zero",
        "100%",
        "--interactive",
        "0%",
        "--checkpoint-every",
        "never",
    )
    ended = run("workload", "generate", *SMALL, *said, "-o", "-", cwd=policy(tmp_path))
    made = json.loads(ended.out)
    assert (made["start"], made["end"], made["tasks"]) == ("2026-09-07T00:00:00Z", "2026-09-09T00:00:00Z", [])
    tasks = [task for stream in made["streams"] for task in stream["tasks"]]
    assert {stream["depth"] for stream in made["streams"]} == {2}
    assert not any({"min_runtime", "checkpoint_every"} & set(task) for task in tasks)
    assert "of them in 10 queues that their owners keep full" in ended.err


@pytest.mark.parametrize(
    ("said", "message"),
    [
        pytest.param(("--load", "0"), "`0` is not a load: write demand over capacity: `2.5`", id="no load"),
        pytest.param(
            ("--zero", "20"), "`20` is more than the whole: did you mean `20%`?", id="a part above one"
        ),
        pytest.param(
            ("--timezone", "Europe/Pariss"), "did you mean `Europe/Paris`?", id="a zone nobody knows"
        ),
        pytest.param(("--most-declared", "0s"), "`0s` is no time at all", id="no time at all"),
        pytest.param(("--researchers", "1"), "1 researchers cannot work for 2 accounts", id="too few people"),
        pytest.param(("--start", "2026-09-07"), "an instant has a time and an offset", id="a bare date"),
        pytest.param(
            ("--queue", "3", "--at-most", "3"),
            "`--queue` and `--at-most` exclude each other",
            id="two queues",
        ),
        pytest.param(("--pause", "1h"), "`--pause` goes with `--queue` or `--at-most`", id="no queue at all"),
    ],
)
def test_what_cannot_be_is_a_usage_error(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    said: tuple[str, ...],
    message: str,
) -> None:
    monkeypatch.chdir(policy(tmp_path))
    assert call(["workload", "generate", *SMALL, *said, "-o", "w.json"]) == Exit.USAGE
    assert message in capsys.readouterr().err
    assert not (tmp_path / "w.json").exists()


def test_a_log_becomes_tasks_and_a_list_of_the_rest(tmp_path: Path) -> None:
    code, said = from_log(log(tmp_path), "--policy", "policies", "--left-out", "rest.csv")
    assert code == 0
    assert ids(tmp_path / "w.json") == ["71", "73", "74"]
    assert (tmp_path / "rest.csv").read_text() == "record,job,reason\n2,72,never_ran\n"
    for line in ("4 jobs and attempts", "3 became tasks", "1 never ran: left out", "wrote w.json"):
        assert line in said
    assert "jobs.csv:6:1: error L002" in said
    assert "jobs.csv:3:1: note L028: 1 record of jobs that never ran, left out: record 2" in said


def test_a_range_a_factor_and_only_gpus(tmp_path: Path) -> None:
    code, _ = from_log(log(tmp_path), "--from", "2026-09-02T00:00:00Z", "--gpu-only", "--scale", "2")
    made = json.loads((tmp_path / "w.json").read_text())
    assert code == 0
    assert [(task["id"], task["submit"]) for task in made["tasks"]] == [("74", "2026-09-02T00:00:30Z")]


def test_habits_are_written_to_every_task(tmp_path: Path) -> None:
    from_log(
        log(tmp_path),
        "--checkpoint-every",
        "30m",
        "--save-time",
        "1m",
        "--restart-overhead",
        "5m",
        "--restart-failure",
        "2%",
    )
    task = json.loads((tmp_path / "w.json").read_text())["tasks"][0]
    habits = {
        name: task[name] for name in ("checkpoint_every", "save_time", "restart_overhead", "restart_failure")
    }
    assert habits == {
        "checkpoint_every": "30m",
        "save_time": "1m",
        "restart_overhead": "5m",
        "restart_failure": 0.02,
    }


def test_strict_writes_nothing_if_a_record_is_bad(tmp_path: Path) -> None:
    code, said = from_log(log(tmp_path), "--strict")
    assert code == 1
    assert said.endswith("nothing was written\n")
    assert not (tmp_path / "w.json").exists()


def test_a_range_without_a_job_ends_as_nothing_verified(tmp_path: Path) -> None:
    code, said = from_log(log(tmp_path), "--from", "2030-01-01T00:00:00Z")
    assert code == 5
    assert "no job of `jobs.csv` becomes a task" in said
