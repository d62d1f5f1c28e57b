"""The bar on a terminal: simulated time, jobs done and time left, and nothing of it anywhere else."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryFile

import pytest

from tests.cli.program import run
from tests.sim_cli.folder import lab


def on_terminal(call: list[str], cwd: Path, **environment: str) -> tuple[int, bytes, str]:
    """Run a command whose standard error is a terminal; return its code, its output, and what the terminal was sent."""
    ours, theirs = pty.openpty()
    with (
        TemporaryFile() as answer,
        subprocess.Popen(
            [sys.executable, "-m", "policyctl", *call],
            cwd=cwd,
            stdout=answer,
            stderr=theirs,
            env={**os.environ, "COLUMNS": "120", "TERM": "xterm", **environment},
        ) as process,
    ):
        os.close(theirs)
        shown = bytearray()
        while True:
            try:
                shown += (piece := os.read(ours, 65536))
            except OSError:  # how Linux says that the other end was closed
                break
            if not piece:
                break
        process.wait(timeout=60)
        answer.seek(0)
        out = answer.read()
    os.close(ours)
    return process.returncode, out, shown.decode()


@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize("command", ["simulate", "sweep"])
def test_the_bar_moves_and_leaves_the_answer_alone(made: Path, command: str, jobs: str) -> None:
    call = [command, "--workload", "workload.json", "--format", "json", "--seed", "1", "--seed", "2"]
    code, out, shown = on_terminal([*call, "--jobs", jobs], made)
    assert code == 0
    assert re.search(r"(\d|\.)+ \w+ of 8 d simulated, [\d,]+ jobs done", shown)
    plain = run(*call, "--jobs", jobs, cwd=made)
    assert (plain.out, plain.err) == (out, "")


def test_a_dumb_terminal_gets_no_bar(made: Path) -> None:
    call = ["simulate", "--workload", "workload.json", "--format", "json"]
    code, _, shown = on_terminal(call, made, TERM="dumb")
    assert (code, shown) == (0, "")


def test_the_time_that_is_left_is_told_once_it_can_be_known(tmp_path: Path) -> None:
    longer = lab(tmp_path, days=40, load="2")
    call = ["simulate", "--workload", "workload.json", "--format", "json", "--seed", "1", "--seed", "2"]
    code, _, shown = on_terminal([*call, "--jobs", "1"], longer)
    assert code == 0
    assert re.search(r"[1-9][\d,]* jobs done", shown)
    assert re.search(r"\d:\d\d:\d\d", shown)
