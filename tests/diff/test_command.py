"""`policyctl diff` as a user runs it, in a real repository."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from tests.cli.program import BROKEN, POLICY, Ended, run
from tests.workspace.test_history import _own_git_settings, git

__all__ = ["_own_git_settings"]

ROOT = Path(__file__).parent.parent.parent
SCHEMA = json.loads((ROOT / "schemas/diff.json").read_text())


@pytest.fixture
def top(tmp_path: Path) -> Path:
    """Make a repository with a policy on `main`, and stand on a new branch `work`."""
    made = tmp_path / "repository"
    (made / "policies").mkdir(parents=True)
    (made / "policies/policy.yaml").write_text(POLICY)
    git(tmp_path, "init", "-q", "-b", "main", str(made))
    commit(made)
    git(made, "checkout", "-q", "-b", "work")
    return made


def commit(top: Path) -> None:
    git(top, "add", "-A", ".")
    git(top, "commit", "-q", "-m", "change")


def write(top: Path, before: str = "language: 60%", after: str = "language: 70%") -> None:
    assert before in POLICY
    (top / "policies/policy.yaml").write_text(POLICY.replace(before, after))


def diff(top: Path, *arguments: str) -> Ended:
    return run("diff", *arguments, cwd=top)


def test_text_says_who_gains_who_pays_and_which_way(top: Path) -> None:
    write(top)
    done = diff(top, "--format", "text")
    assert (done.code, done.err) == (0, "")
    base = git(top, "rev-parse", "main")[:12]
    assert (
        done.text
        == f"""\
base  {base}, where HEAD left the default branch
head  the folder policies

shares
  account    pool  share of parent  of pool    GPU-hours per window       during
  /language  h100  60% → 70%        60% → 70%  76,784 → 89,581 (+12,797)  always

who pays, in GPUs
  / in h100, always: /language +70.4, unassigned -70.4

rights
  account    right  direction  for example
  /language  share  loosens    of pool: 60% → 70% in h100

