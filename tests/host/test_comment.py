"""The step that comments, run against a small server that answers as the code host's interface is documented to."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml

from policyctl.workspace.starter import starter_files
from tests.host.interface import Asked, page_of, serving

WORKFLOW = yaml.safe_load(starter_files(org="lab", install=".")[".github/workflows/policy-comment.yml"])
MARKER = "<!-- policyctl diff -->"
TEXT = f"{MARKER}\n\n`/platform` gains"
HEAD = {"head_sha": "c0ffee", "head_branch": "odd & name", "head_repository": {"owner": {"login": "fork"}}}
PULLS = [
    {"number": 6, "state": "open", "from": "fork:odd & name", "head": {"sha": "older"}},
    {"number": 7, "state": "open", "from": "fork:odd & name", "head": {"sha": "c0ffee"}},
    {"number": 8, "state": "open", "from": "else:odd & name", "head": {"sha": "c0ffee"}},
    {"number": 9, "state": "closed", "from": "fork:odd & name", "head": {"sha": "c0ffee"}},
]


def said(number: int, body: str, who: str = "User") -> dict[str, Any]:
    return {"id": number, "body": body, "user": {"type": who}}


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """What the code host knows, and what it was asked to write."""

    comments: list[dict[str, Any]]
    written: list[tuple[str, str, str]] = field(default_factory=list)

    def answer(self, asked: Asked) -> tuple[int, Any]:
        if asked.method != "GET":
            self.written.append((asked.method, asked.path, asked.body["body"]))
            return 200, {}
        if asked.path == "/repos/lab/policy/pulls":
            wanted = (asked.query["state"], asked.query["head"])
            return 200, page_of([one for one in PULLS if (one["state"], one["from"]) == wanted], asked)
        assert asked.path == "/repos/lab/policy/issues/7/comments"
        return 200, page_of(self.comments, asked)


def comment(host: Host, scratch: Path, text: str, head: dict[str, Any] = HEAD) -> tuple[int, str]:
    (step,) = (one for one in WORKFLOW["jobs"]["comment"]["steps"] if "run" in one)
    assert step["shell"] == "python"
    (scratch / "step.py").write_text(step["run"])
    (scratch / "event.json").write_text(json.dumps({"workflow_run": head}))
    (scratch / "policy-comment").mkdir()
    (scratch / "policy-comment/comment.md").write_text(text)
    with serving(host.answer) as url:
        done = subprocess.run(
            [sys.executable, str(scratch / "step.py")],
            env={
                "PATH": os.environ["PATH"],
                "TOKEN": "secret",
                "GITHUB_API_URL": url,
                "GITHUB_REPOSITORY": "lab/policy",
                "GITHUB_EVENT_PATH": str(scratch / "event.json"),
                "RUNNER_TEMP": str(scratch),
            },
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
    return done.returncode, done.stdout + done.stderr


def test_the_first_comment_goes_to_the_pull_request_with_that_head(tmp_path: Path) -> None:
    host = Host(comments=[said(1, "hello")])
    assert comment(host, tmp_path, TEXT) == (0, "")
    assert host.written == [("POST", "/repos/lab/policy/issues/7/comments", TEXT)]


def test_a_later_one_replaces_its_own_and_nobody_elses(tmp_path: Path) -> None:
    many = [said(number, "talk") for number in range(150)]
    host = Host(
        comments=[said(900, f"{MARKER} quoted by a person"), *many, said(901, f"{MARKER} old", "Bot")]
    )
    assert comment(host, tmp_path, TEXT) == (0, "")
    assert host.written == [("PATCH", "/repos/lab/policy/issues/comments/901", TEXT)]


@pytest.mark.parametrize(
    "text", ["", "anything else", f"{MARKER}{'x' * 60_000}"], ids=["empty", "no marker", "too long"]
)
def test_what_is_no_comment_of_policyctl_is_not_written(tmp_path: Path, text: str) -> None:
    host = Host(comments=[])
    code, why = comment(host, tmp_path, text)
    assert (code, host.written) == (1, [])
    assert "no comment of policyctl" in why


def test_a_pull_request_that_went_on_is_left_to_its_next_check(tmp_path: Path) -> None:
    host = Host(comments=[])
    code, why = comment(host, tmp_path, TEXT, {**HEAD, "head_sha": "other"})
    assert (code, host.written) == (0, [])
    assert why == "no open pull request has this head any more\n"
