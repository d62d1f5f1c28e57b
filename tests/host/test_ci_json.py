"""`policyctl ci --format json`: one document in the promised shape, and nothing beside it, however the check ends."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.cli.program import BROKEN, POLICY, policy
from tests.host.git import git
from tests.host.test_ci import GATES, TEST, ci, started

ROOT = Path(__file__).parent.parent.parent
PARTS = {"validate": "findings", "test": "test_report", "diff": "diff", "review": "review"}


@pytest.fixture
def top(tmp_path: Path) -> Path:
    started(tmp_path, POLICY + GATES)
    return policy(tmp_path, POLICY.replace("60%", "70%") + GATES)


def checked(top: Path, *arguments: str, **environment: str) -> tuple[int, Any]:
    """Return the exit code and the answer, once all parts of it have their shapes."""
    done = ci(top, "--format", "json", *arguments, **environment)
    answer = json.loads(done.out)
    jsonschema.validate(answer, shape("ci"))
    for part, name in PARTS.items():
        if answer[part] is not None:
            jsonschema.validate(answer[part], shape(name))
    assert answer["exit_code"] == done.code
    return done.code, answer


def shape(name: str) -> Any:
    found = json.loads((ROOT / f"schemas/{name}.json").read_text())
    jsonschema.Draft202012Validator.check_schema(found)
    return found


def test_a_gate_says_what_it_read_and_where_it_is_written(top: Path) -> None:
    code, found = checked(top)
    assert (code, found["outcome"]) == (1, "failed")
    assert found["gates"][0] == {
        "name": "small-steps",
        "level": "error",
        "outcome": "closed",
        "message": "more than 5 % moves",
        "when": "change.moved > 0.05",
        "why": None,
        "values": {"change.moved": 0.1},
        "file": "policies/policy.yaml",
        "line": 39,
    }
    assert [one["outcome"] for one in found["stages"]] == ["ok", "ok", "ok", "failed"]
    assert len({found["digests"][one] for one in ("base", "head", "change")}) == 3


def _failing(top: Path) -> None:
    (top / "policy-tests/test.yaml").write_text(TEST.replace("class: opportunistic", "class: funded"))


def _bare(top: Path) -> None:
    (top / ".git").rename(top / "elsewhere")


@pytest.mark.parametrize(
    ("prepare", "code", "answers"),
    [
        (lambda top: git(top, "checkout", "--quiet", "--", "policies"), 0, "validate test diff gates"),
        (lambda top: policy(top, BROKEN), 1, "validate"),
        (_failing, 1, "validate test diff gates"),
        (_bare, 3, "validate test"),
    ],
    ids=["no change", "a broken head", "a failed test", "no repository"],
)
def test_every_end_has_the_shape(
    top: Path, prepare: Callable[[Path], object], code: int, answers: str
) -> None:
    prepare(top)
    ended, found = checked(top)
    assert ended == code
    assert [one for one in (*PARTS, "impact", "gates") if found[one] is not None] == answers.split()
    told = [one["name"] for one in found["stages"] if one["why"] is None]
    assert told == answers.split()


def test_on_a_runner_standard_output_is_json_alone(top: Path) -> None:
    (top / "approvals.json").write_text(
        json.dumps({"pull": {"user": {"login": "dev1"}}, "reviews": [], "commits": []})
    )
    summary = top / "summary.md"
    told = {"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": str(summary)}
    done = ci(top, "--format", "json", "--approvals", "approvals.json", **told)
    assert json.loads(done.out)["review"]["author"] == "dev1"
    assert "::error title=gate small-steps::" in done.err
    assert "| gates | exit code 1 |" in summary.read_text()
    assert checked(top, "--approvals", "approvals.json")[1]["review"]["satisfied"] is False


def test_a_report_that_cannot_be_written_is_told_with_all_the_rest(top: Path) -> None:
    (top / "taken").write_text("a file")
    code, found = checked(top, "--reports", "taken", GITHUB_ACTIONS="true", GITHUB_OUTPUT="no/such/file")
    assert (code, found["outcome"]) == (3, "no_answer")
    ends = {one["name"]: (one["exit_code"], one["why"]) for one in found["stages"]}
    assert ends["gates"] == (1, None)
    assert ends["reports"] == (3, "cannot make the folder `taken`: File exists")
    assert ends["outputs"] == (3, "cannot write what `GITHUB_OUTPUT` names: No such file or directory")
