"""`policyctl ci` in real repositories: each way to end, on a laptop and on a runner."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from shutil import rmtree
from xml.etree import ElementTree as ET

import pytest

from policyctl.cli.stages import worst
from policyctl.errors import Exit
from tests.cli.program import BROKEN, POLICY, Ended, policy, run
from tests.host.git import ENVIRONMENT, commit, git

GATES = """\
  gates:
    - {name: small-steps, when: change.moved > 0.05, level: error, message: more than 5 % moves}
    - {name: watch, when: change.loosens, level: warning, message: something loosens}
"""
MEASURED = """\
  gates:
    - {name: few-losers, when: impact.visible, level: error}
"""
TEST = """\
apiVersion: policyctl/v1
kind: PolicyTest
metadata: {name: caps}
spec:
  now: 2026-09-01T00:00:00Z
  cases:
    - name: a job that declares nothing harvests spare cycles
      quote: {account: /language, user: r001, pool: h100, gpus: 8}
      expect: {class: opportunistic}
"""
_BACK = {name: value for name, value in ENVIRONMENT.items() if name.startswith("GIT_")}


@pytest.fixture
def top(tmp_path: Path) -> Path:
    """Make a repository with a policy, gates and tests on `main`, and stand on a new branch `work`."""
    return started(tmp_path, POLICY + GATES)


def started(folder: Path, text: str) -> Path:
    policy(folder, text)
    (folder / "policy-tests").mkdir()
    (folder / "policy-tests/test.yaml").write_text(TEST)
    commit(folder, "policy")
    git(folder, "checkout", "--quiet", "-b", "work")
    return folder


def ci(top: Path, *arguments: str, **environment: str) -> Ended:
    told = dict.fromkeys(("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT", "RUNNER_TEMP"), "")
    return run("ci", *arguments, cwd=top, stdin=b"", **_BACK | told | environment)


def _nothing(top: Path) -> None:
    (top / "README.md").write_text("text")


def _little(top: Path) -> None:
    policy(top, POLICY.replace("60%", "62%") + GATES)


def _much(top: Path) -> None:
    policy(top, POLICY.replace("60%", "70%") + GATES)


def _much_without_gates(top: Path) -> None:
    policy(top, POLICY.replace("60%", "70%"))


def _broken(top: Path) -> None:
    policy(top, BROKEN)


def _untested(top: Path) -> None:
    rmtree(top / "policy-tests")


def _failing(top: Path) -> None:
    (top / "policy-tests/test.yaml").write_text(TEST.replace("class: opportunistic", "class: funded"))


def _no_policy(top: Path) -> None:
    (top / "policies/policy.yaml").unlink()


def _no_folder(top: Path) -> None:
    rmtree(top / "policies")


def _no_repository(top: Path) -> None:
    rmtree(top / ".git")


def _unknown_default(top: Path) -> None:
    git(top, "branch", "--quiet", "-m", "main", "trunk")


def _no_repository_and_failing(top: Path) -> None:
    _no_repository(top)
    _failing(top)


@pytest.mark.parametrize(
    ("prepare", "code", "said"),
    [
        (_nothing, 0, "ok: validate ok, test ok, diff ok, gates ok"),
        (_little, 0, "closed (warning) watch: something loosens"),
        (_much, 1, "closed (error) small-steps: more than 5 % moves"),
        (_much_without_gates, 1, "closed (error) small-steps: more than 5 % moves"),
        (_broken, 1, "not carried out: there is no valid policy"),
        (_untested, 5, "there is no folder `policy-tests`"),
        (_failing, 1, "failed: 1 of 1 case failed"),
        (_no_policy, 5, "there is no policy file in `policies`"),
        (_no_folder, 3, "there is no folder `policies`"),
        (_no_repository, 3, "not in a git repository"),
        (_no_repository_and_failing, 3, "failed: 1 of 1 case failed"),
    ],
    ids=lambda value: value.__name__.strip("_") if callable(value) else "",
)
def test_the_worst_end_counts_and_all_stages_speak(
    top: Path, prepare: Callable[[Path], None], code: int, said: str
) -> None:
    prepare(top)
    done = ci(top)
    assert (done.code, said in done.text, done.err) == (code, True, ""), done.text
    assert [f"--- {name}" in done.text for name in ("validate", "test", "diff", "gates")] == [True] * 4


@pytest.mark.parametrize("prepare", [_little, _much, _broken, _failing], ids=lambda one: one.__name__)
def test_a_runner_changes_nothing_but_what_it_is_told(
    top: Path, tmp_path_factory: pytest.TempPathFactory, prepare: Callable[[Path], None]
) -> None:
    prepare(top)
    laptop = ci(top)
    outside = tmp_path_factory.mktemp("runner")
    runner = ci(
        top,
        GITHUB_ACTIONS="true",
        RUNNER_TEMP=str(outside),
        GITHUB_STEP_SUMMARY=str(outside / "summary"),
        GITHUB_OUTPUT=str(outside / "output"),
    )
    assert runner.code == laptop.code
    own = [line for line in runner.text.splitlines() if not line.startswith("::")]
    assert own == laptop.text.splitlines()
    summary = (outside / "summary").read_text()
    assert summary.startswith("### Policy check\n")
    assert (outside / "policyctl/summary.md").read_text() == summary
    outputs = dict(line.split("=", 1) for line in (outside / "output").read_text().splitlines())
    assert outputs["exit-code"] == str(runner.code)
    assert json.loads(Path(outputs["sarif"]).read_text())["version"] == "2.1.0"
    for report in (outside / "policyctl").glob("*.xml"):
        assert ET.parse(report).getroot().tag == "testsuites"


@pytest.mark.parametrize(
    ("prepare", "annotation"),
    [
        (_much, "::error title=gate small-steps::small-steps: more than 5 %25 moves"),
        (_much, "::warning title=gate watch::watch: something loosens"),
        (_failing, "::error file=policy-tests/test.yaml,line="),
        (_broken, "::error file=policies/policy.yaml,line=16"),
        (_untested, "::error title=policyctl test::error: there is no folder `policy-tests`"),
    ],
    ids=["a closed gate", "a closed warning", "a failed test", "a finding", "a stage without an answer"],
)
def test_annotations(top: Path, prepare: Callable[[Path], None], annotation: str) -> None:
    prepare(top)
    assert any(line.startswith(annotation) for line in ci(top, GITHUB_ACTIONS="true").text.splitlines())


def test_a_gate_that_was_not_measured_is_not_open(tmp_path: Path) -> None:
    top = started(tmp_path, POLICY + MEASURED)
    policy(top, POLICY.replace("60%", "62%") + MEASURED)
    done = ci(top)
    assert (done.code, "not measured few-losers" in done.text) == (5, True), done.text


def test_the_first_policy_of_a_repository_has_no_gates_to_pass(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("text")
    commit(tmp_path, "first")
    started(tmp_path, POLICY + GATES)
    done = ci(tmp_path, "--base", "HEAD~1")
    assert (done.code, "the base has no policy, and so no gates" in done.text) == (0, True), done.text


def test_gates_of_a_base_that_cannot_be_read_are_unknown(tmp_path: Path) -> None:
    top = started(tmp_path, "kind: [")
    policy(top, POLICY)
    done = ci(top)
    assert (done.code, "its gates are unknown" in done.text) == (3, True), done.text


def test_missing_approvals_are_the_end_of_their_stage(top: Path) -> None:
    _little(top)
    given = {"pull": {"user": {"login": "dev1"}}, "reviews": [], "commits": []}
    (top / "approvals.json").write_text(json.dumps(given))
    done = ci(top, "--approvals", "approvals.json")
    assert (done.code, "--- review\n" in done.text) == (1, True), done.text


@pytest.mark.parametrize(
    "prepare", [_no_repository, _unknown_default], ids=["no repository", "no default branch"]
)
def test_what_to_compare_with_can_be_named(top: Path, prepare: Callable[[Path], None]) -> None:
    prepare(top)
    assert "help: name what to compare with: `policyctl ci --base BASE`, " in ci(top).text
    done = ci(top, "--base", "./policies")
    assert (done.code, "diff ok" in done.text) == (0, True), done.text


def test_reports_are_written_where_asked(top: Path) -> None:
    _little(top)
    assert ci(top, "--reports", "reports").code == 0
    names = sorted(one.name for one in (top / "reports").iterdir())
    assert names == [
        "comment.md",
        "diff.html",
        "policyctl.sarif",
        "summary.md",
        "test.junit.xml",
        "validate.junit.xml",
    ]


@pytest.mark.parametrize(
    ("ends", "code"),
    [
        ([], 5),
        ([0, 5], 5),
        ([5, 1, 0], 1),
        ([1, 2], 2),
        ([3, 2, 1], 3),
        ([3, 4, 5], 4),
        ([4, 70, 0], 70),
    ],
)
def test_the_worst_of_several_ends(ends: list[int], code: int) -> None:
    assert worst(Exit(one) for one in ends) == code
