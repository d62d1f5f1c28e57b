"""`hours.py` of the real logs as a user runs it: beside a replay of `policyctl simulate`, with and without room for all."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from policyctl.cli.main import run
from policyctl.errors import Exit
from tests.bench import logs
from tests.sim_real.slices import text

LOG = """\
; UnixStartTime: 1000000000
1 0 0 3600 2 -1 -1 2 7200 -1 1 1 1 -1 1 -1 -1 -1
2 60 0 1800 3 -1 -1 3 7200 -1 1 2 2 -1 1 -1 -1 -1
3 120 0 5400 1 -1 -1 1 7200 -1 1 3 2 -1 1 -1 -1 -1
"""


def replayed(name: str, log: Path, folder: Path, *, nodes: int) -> None:
    """Replay a log as the README does, under its policy with so many nodes, and write `jobs.csv`."""
    policy = folder / "policy"
    policy.mkdir()
    for file in (logs.EXAMPLES / name / "policy").glob("*.yaml"):
        (policy / file.name).write_text(re.sub(r"nodes: \d+", f"nodes: {nodes}", file.read_text()))
    options = ["--log", str(log), "--log-format", logs.LOGS[name].format, "--csv", str(folder)]
    mapped = ["--map", str(logs.EXAMPLES / name / "MAP.yaml"), "--policy", str(policy), "--jobs", "1"]
    assert run(["simulate", *options, *mapped, *["--gpu-only"] * logs.LOGS[name].gpu_jobs_only]) == Exit.OK


def compared(log: Path, folder: Path) -> tuple[int, list[str]]:
    """Return how `hours.py` ends, and what it prints."""
    script = [sys.executable, str(logs.EXAMPLES / "hours.py"), str(log), str(folder / "jobs.csv")]
    done = subprocess.run(script, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    return done.returncode, done.stdout.splitlines()


@pytest.mark.parametrize("name", sorted(logs.LOGS))
def test_a_slice_on_endless_nodes_loses_nothing(name: str, tmp_path: Path) -> None:
    log = tmp_path / ("log.swf" if logs.LOGS[name].format == "swf" else "log.csv")
    log.write_bytes(text(name))
    replayed(name, log, tmp_path, nodes=40_000)
    code, (hours, accounts, jobs) = compared(log, tmp_path)
    into, out = re.findall(r"[\d,]+(?= GPU-hours in| out)", hours)
    assert (code, into) == (0, out)
    assert accounts.endswith(" accounts, 0 differ")
    assert jobs.endswith(" jobs, 0 did not start at once")


def test_enough_room_by_hand(tmp_path: Path) -> None:
    log = tmp_path / "log.swf"
    log.write_text(LOG)
    replayed("kth", log, tmp_path, nodes=6)
    assert compared(log, tmp_path) == (
        0,
        ["5 GPU-hours in, 5 out", "2 accounts, 0 differ", "3 jobs, 0 did not start at once"],
    )


def test_a_job_that_can_never_fit_is_missed_and_so_is_one_cut_by_the_end(tmp_path: Path) -> None:
    log = tmp_path / "log.swf"
    log.write_text(LOG)
    replayed("kth", log, tmp_path, nodes=2)
    code, said = compared(log, tmp_path)
    assert code == 1
    # The last job still runs when the log, and with it the replay, ends.
    assert said == [
        "5 GPU-hours in, 2 out",
        "2 accounts, 1 differ",
        "3 jobs, 2 did not start at once",
        "/g2: 3.0 in, 0.0 out",
    ]
    listed = (tmp_path / "jobs.csv").read_text().splitlines()
    assert [line.split(",")[2] for line in listed if ",impossible," in line] == ["2"]
