"""The example queue: made by its script, byte for byte, and as odd as a real one."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from policyctl.adapters.state_json import read_state, write_state
from policyctl.model.jobs import ClusterState, Job, Outcome
from policyctl.units import parse_instant
from tests.examples.readme_runner import ROOT

FOLDER = ROOT / "examples" / "lab-queue"
STATE = FOLDER / "state.json"
NOW = "2026-11-30T09:00:00Z"
GPUS = {"h100": 640, "a100": 384, "l40s": 176}


@pytest.fixture(scope="module")
def state() -> ClusterState:
    answer = read_state(STATE.read_bytes(), file="state.json", pools=GPUS)
    assert not answer.findings
    assert answer.state is not None
    return answer.state


def running(state: ClusterState) -> list[Job]:
    return [job for job in state.jobs if job.start is not None]


def test_the_script_makes_the_same_bytes_again_whatever_the_surroundings(tmp_path: Path) -> None:
    output = tmp_path / "state.json"
    subprocess.run(
        [sys.executable, str(FOLDER / "generate.py"), "--seed", "7", "--at", NOW, "-o", str(output)],
        check=True,
        env={"PYTHONHASHSEED": "1", "TZ": "Pacific/Kiritimati", "PYTHONDONTWRITEBYTECODE": "1"},
    )
    assert output.read_bytes() == STATE.read_bytes()


def test_the_file_is_written_as_policyctl_writes_states(state: ClusterState) -> None:
    assert write_state(state) == STATE.read_bytes()
    assert len(STATE.read_bytes()) < 1_500_000


def test_no_node_holds_more_than_it_has(state: ClusterState) -> None:
    assert state.nodes is not None
    held: Counter[str] = Counter()
    for job in running(state):
        assert job.placement is not None
        held.update(job.placement)
    for node in state.nodes:
        assert held[node.name] <= (node.gpus if node.available else 0), node.name
    assert set(held) <= {node.name for node in state.nodes}


@pytest.mark.parametrize("pool", GPUS)
def test_a_pool_is_nearly_full_and_many_jobs_wait(state: ClusterState, pool: str) -> None:
    busy = sum(job.gpus for job in running(state) if job.pool == pool) / 1000 / GPUS[pool]
    assert 0.94 <= busy <= 0.99
    assert sum(job.start is None and job.pool == pool for job in state.jobs) >= 50


def test_the_fortnight_has_every_outcome_and_nearly_all_researchers(state: ClusterState) -> None:
    assert {run.outcome for run in state.usage} == set(Outcome)
    handles = {f"r{number:03d}" for number in range(1, 151)}
    users = {run.job.user for run in state.usage}
    assert users <= handles
    assert len(users) >= 145, "a few may have been away"
    assert min(run.end for run in state.usage) > parse_instant(NOW) - 14 * 86_400


@pytest.mark.parametrize(
    ("what", "found"),
    [
        ("an account that no budget names", lambda job: job.account == "/vision/medical"),
        ("a notebook", lambda job: job.kind == "interactive"),
        ("part of a GPU", lambda job: job.gpus % 1000),
        ("a quarter of a pool", lambda job: job.gpus >= 128_000),
        ("no minimum runtime", lambda job: not job.min_runtime),
        ("the whole time limit as minimum runtime", lambda job: job.min_runtime == job.time_limit),
        ("a label", lambda job: job.labels),
        ("an inflated priority", lambda job: job.priority == 1000),
        ("a checkpoint", lambda job: job.last_checkpoint),
        ("no way to resume", lambda job: not job.resumable),
        ("an earlier preemption", lambda job: job.preemptions),
        ("one block", lambda job: job.topology == "block"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_some_live_job_has(state: ClusterState, what: str, found: object) -> None:
    assert callable(found)
    assert any(found(job) for job in state.jobs), what


def test_the_demo_fits_a_few_screens_and_answers_every_question() -> None:
    search = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)))
    ended = subprocess.run(
        [str(FOLDER / "demo.sh")],
        cwd="/",
        env={"PATH": search, "NO_COLOR": "1", "COLUMNS": "100"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    assert len(ended.stdout.splitlines()) < 100
    for word in (
        "no findings",
        "pool h100",
        "rank  job",
        "buys predictability",
        "granted: 1 job",
        "refused:",
    ):
        assert word in ended.stdout, word