1 right loosens
"""
    )


def test_text_counts_what_follows_an_account_above(top: Path) -> None:
    below = "".join(f"    team{number:02d}: 1/30\n" for number in range(30))
    inner = f"---\napiVersion: policyctl/v1\nkind: Budget\nmetadata: {{name: inner}}\nspec:\n  account: /language\n  shares:\n{below}"
    (top / "policies/inner.yaml").write_text(inner)
    commit(top)
    write(top)
    done = diff(top, "HEAD")
    assert "and 10 more through an account above" in done.text
    assert "and 30 more, whose shares go with the account above" in done.text
    assert "31 rights loosen" in done.text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("language: 60%", "language: 70%"),
        ("default: 4h", "default: 5h"),
        ("length: 14d, halfLife: 7d", "calendar: month"),
        ("nodes: 88", "nodes: 80"),
        ('groups: {leadership: ["@lab/leadership"]}', 'groups: {leadership: ["@lab/other"]}'),
    ],
)
def test_json_has_the_promised_shape(top: Path, before: str, after: str) -> None:
    write(top, before, after)
    done = diff(top, "--format", "json")
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    answer = json.loads(done.out)
    jsonschema.validate(answer, SCHEMA)
    assert (done.code, answer["comparable"], answer["same_meaning"]) == (0, True, False)


def test_no_policy_file_touched(top: Path) -> None:
    (top / "README.md").write_text("text")
    commit(top)
    done = diff(top)
    assert (done.code, "no policy file differs" in done.text) == (0, True)
    assert json.loads(diff(top, "--format", "json").out)["same_files"] is True


def test_moved_and_renamed_documents_are_no_change(top: Path) -> None:
    git(top, "mv", "policies/policy.yaml", "policies/moved.yaml")
    moved = top / "policies/moved.yaml"
    moved.write_text(moved.read_text().replace("name: organization", "name: lab"))
    commit(top)
    done = diff(top, "main", "work")
    assert (done.code, "both policies mean the same" in done.text) == (0, True)


def test_line_ends_are_no_change(top: Path) -> None:
    (top / "policies/policy.yaml").write_bytes(POLICY.replace("\n", "\r\n").encode())
    assert "both policies mean the same" in diff(top).text


def test_staged_is_neither_committed_nor_the_working_tree(top: Path) -> None:
    write(top)
    git(top, "add", ".")
    write(top, "robotics: 1/4", "robotics: 1/5")
    assert "/language" in diff(top, "--staged").text
    assert "/robotics" not in diff(top, "--staged").text
    assert diff(top, "--staged", "main", "work").code == 2


def test_two_folders_two_bundles_and_two_revisions_say_the_same(top: Path) -> None:
    assert run("compile", "-o", "old.bundle", cwd=top).code == 0
    git(top, "worktree", "add", "-q", "--detach", "../old", "main")
    write(top)
    commit(top)
    assert run("compile", "-o", "new.bundle", cwd=top).code == 0
    answers = [
        json.loads(diff(top, *sides, "--format", "json").out)
        for sides in (
            ("../old/policies", "./policies"),
            ("old.bundle", "new.bundle"),
            ("main", "HEAD"),
            ("main", "./policies"),
            ("main",),
            (),
        )
    ]
    for answer in answers:
        assert {**answer, "base": "", "head": ""} == {**answers[0], "base": "", "head": ""}
    assert answers[0]["rights"]


def test_a_name_that_means_two_things_is_refused(top: Path) -> None:
    (top / "main").mkdir()
    done = diff(top, "main")
    assert (done.code, "is a revision and also a path" in done.err) == (2, True)
    assert diff(top, "refs/heads/main").code == 0


def test_a_name_that_starts_with_a_dash_goes_after_two(top: Path) -> None:
    git(top, "update-ref", "refs/heads/-x", "main")
    assert diff(top, "--", "-x").code == 0
    assert diff(top, "--", "--output=stolen").code == 3
    assert not (top / "stolen").exists()


def test_a_head_with_errors_shows_them(top: Path) -> None:
    (top / "policies/policy.yaml").write_text(BROKEN)
    done = diff(top)
    assert (done.code, done.text) == (1, "")
    assert "A004" in done.err


def test_findings_of_a_head_are_told_where_it_was_read(top: Path) -> None:
    (top.parent / "other").mkdir()
    (top.parent / "other/policy.yaml").write_text(BROKEN)
    done = diff(top, "./policies", "../other")
    assert (done.code, done.text) == (1, "")
    assert "../other/policy.yaml:" in done.err


def test_a_base_with_errors_is_compared_as_far_as_it_can_be_read(top: Path) -> None:
    (top / "policies/policy.yaml").write_text(BROKEN)
    (top / "policies/typo.yaml").write_text("kind: Budgte\n")
    commit(top)
    (top / "policies/typo.yaml").unlink()
    write(top)
    done = diff(top, "HEAD")
    assert done.code == 0, done.err
    assert "of its own; not read, so that what they said counts as new: typo.yaml" in done.text
    assert "90% → 70%" in done.text


def test_a_base_that_cannot_be_read_counts_as_loosening(top: Path) -> None:
    (top / "policies/policy.yaml").write_text("a: [")
    commit(top)
    write(top)
    done = diff(top, "HEAD", "--format", "json")
    answer = json.loads(done.out)
    jsonschema.validate(answer, SCHEMA)
    assert (done.code, answer["comparable"], answer["may_loosen"]) == (0, False, True)
    assert "everything counts as new" in diff(top, "HEAD").text


def test_a_first_policy_has_nothing_before_it(top: Path) -> None:
    git(top, "checkout", "-q", "--orphan", "fresh")
    git(top, "rm", "-rqf", "policies")
    git(top, "commit", "-q", "--allow-empty", "-m", "nothing yet")
    (top / "policies").mkdir()
    write(top)
    assert "the base has no policy, so all of it is new" in diff(top, "HEAD").text


def test_a_folder_without_policy_verifies_nothing(top: Path) -> None:
    done = diff(top, "main", "--policy", "policy")
    assert (done.code, "there is no policy file in `policy` on either side" in done.err) == (5, True)


def test_a_policy_folder_that_is_a_link_is_refused(top: Path) -> None:
    (top / "link").symlink_to("policies")
    done = diff(top, "main", "--policy", "link")
    assert (done.code, "`link` is a symbolic link" in done.err) == (3, True)


@pytest.mark.parametrize("folder", [".", "sub"])
def test_the_folder_may_be_named_from_anywhere(top: Path, folder: str) -> None:
    (top / "sub").mkdir(exist_ok=True)
    write(top)
    relative = "policies" if folder == "." else "../policies"
    done = run("diff", "main", "--policy", relative, cwd=top / folder)
    assert (done.code, "/language" in done.text) == (0, True)


def test_nothing_is_written(top: Path) -> None:
    write(top)
    before = {path: path.stat().st_mtime_ns for path in sorted(top.rglob("*"))}
    diff(top)
    diff(top, "--staged")
    assert {path: path.stat().st_mtime_ns for path in sorted(top.rglob("*"))} == before
