"""The step that runs a check again after a review, against a server that answers as the code host's interface does."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from tests.host.git import ENVIRONMENT
from tests.host.interface import Asked, serving
from tests.host.steps import FILES

WORKFLOW = yaml.safe_load(FILES[".github/workflows/policy-rerun.yml"])
ACTIONS = "/repos/lab/policy/actions"
BRANCH = "odd & name"
REVIEW = {"head_branch": BRANCH, "head_repository": {"id": 5}}


def run(number: int, repository: int | None = 5, status: str = "completed") -> dict[str, Any]:
    """Return a run as the interface lists it; a repository that was deleted is null."""
    head = None if repository is None else {"id": repository}
    return {"id": 100 + number, "run_number": number, "head_repository": head, "status": status}


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """The runs that the code host has, how often it says that the newest still runs, and what it was asked to do."""

    runs: list[dict[str, Any]]
    busy: int = 0
    refusal: int | None = None
    asked: list[str] = field(default_factory=list)

    def answer(self, asked: Asked) -> tuple[int, Any]:
        self.asked.append(f"{asked.method} {asked.path.removeprefix(ACTIONS)}")
        if asked.method == "POST":
            return self.refusal or 201, {}
        if asked.path.endswith("/policy.yml/runs"):
            assert (asked.query["event"], asked.query["branch"]) == ("pull_request", BRANCH)
            return 200, {"total_count": len(self.runs), "workflow_runs": self.runs}
        newest = self.runs[0]
        return 200, {**newest, "status": "in_progress" if len(self.asked) <= self.busy else "completed"}


def again(host: Host, scratch: Path) -> subprocess.CompletedProcess[str]:
    (step,) = WORKFLOW["jobs"]["rerun"]["steps"]
    assert step["shell"] == "python"
    (scratch / "step.py").write_text(step["run"])
    (scratch / "event.json").write_text(json.dumps({"workflow_run": REVIEW}))
    with serving(host.answer) as url:
        return subprocess.run(
            [sys.executable, str(scratch / "step.py")],
            env={
                **ENVIRONMENT,
                "TOKEN": "secret",
                "PAUSE": "0",
                "GITHUB_API_URL": url,
                "GITHUB_REPOSITORY": "lab/policy",
                "GITHUB_EVENT_PATH": str(scratch / "event.json"),
            },
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )


def test_the_newest_run_of_that_branch_of_that_repository_starts_again(tmp_path: Path) -> None:
    host = Host(runs=[run(9, repository=6), run(8), run(10, repository=None), run(7)])
    done = again(host, tmp_path)
    assert (done.returncode, done.stdout) == (0, "run 108 of the check starts again\n")
    assert host.asked == ["GET /workflows/policy.yml/runs", "POST /runs/108/rerun"]


def test_one_that_still_runs_is_waited_for_since_it_may_have_read_the_reviews_before(tmp_path: Path) -> None:
    host = Host(runs=[run(8, status="queued")], busy=3)
    assert again(host, tmp_path).returncode == 0
    assert host.asked[1:] == ["GET /runs/108"] * 3 + ["POST /runs/108/rerun"]


def test_where_there_is_none_it_says_what_to_do(tmp_path: Path) -> None:
    host = Host(runs=[run(9, repository=6)])
    done = again(host, tmp_path)
    assert (done.returncode, len(host.asked)) == (1, 1)
    assert "push to it, or close and open the pull request" in done.stderr


def test_one_that_is_too_old_says_what_to_do(tmp_path: Path) -> None:
    done = again(Host(runs=[run(8)], refusal=403), tmp_path)
    assert done.returncode == 1
    assert "the check cannot run again (403); push to the branch" in done.stderr
