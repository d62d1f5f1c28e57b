"""Questions about a state: what stands beside the answer, where things are written, how wide it is, what is wrong."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

import pytest

from policyctl.cli import main
from tests.cli.program import Ended, policy, run

STATE = {
    "time": "2026-09-01T12:00:00Z",
    "jobs": [
        {
            "id": "47102",
            "account": "/language",
            "user": "r001",
            "pool": "h100",
            "gpus": 704,
            "nodes": 88,
            "submit": "2026-09-01T10:00:00Z",
            "start": "2026-09-01T11:00:00Z",
            "min_runtime": "4h",
            "placement": {f"h100-{number}": 8 for number in range(1, 89)},
        },
        {
            "id": "48213",
            "account": "/robotics",
            "user": "r002",
            "pool": "h100",
            "gpus": 8,
            "submit": "2026-09-01T11:00:00Z",
            "min_runtime": "8h",
        },
    ],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    top = policy(tmp_path_factory.mktemp("asked"))
    (top / "state.json").write_text(json.dumps(STATE))
    assert run("compile", "-o", "bundle", cwd=top).code == 0
    return top


def called(folder: Path, *call: str, columns: str | None = None) -> Ended:
    """Call the program in this process, which is quicker than a new one, from a folder."""
    out, err = StringIO(), StringIO()
    with pytest.MonkeyPatch.context() as patch, chdir(folder), redirect_stdout(out), redirect_stderr(err):
        patch.setenv("COLUMNS", columns or "")
        code = main.run(list(call))
    return Ended(code=code, out=out.getvalue().encode(), err=err.getvalue())


def ask(folder: Path, *call: str, columns: str | None = None) -> Ended:
    return called(folder, *call, "--state", "state.json", columns=columns)


AWAY = [
    pytest.param("2026-09-01T12:00:00Z", "", id="at the state's time"),
    pytest.param(
        "2026-09-03T13:00:00Z",
        "note: the question is of 2026-09-03T13:00:00Z, 2d1h after the state of 2026-09-01T12:00:00Z: "
        "what happened since is not in it\n",
        id="after it",
    ),
    pytest.param(
        "2026-09-01T11:59:59Z",
        "note: the question is of 2026-09-01T11:59:59Z, 1s before the state of 2026-09-01T12:00:00Z: "
        "it knows what happened later\n",
        id="before it",
    ),
]


@pytest.mark.parametrize(("now", "note"), AWAY)
@pytest.mark.parametrize(
    "call", [["rank"], ["usage"], ["explain", "48213"], ["quote", "48213"], ["preempt", "plan", "48213"]]
)
def test_an_instant_away_from_the_state_is_noted(folder: Path, call: list[str], now: str, note: str) -> None:
    text = ask(folder, *call, "--now", now)
    assert text.err == note
    assert f"as of {now}, policy meaning sha256:" in text.text
    answer = ask(folder, *call, "--now", now, "--format", "json")
    assert answer.err == ""
    told = json.loads(answer.out)
    assert (told["now"], told["state_time"]) == (now, STATE["time"])


def test_places_are_named_as_validate_names_them(folder: Path) -> None:
    calls = {
        ("explain", "48213"): "(policies/policy.yaml:",
        ("explain", "48213", "--policy", "./policies"): "(policies/policy.yaml:",
        ("explain", "48213", "--policy", str(folder / "policies")): f"({folder}/policies/policy.yaml:",
        ("explain", "48213", "--bundle", "bundle"): "(policy.yaml:",
    }
    for call, place in calls.items():
        assert place in ask(folder, *call).text, call
    told = json.loads(ask(folder, "quote", "48213", "--format", "json").out)
    assert told["capped_by"]["file"] == "policies/policy.yaml"


WRONG = [
    (
        "rank",
        "missing option `--state`",
        "`policyctl state build` makes a state from a scheduler's job log; ",
    ),
    (
        "explain --state state.json",
        "missing argument `JOB`",
        "`policyctl explain --help` shows what it takes",
    ),
    ("state build --log x", "missing option `--log-format`", "`policyctl state build --help` shows"),
    ("rank --pool h10 --state state.json", "the policy has no pool `h10`", "did you mean `h100`?"),
    ("rank --pool tpu --state state.json", "the policy has no pool `tpu`", "its pools are `h100`"),
    ("explain 4821 --state state.json", "the state has no job `4821`", "did you mean `48213`?"),
    ("rank --format jsn --state state.json", "`--format` cannot be `jsn`", "did you mean `json`?"),
    ("rank --format xml --state state.json", "`--format` cannot be `xml`", "it is one of `text`, `json`"),
    ("rank --sate state.json", "no such option `--sate`", "did you mean `--state`?"),
    ("rank --zzz", "no such option `--zzz`", "`policyctl rank --help` shows what it takes"),
    ("rnk", "no such command `rnk`", "did you mean `policyctl rank`?"),
    ("preempt authorise", "no such command `authorise`", "did you mean `policyctl preempt authorize`?"),
    ("preempt zzz", "no such command `zzz`", "`policyctl preempt --help` shows what it takes"),
    ("explain a b --state state.json", "got unexpected extra argument (b)", "`policyctl explain --help`"),
    (
        "rank --top x --state state.json",
        "`--top`: `x` is not a valid integer range",
        "`policyctl rank --help`",
    ),
    ("rank --state", "option `--state` requires an argument", ""),
    ("usage --now 2026-09-01 --state state.json", "`--now`: `2026-09-01` is not an instant: ", ""),
    ("quote --account robotics --state state.json", "did you mean `/robotics`?", ""),
    ("quote --gpus 1 --state state.json", "a submission needs `--account` and `--user`", "or name a waiting"),
]


@pytest.mark.parametrize(("call", "message", "way_out"), WRONG, ids=[row[0] for row in WRONG])
def test_what_is_wrong_with_a_call(folder: Path, call: str, message: str, way_out: str) -> None:
    ended = called(folder, *call.split())
    assert (ended.code, ended.out) == (2, b"")
    told, help_ = ended.err.splitlines()
    assert told.startswith("error: ")
    assert message in told
    assert not told.endswith(".")
    assert "'" not in told, "what the user wrote stands in backticks"
    assert help_.startswith(f"help: {way_out}")


@pytest.mark.parametrize(
    ("call", "code"),
    [
        pytest.param("quote 48213", 0, id="a quote"),
        pytest.param("preempt plan 48213", 1, id="a refusal"),
        pytest.param("preempt authorize 48213 47102", 1, id="a protected victim"),
        pytest.param("preempt authorize 48213 47102 4710", 3, id="a victim that is not there, and a refusal"),
    ],
)
def test_exit_codes(folder: Path, call: str, code: int) -> None:
    assert ask(folder, *call.split()).code == code


def test_a_typing_error_in_an_account_comes_first(folder: Path) -> None:
    call = ["quote", "--account", "/robotcs", "--user", "r1", "--gpus", "8", "--min-runtime", "4h"]
    first, second, *_ = ask(folder, *call).text.splitlines()
    assert first == "no budget names the account `/robotcs`; did you mean `/robotics`?"
    assert second.startswith("as written: harvests spare cycles")


def test_a_job_that_never_fits_comes_first(folder: Path) -> None:
    call = ["quote", "--account", "/robotics", "--user", "r1", "--gpus", "12", "--min-runtime", "4h"]
    first, second, *_ = ask(folder, *call).text.splitlines()
    assert first.startswith("never starts: it asks for 12 GPUs on one node")
    assert second.startswith("otherwise: buys predictability")


def widths(text: str) -> int:
    return max(map(len, text.splitlines()))


def test_columns_narrow_the_tables_and_a_pipe_does_not(folder: Path) -> None:
    wide = ask(folder, "usage", columns="")
    assert widths(wide.text) > 100
    for columns in (100, 80):
        narrow = ask(folder, "usage", columns=str(columns))
        assert widths(narrow.text) <= columns
        assert "weighted with half-life 7d" in " ".join(narrow.text.split())
    assert ask(folder, "usage", columns="wide").text == wide.text


def test_a_terminal_narrows_the_tables(folder: Path) -> None:
    leader, follower = pty.openpty()
    try:
        import fcntl  # noqa: PLC0415 - this test alone needs a terminal with a size
        import struct  # noqa: PLC0415
        import termios  # noqa: PLC0415

        fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 80, 0, 0))
        environment = {name: value for name, value in os.environ.items() if name not in {"COLUMNS", "LINES"}}
        subprocess.run(
            [sys.executable, "-m", "policyctl", "usage", "--state", "state.json"],
            cwd=folder,
            stdout=follower,
            env={**environment, "NO_COLOR": "1"},
            check=True,
        )
        text = os.read(leader, 65_536).decode()
    finally:
        os.close(leader)
        os.close(follower)
    assert "entitled" in text
    assert max(len(line) for line in text.splitlines()) <= 80


LOG = "job_id,submit_time_s,start_time_s,end_time_s,user,group,gpus,nodes,state\n"
ROW = "71,1788256800,1788257100,1788260400,r001,{},8,1,COMPLETED\n"


@pytest.mark.parametrize(
    ("group", "with_policy", "told"),
    [
        pytest.param("robotcs", True, "`/robotics` for `/robotcs`", id="a slip"),
        pytest.param("robotcs", False, "", id="nobody to compare with"),
        pytest.param("robotics", True, "", id="as it should be"),
    ],
)
def test_building_a_state_tells_of_accounts_that_no_budget_names(
    folder: Path, tmp_path: Path, group: str, *, with_policy: bool, told: str
) -> None:
    (tmp_path / "log.csv").write_text(LOG + ROW.format(group))
    (tmp_path / "map.yaml").write_text('accounts: [{group: "*", to: "/{group}"}]\ndefaultPool: h100\n')
    call = ["state", "build", "--log", "log.csv", "--log-format", "csv", "--map", "map.yaml", "-o", "made"]
    call += ["--at", "2026-09-02T00:00:00Z"]
    call += ["--policy", str(folder / "policies")] if with_policy else []
    ended = called(tmp_path, *call)
    assert ended.code == 0
    assert json.loads((tmp_path / "made").read_text())["usage"][0]["account"] == f"/{group}"
    assert ("map.yaml:1:1: warning L029" in ended.err) == bool(told)
    assert told in ended.err
    assert "L017" not in ended.err, "a map with a default pool alone means it"
