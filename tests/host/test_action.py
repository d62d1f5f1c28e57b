"""What the action compares, says and leaves behind, and how it ends."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

import pytest

from policyctl.render.workflow_command import unheeded
from tests.host.git import commit, git
from tests.host.steps import BUDGET, FILES, change, check, outputs_of, run_step


def merged(lab: Path) -> None:
    """Check out what the code host does for a pull request: its merge into a base that went on in the meantime."""
    git(lab, "switch", "--quiet", "main")
    change(lab, "default: 4h", "default: 3h", "policies/caps/organization.yaml")
    change(lab, "protected: 4h", "protected: 3h", "policy-tests/agreements.yaml")
    change(lab, "for four hours", "for three hours", "policy-tests/agreements.yaml")
    git(lab, "switch", "--quiet", "--detach")
    git(lab, "merge", "--quiet", "--no-ff", "-m", "merge", "change")


def test_a_pull_request_is_compared_with_the_base_it_is_merged_into(lab: Path, tmp_path: Path) -> None:
    stale = git(lab, "rev-parse", "main")
    change(lab, "platform: 30%", "platform: 40%")
    merged(lab)
    done = check(lab, tmp_path / "run", base=stale)
    assert done.code == 0, done.said
    assert done.comment is not None
    assert done.comment.startswith("<!-- policyctl diff -->\n")
    assert done.comment in done.summary
    assert "/platform" in done.comment
    assert "3h" not in done.comment, "what others changed on the base meanwhile is not of this pull request"


def test_a_head_that_is_checked_out_alone_is_compared_with_its_fork_point(lab: Path, tmp_path: Path) -> None:
    change(lab, "platform: 30%", "platform: 40%")
    git(lab, "switch", "--quiet", "main")
    base = change(lab, "default: 4h", "default: 3h", "policies/caps/organization.yaml")
    git(lab, "switch", "--quiet", "change")
    done = check(lab, tmp_path / "run", base=base)
    assert done.code == 0, done.said
    assert done.comment is not None
    assert "/platform" in done.comment
    assert "3h" not in done.comment


def test_the_merge_queue_is_compared_with_the_entry_before(lab: Path, tmp_path: Path) -> None:
    before = change(lab, "platform: 30%", "platform: 40%")
    change(lab, "training: 70%", "training: 60%", "policies/budgets/research.yaml")
    change(lab, "share: 70%, absolute: 42%", "share: 60%, absolute: 36%", "policy-tests/agreements.yaml")
    done = check(lab, tmp_path / "run", event="merge_group", base=before)
    assert done.code == 0, done.said
    assert done.comment is not None
    assert "/research/training" in done.comment
    assert "/platform" not in done.comment


def test_a_change_of_no_policy_passes_and_says_so(lab: Path, tmp_path: Path) -> None:
    (lab / "notes.txt").write_text("notes")
    commit(lab, "notes")
    done = check(lab, tmp_path / "run", base=git(lab, "rev-parse", "main"))
    assert (done.code, bool(done.comment)) == (0, True), done.said


def test_errors_are_annotations_at_their_line_and_leave_no_comment(lab: Path, tmp_path: Path) -> None:
    change(lab, "platform: 30%", "platform: 50%")
    done = check(lab, tmp_path / "run", base=git(lab, "rev-parse", "main"))
    assert (done.code, "| validate | exit code 1 |" in done.summary, done.comment) == (1, True, None)
    assert f"::error file={BUDGET},line=" in done.said


def test_a_failing_test_still_says_what_the_change_means(lab: Path, tmp_path: Path) -> None:
    change(lab, "research: 60%", "research: 50%")
    done = check(lab, tmp_path / "run", base=git(lab, "rev-parse", "main"))
    assert done.code == 1
    assert "FAILED agreements/research holds three fifths" in done.said
    assert done.comment is not None
    assert "/research" in done.comment


def test_the_worst_stage_decides(lab: Path, tmp_path: Path) -> None:
    git(lab, "rm", "--quiet", "-r", "policy-tests")
    (lab / "policy-tests").mkdir()
    done = check(lab, tmp_path / "run", base=git(lab, "rev-parse", "main"))
    assert (done.code, "there is no policy test" in done.said) == (5, True)


def test_the_first_policy_of_a_repository_passes(tmp_path: Path) -> None:
    folder = tmp_path / "lab"
    folder.mkdir()
    base = commit(folder, "empty")
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(text)
    commit(folder, "policy")
    done = check(folder, tmp_path / "run", base=base)
    assert (done.code, bool(done.comment)) == (0, True), done.said


def heeded(log: str) -> list[str]:
    """Return the lines in which the runner looks for orders."""
    lines, word = [], None
    for line in log.splitlines():
        if word is None and (stopped := re.fullmatch("::stop-commands::([0-9a-f]{64})", line)):
            word = stopped[1]
        elif word is None:
            lines.append(line)
        elif line == f"::{word}::":
            word = None
    assert word is None, "the runner listens again at the end"
    return lines


def test_text_of_a_pull_request_gives_no_orders_to_the_runner(lab: Path, tmp_path: Path) -> None:
    tests = "policy-tests/agreements.yaml"
    change(lab, "/research: {share: 60%}", "'::error::x': {share: 1%}", tests)
    done = check(lab, tmp_path / "run", base=git(lab, "rev-parse", "main"))
    assert done.code == 1
    annotation, *others = [line for line in heeded(done.said) if not line.startswith("--- ")]
    assert annotation.startswith(f"::error file={tests},line=")
    assert others == ["failed: validate ok, test exit code 1, diff ok, gates ok"]


@pytest.mark.parametrize(
    "text",
    ["", "::error::x\n", "::stop-commands::x\n  ::x::\n", "::error::x"],
    ids=["none", "one", "two", "no end"],
)
def test_between_the_marks_nothing_is_heeded(text: str) -> None:
    assert heeded(f"before\n{unheeded(text)}after\n") == ["before", "after"]


@pytest.mark.parametrize(
    "name", ["$(touch hurt) `touch hurt`; touch hurt", "--help"], ids=["a program", "an option"]
)
def test_inputs_are_never_run(lab: Path, tmp_path: Path, name: str) -> None:
    done = check(lab, tmp_path / "run", POLICY=name, TESTS=name, base=name)
    assert done.code == 3, done.said
    assert not list(tmp_path.rglob("hurt"))


def test_policyctl_is_installed_from_what_the_input_says(tmp_path: Path) -> None:
    wheel = tmp_path / "tool-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("tool.py", "")
        archive.writestr("tool-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: tool\nVersion: 1.0\n")
        archive.writestr(
            "tool-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr("tool-1.0.dist-info/RECORD", "")
    where = {"PIP_TARGET": str(tmp_path / "site"), "PIP_NO_INDEX": "1"}
    done = run_step("Install policyctl", tmp_path, tmp_path, INSTALL=str(wheel), **where)
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "site/tool.py").exists()
    refused = run_step("Install policyctl", tmp_path, tmp_path, INSTALL="--version", **where)
    assert refused.returncode != 0, "an option is not a requirement"


LAPSED = """\
apiVersion: policyctl/v1
kind: Exception
metadata: {name: quiet}
spec:
  reason: maintenance
  ticket: OPS-1
  requestedBy: "@lab/operators"
  starts: "2026-01-05T00:00:00Z"
  expires: "2026-01-06T00:00:00Z"
  freeze: {pool: gpu}
