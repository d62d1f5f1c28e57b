"""Gates over the author: from the export of approvals, from the runner's event, or not judged."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.program import POLICY, policy
from tests.host.test_ci import ci, started

GATES = """\
  gates:
    - {name: no-robots, when: 'change.author.endsWith("[bot]")', level: error, message: robots change nothing}
"""
PULL = {"pull_request": {"user": {"login": "Renew[bot]"}}}


def export(login: str) -> dict[str, Any]:
    return {"pull": {"user": {"login": login}}, "reviews": [], "commits": []}


@pytest.fixture
def top(tmp_path: Path) -> Path:
    started(tmp_path, POLICY + GATES)
    return policy(tmp_path, POLICY.replace("60%", "61%") + GATES)


@pytest.mark.parametrize(
    ("event", "approvals", "runner", "code", "outcome"),
    [
        (None, None, "", 5, "authorless"),
        (PULL, None, "true", 1, "closed"),
        (PULL, None, "", 5, "authorless"),
        ({"merge_group": {}}, None, "true", 5, "authorless"),
        ({"pull_request": {"user": None}}, None, "true", 5, "authorless"),
        ([], None, "true", 5, "authorless"),
        (None, export("dev1"), "", 1, "open"),
        (PULL, export("dev1"), "true", 1, "open"),
        (None, export("Renew[bot]"), "", 1, "closed"),
        (PULL, {"reviews": []}, "true", 3, "closed"),
    ],
    ids=[
        "nobody knows",
        "the event",
        "an event without a runner",
        "a merge queue",
        "an account that is gone",
        "no event at all",
        "the export",
        "the export before the event",
        "an export in other letters",
        "an export that cannot be read",
    ],
)
def test_the_author_of_gates(  # noqa: PLR0917 - the columns of the table
    top: Path, event: object, approvals: object, runner: str, code: int, outcome: str
) -> None:
    (top / "event.json").write_text(json.dumps(event))
    told: tuple[str, ...] = ()
    if approvals is not None:
        (top / "approvals.json").write_text(json.dumps(approvals))
        told = ("--approvals", "approvals.json")
    path = "" if event is None else "event.json"
    done = ci(top, "--format", "json", *told, GITHUB_ACTIONS=runner, GITHUB_EVENT_PATH=path)
    found = json.loads(done.out)
    # Where there are approvals, those of the leadership are missing, which is exit code 1.
    assert (done.code, found["gates"][0]["outcome"]) == (code, outcome), done.text


def test_a_gate_that_is_not_judged_says_how_to_judge_it(top: Path) -> None:
    done = ci(top)
    assert "not judged no-robots: it speaks of the author, whom nobody names here\n" in done.text
