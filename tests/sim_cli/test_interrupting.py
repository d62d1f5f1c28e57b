"""Real interrupts of real processes: what was done is kept, and the same command gives the same bytes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from threading import Timer

import pytest

from tests.cli.program import run
from tests.sim_cli.folder import lab

CALL = ("simulate", "--workload", "workload.json", "--format", "json")
MANY = (*CALL, "--against", "fifo", "--seed", "1", "--seed", "2")
SEEDS = tuple(part for seed in range(200) for part in ("--seed", str(seed)))
"""Runs that take longer than any test waits."""


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a lab whose simulation takes a while."""
    return lab(tmp_path_factory.mktemp("long"), days=30, load="2")


def interrupted(call: tuple[str, ...], cwd: Path, by: signal.Signals, seen: Path) -> tuple[int, bytes, str]:
    """Start a command, signal its whole group once a file exists, and return how it ended."""
    with subprocess.Popen(
        [sys.executable, "-m", "policyctl", *call],
        cwd=cwd,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        env={**os.environ, "PYTHONWARNINGS": "error"},
    ) as process:
        for _ in range(1500):
            if seen.exists() or process.poll() is not None:
                break
            time.sleep(0.02)
        os.killpg(process.pid, by)
        out, err = process.communicate(timeout=60)
    return process.returncode, out, err.decode()


@pytest.mark.parametrize(
    ("call", "jobs", "by", "code"),
    [
        pytest.param(CALL, "1", signal.SIGINT, 130, id="one run"),
        pytest.param(CALL, "1", signal.SIGTERM, 143, id="one run, ended by a batch system"),
        pytest.param(MANY, "2", signal.SIGINT, 130, id="four runs in two processes"),
    ],
)
def test_an_interrupted_command_goes_on(  # noqa: PLR0917 - the columns of the table
    long: Path, tmp_path: Path, call: tuple[str, ...], jobs: str, by: signal.Signals, code: int
) -> None:
    through = run(*call, "--jobs", "2", cwd=long)
    assert through.code == 0, through.err
    kept = tmp_path / "kept"
    keeping = (*call, "--jobs", jobs, "--checkpoint", str(kept), "--checkpoint-every", "1d")
    ended, out, err = interrupted(keeping, long, by, kept)
    assert (ended, out) == (code, b""), err
    assert "interrupted at 2026-" in err
    assert f"help: the same command goes on from `{kept}`" in err
    again = run(*keeping, cwd=long)
    assert (again.code, again.err) == (0, "")
    assert again.out == through.out
    assert run(*call, "--jobs", "1", "--checkpoint", kept, cwd=long).out == through.out


def test_a_killed_command_goes_on_from_the_last_checkpoint(long: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    keeping = (*CALL, "--checkpoint", str(kept), "--checkpoint-every", "1d")
    ended, _, _ = interrupted(keeping, long, signal.SIGKILL, kept)
    assert ended == -signal.SIGKILL
    assert run(*keeping, cwd=long).out == run(*CALL, cwd=long).out


def test_an_interrupt_without_a_checkpoint_says_how_to_keep_one(long: Path, tmp_path: Path) -> None:
    call = ("simulate", "--workload", "workload.json", "--jobs", "1")
    ended, out, err = interrupted((*call, *SEEDS), long, signal.SIGINT, _after(tmp_path, 1.5))
    assert (ended, out) == (130, b"")
    assert "help: with `--checkpoint FILE`" in err


def test_an_interrupted_sweep_keeps_nothing_and_says_so(long: Path, tmp_path: Path) -> None:
    call = ("sweep", "--workload", "workload.json", "--jobs", "2", "--window", "1d,2d,3d,4d,5d,6d,7d,8d,9d")
    ended, out, err = interrupted((*call, *SEEDS), long, signal.SIGINT, _after(tmp_path, 2.5))
    assert (ended, out) == (130, b"")
    assert "interrupted: nothing is kept of a sweep" in err


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("simulate --against fifo --jobs 2", "help: with `--checkpoint FILE`"),
        ("sweep --jobs 2 --window 1d,2d,3d,4d,5d,6d,7d,8d,9d", "interrupted: nothing is kept of a sweep"),
        ("diff ./policies ./other", "the replay was interrupted"),
    ],
    ids=["simulate", "sweep", "diff"],
)
def test_a_batch_system_that_ends_all_processes_is_an_interrupt_and_no_lack_of_memory(
    long: Path, tmp_path: Path, call: str, said: str
) -> None:
    other = long / "other"
    other.mkdir(exist_ok=True)
    for file in (long / "policies").iterdir():
        (other / file.name).write_text(file.read_text().replace("robotics: ", "robots: "))
    whole = (*call.split(), "--workload", "workload.json", *SEEDS)
    ended, out, err = interrupted(whole, long, signal.SIGTERM, _after(tmp_path, 4))
    assert (ended, out) == (143, b""), err
    assert said in err
    assert "memory" not in err


def _after(folder: Path, seconds: float) -> Path:
    """Return a file that appears after so many seconds."""
    path = folder / "now"
    Timer(seconds, path.touch).start()
    return path
