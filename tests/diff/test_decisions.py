"""Which jobs of a state stand differently, each for the reason it should."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from policyctl.adapters.state_json import read_state
from policyctl.decide.situation import Situation
from policyctl.diff.decisions import job_moves
from tests.cli.program import run
from tests.diff.policies import BASE, policy

ROOT = Path(__file__).parent.parent.parent
NOW = "2026-09-02T12:00:00Z"


def job(name: str, account: str, **more: Any) -> dict[str, Any]:
    fixed = {"user": "u", "pool": "h100", "gpus": 10, "nodes": 1, "submit": "2026-09-02T08:00:00Z"}
    return {"id": name, "account": account, "min_runtime": "4h", **fixed, **more}


STATE = json.dumps(
    {
        "time": NOW,
        "jobs": [
            job("first", "/language/data"),
            job("second", "/robotics", min_runtime="2h"),
            job("running", "/language/data", start="2026-09-02T09:00:00Z"),
        ],
        "usage": [],
    }
).encode()


def moves(before: str, after: str, *more: dict[str, Any]) -> dict[str, tuple[str, ...]]:
    stands = json.loads(STATE)
    data = json.dumps(stands | {"jobs": [*stands["jobs"], *more]}).encode()
    read = read_state(data, file="state", pools=frozenset({"h100"}))
    assert read.state is not None
    sides = [Situation(policy(text), read.state, read.state.time) for text in (before, after)]
    return {one.job: one.what for one in job_moves(*sides)}


CASES = {
    "nothing that concerns a job": (("notice: 2m", "notice: 3m"), {}),
    "a cap below what was declared": (
        ("default: 4h", "default: 3h30m"),
        {"first": ("hits_cap",), "running": ("hits_cap",)},
    ),
    "a cap that is over": (
        ("default: 4h", "default: 2h"),
        {"first": ("hits_cap",), "running": ("becomes_preemptible", "hits_cap")},
    ),
    "a share that grows": (
        ("robotics: 20%", "robotics: 40%"),
        {},
    ),
    "an account that has no share any more": (
        ("robotics: 20%", "robotics: 0%"),
        {"first": ("rank",), "second": ("rank", "class")},
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_job_stands_differently_for_its_reason(
    case: tuple[tuple[str, str], dict[str, tuple[str, ...]]],
) -> None:
    replaced, expected = case
    assert moves(BASE, BASE.replace(*replaced)) == expected


def test_the_way_back_protects_again() -> None:
    assert moves(BASE.replace("default: 4h", "default: 2h"), BASE) == {
        "running": ("ceases_to_be_preemptible",)
    }


def test_what_may_be_preempted_from_now_on_comes_first() -> None:
    young = job("another", "/language/data", start="2026-09-02T11:00:00Z")
    found = moves(BASE, BASE.replace("default: 4h", "default: 2h"), young)
    assert list(found) == ["running", "another", "first"]
    assert found["another"] == ("hits_cap",)


def test_the_command_tells_jobs_in_every_format(tmp_path: Path) -> None:
    for name, text in (("old", BASE), ("new", BASE.replace("default: 4h", "default: 2h"))):
        (tmp_path / name).mkdir()
        (tmp_path / name / "policy.yaml").write_text(text)
    (tmp_path / "state.json").write_bytes(STATE)
    call = ("diff", "./old", "./new", "--state", "state.json")
    text = run(*call, cwd=tmp_path).text
    assert "may be preempted now, hits a cap, protection 4h → 2h" in text
    answer = json.loads(run(*call, "--format", "json", cwd=tmp_path).out)
    jsonschema.validate(answer, json.loads((ROOT / "schemas/diff.json").read_text()))
    assert [one["job"] for one in answer["jobs"]] == ["running", "first"]
    assert "#### Jobs of the state" in run(*call, "--format", "markdown", cwd=tmp_path).text
    assert run(*call, "--report", "page.html", cwd=tmp_path).code == 0
    page = (tmp_path / "page.html").read_text()
    assert f'<dt>state</dt><dd class="digest">sha256:{hashlib.sha256(STATE).hexdigest()}' in page
    assert '<dt><a href="#jobs">jobs of the state</a></dt>' in page