"""


def lapsed(lab: Path) -> str:
    """Leave an exception on the default branch that has ended, and change something else."""
    git(lab, "switch", "--quiet", "main")
    (lab / "policies/exceptions").mkdir(exist_ok=True)
    (lab / "policies/exceptions/quiet.yaml").write_text(LAPSED)
    base = commit(lab, "an exception")
    git(lab, "switch", "--quiet", "change")
    git(lab, "merge", "--quiet", "main")
    change(lab, "platform: 30%", "platform: 40%")
    return base


@pytest.mark.parametrize(
    ("inputs", "code"),
    [({}, 0), ({"STRICT": "false"}, 0), ({"STRICT": "true"}, 1)],
    ids=["default", "false", "true"],
)
def test_what_has_lapsed_fails_where_the_check_is_strict(
    lab: Path, tmp_path: Path, inputs: dict[str, str], code: int
) -> None:
    done = check(lab, tmp_path / "run", base=lapsed(lab), **inputs)
    assert done.code == code, done.said
    assert ("::error" in done.said, "E007" in done.said) == (bool(code), True), done.said


def test_the_folder_of_reports_has_the_page_of_the_change(lab: Path, tmp_path: Path) -> None:
    change(lab, "platform: 30%", "platform: 40%")
    check(lab, tmp_path / "run", base=git(lab, "rev-parse", "main"))
    folder = Path(outputs_of(tmp_path / "run")["reports"])
    assert "/platform" in (folder / "diff.html").read_text()
    assert {"comment.md", "policyctl.sarif", "test.junit.xml"} <= {one.name for one in folder.iterdir()}
