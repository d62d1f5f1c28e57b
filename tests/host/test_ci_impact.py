"""`policyctl ci` with a replay: a stage of its own, without which the comparison stands and no gate passes by accident."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.program import POLICY, policy, run
from tests.host.test_ci import ci, started

SMALL = POLICY.replace("nodes: 88", "nodes: 2").replace(", blockNodes: 16", "")
GATES = """\
  gates:
    - {name: small-steps, when: change.moved > 0.9, level: error}
    - {name: few-losers, when: impact.overall.delivery_change < -0.9, level: warning}
"""


@pytest.fixture
def top(tmp_path: Path) -> Path:
    """Make a repository with both kinds of gates, a workload, and a change that moves shares."""
    started(tmp_path, SMALL + GATES)
    call = "workload generate --policy policies --seed 1 --days 1 --researchers 3 -o jobs.json"
    assert run(*call.split(), cwd=tmp_path).code == 0
    (tmp_path / "bad.json").write_text((tmp_path / "jobs.json").read_text().replace('"h100"', '"a100"'))
    policy(tmp_path, SMALL.replace("60%", "10%") + GATES)
    return tmp_path


def answered(top: Path, *arguments: str) -> tuple[int, Any]:
    done = ci(top, "--format", "json", *arguments)
    return done.code, json.loads(done.out)


def ends(answer: Any) -> dict[str, int]:
    return {one["name"]: one["exit_code"] for one in answer["stages"]}


def test_a_replay_is_a_stage_of_its_own(top: Path) -> None:
    code, found = answered(top, "--workload", "jobs.json", "--reports", "reports")
    assert (code, ends(found)) == (0, {"validate": 0, "test": 0, "diff": 0, "impact": 0, "gates": 0})
    assert found["impact"]["jobs"] > 0
    assert [one["outcome"] for one in found["gates"]] == ["open", "open"]
    assert "Impact on jobs: " in (top / "reports/comment.md").read_text()
    assert (top / "reports/summary.md").read_text().count("Impact on jobs: ") == 1
    page = (top / "reports/diff.html").read_text()
    assert "Occupancy by program, head</title>" in page
    assert "<code>policyctl ci --now " in page


@pytest.mark.parametrize(
    ("call", "code", "why"),
    [
        ("--workload nowhere.json", 3, "cannot read `nowhere.json`: No such file or directory"),
        ("--workload bad.json", 1, "there are findings in what it reads"),
        ("--log jobs.json", 2, "`--log` needs `--log-format`"),
    ],
    ids=["a file that is missing", "a file that is no workload", "a call that is wrong"],
)
def test_without_a_replay_the_comparison_stands_and_gates_over_it_are_not_judged(
    top: Path, call: str, code: int, why: str
) -> None:
    ended, found = answered(top, *call.split(), "--reports", "reports")
    assert (ended, ends(found)) == (3, {"validate": 0, "test": 0, "diff": 0, "impact": code, "gates": 3})
    (stage,) = [one for one in found["stages"] if one["name"] == "impact"]
    assert stage["why"] == why
    assert (found["impact"], found["diff"]["same_meaning"]) == (None, False)
    judged = {one["name"]: (one["outcome"], one["why"]) for one in found["gates"]}
    assert judged["small-steps"] == ("open", None)
    assert judged["few-losers"] == ("unjudged", f"the impact on jobs could not be computed: {why}")
    comment = (top / "reports/comment.md").read_text()
    assert "**The impact on jobs could not be computed:** " in comment
    assert "#### Rights" in comment
    page = (top / "reports/diff.html").read_text()
    assert "The impact on jobs could not be computed</h2>" in page
    assert "<svg" not in page


def test_a_check_without_the_drawing_library_has_a_page_without_charts(top: Path) -> None:
    (top / "without").mkdir()
    (top / "without/matplotlib.py").write_text("raise ImportError\n")
    done = ci(top, "--workload", "jobs.json", "--reports", "reports", PYTHONPATH=str(top / "without"))
    assert (done.code, done.err) == (0, "")
    page = (top / "reports/diff.html").read_text()
    assert ("<svg" in page, "delivered of what is owed" in page) == (False, True)


def test_a_change_that_means_nothing_is_not_replayed(top: Path) -> None:
    policy(top, SMALL + GATES + "# a comment\n")
    code, found = answered(top, "--workload", "nowhere.json")
    assert (code, ends(found)["impact"], found["impact"]) == (0, 0, None)
