"""Policy files out of real repositories, in every state that one can be in; nothing is checked out or written."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from policyctl.errors import NoAnswer
from policyctl.workspace.revisions import repository
from tests.workspace.test_history import _own_git_settings, git

__all__ = ["_own_git_settings"]


@pytest.fixture
def top(tmp_path: Path) -> Path:
    """Make a repository with one commit on `main`, and stand on a branch `work` that adds one."""
    made = tmp_path / "repository"
    (made / "policies/team").mkdir(parents=True)
    (made / "policies/cluster.yaml").write_text("a: 1\n")
    (made / "policies/team/budget.yml").write_text("b: 1\n")
    (made / "policies/README.md").write_text("text\n")
    (made / "policies/.hidden.yaml").write_text("text\n")
    (made / "policies-of-others.yaml").write_text("text\n")
    git(tmp_path, "init", "-q", "-b", "main", str(made))
    commit(made, "first")
    git(made, "checkout", "-q", "-b", "work")
    (made / "policies/cluster.yaml").write_text("a: 2\n")
    commit(made, "second")
    return made


def commit(folder: Path, message: str) -> None:
    git(folder, "add", "-A", ".")
    git(folder, "commit", "-q", "-m", message)


FIRST = {"cluster.yaml": b"a: 1\n", "team/budget.yml": b"b: 1\n"}


def read(top: Path, revision: str) -> dict[str, bytes]:
    found = repository(top / "policies")
    return found.files(found.known(revision))


def fork(top: Path) -> str:
    return repository(top / "policies").fork_point()


def refused(top: Path, revision: str = "HEAD") -> str:
    with pytest.raises(NoAnswer) as caught:
        read(top, revision)
    return f"{caught.value}; {caught.value.help}"


def test_a_commit_is_read_whatever_is_checked_out(top: Path) -> None:
    (top / "policies/cluster.yaml").write_text("a: 3\n")
    git(top, "add", ".")
    (top / "policies/cluster.yaml").write_text("a: 4\n")
    assert read(top, "main") == FIRST
    assert read(top, "HEAD") == {**FIRST, "cluster.yaml": b"a: 2\n"}
    assert repository(top / "policies").staged() == {**FIRST, "cluster.yaml": b"a: 3\n"}
    assert git(top, "status", "--porcelain").split() == ["MM", "policies/cluster.yaml"]


def test_the_top_of_a_repository_may_be_the_policy(top: Path) -> None:
    found = repository(top)
    assert set(found.files(found.known("main"))) == {
        "policies/cluster.yaml",
        "policies/team/budget.yml",
        "policies-of-others.yaml",
    }
    assert set(found.staged()) == set(found.files(found.known("work")))


def test_a_folder_that_is_gone_is_still_in_the_history(top: Path) -> None:
    git(top, "rm", "-rqf", "policies")
    assert read(top, "main") == FIRST
    assert repository(top / "policies").staged() == {}


def test_the_fork_point_is_where_head_left_the_default_branch(top: Path) -> None:
    first = git(top, "rev-parse", "main")
    assert fork(top) == first
    git(top, "checkout", "-q", "--detach")
    assert fork(top) == first


def test_after_a_merge_the_fork_point_is_what_was_merged(top: Path) -> None:
    git(top, "checkout", "-q", "main")
    (top / "other").write_text("")
    commit(top, "on main")
    git(top, "checkout", "-q", "work")
    git(top, "merge", "-q", "-m", "merged", "main")
    assert fork(top) == git(top, "rev-parse", "main")


def test_the_default_branch_is_what_origin_says(top: Path, tmp_path: Path) -> None:
    git(top, "branch", "-m", "main", "trunk")
    git(top, "checkout", "-q", "trunk")
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", str(top), str(clone))
    git(clone, "checkout", "-q", "-b", "mine", "origin/work")
    assert fork(clone) == git(top, "rev-parse", "trunk")


def test_no_default_branch_wants_a_base(top: Path) -> None:
    git(top, "branch", "-m", "main", "trunk")
    with pytest.raises(NoAnswer, match="which branch is the default one") as caught:
        fork(top)
    assert "policyctl diff BASE" in str(caught.value.help)


def test_no_commit_in_common_wants_a_base(top: Path) -> None:
    git(top, "checkout", "-q", "--orphan", "alone")
    git(top, "commit", "-q", "-m", "alone")
    with pytest.raises(NoAnswer, match="`main` and HEAD have no commit in common"):
        fork(top)


@pytest.mark.parametrize("branches", ["--single-branch", "--no-single-branch"])
def test_a_shallow_clone_says_how_to_fetch_the_rest(top: Path, tmp_path: Path, branches: str) -> None:
    git(top, "checkout", "-q", "main")
    (top / "other").write_text("")
    commit(top, "on main")
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", "--depth", "1", branches, "-b", "work", f"file://{top}", str(clone))
    with pytest.raises(NoAnswer, match="history is cut off") as caught:
        fork(clone)
    assert "git fetch --unshallow" in str(caught.value.help)
    assert "history is cut off" in refused(clone, git(top, "rev-parse", "main~1"))


def test_an_empty_repository_has_nothing_to_compare_with(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "empty")
    assert "no commit yet" in refused(tmp_path / "empty")
    with pytest.raises(NoAnswer, match="no commit yet"):
        fork(tmp_path / "empty")


def test_outside_of_a_repository_folders_can_be_compared(tmp_path: Path) -> None:
    assert "not in a git repository; compare two folders or two bundles" in refused(tmp_path)


def test_somebody_elses_repository_says_how_to_trust_it(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    spaced = top.rename(top.parent / "of our lab")
    assert "git does not trust the owner" in refused(spaced)
    assert f"safe.directory '{spaced}'" in refused(spaced)


@pytest.mark.parametrize("name", ["-x", "--output=stolen", "--help"])
def test_a_name_that_starts_with_a_dash_is_a_name(top: Path, name: str) -> None:
    assert "no revision, folder or bundle" in refused(top, name)
    git(top, "update-ref", f"refs/heads/{name}", "main")
    assert read(top, name) == FIRST
    assert not (top / "stolen").exists()


def test_what_names_no_commit_is_no_revision(top: Path) -> None:
    for name in ("HEAD:policies", "", "a\0b", "main..work", "@{100}"):
        assert repository(top).commit(name) is None


def test_modes_and_line_ends_are_kept_out_of_it(top: Path) -> None:
    git(top, "config", "core.autocrlf", "true")
    (top / "policies/cluster.yaml").chmod(0o755)
    (top / "policies/team/budget.yml").write_bytes(b"b: 1\r\n")
    commit(top, "modes")
    assert read(top, "HEAD") == {**FIRST, "cluster.yaml": b"a: 2\n"}
    git(top, "config", "core.autocrlf", "false")
    (top / "policies/team/budget.yml").write_bytes(b"b: 2\r\n")
    commit(top, "as it is")
    assert read(top, "HEAD")["team/budget.yml"] == b"b: 2\r\n"


@pytest.mark.parametrize("name", ["link.yaml", "link"])
def test_symbolic_links_are_refused(top: Path, name: str) -> None:
    (top / "policies" / name).symlink_to("/etc")
    git(top, "add", ".")
    with pytest.raises(NoAnswer, match="is a symbolic link"):
        repository(top / "policies").staged()
    git(top, "commit", "-q", "-m", "a link")
    assert f"`policies/{name}` is a symbolic link" in refused(top)


def test_submodules_are_refused(top: Path) -> None:
    git(
        top, "update-index", "--add", "--cacheinfo", f"160000,{git(top, 'rev-parse', 'HEAD')},policies/theirs"
    )
    git(top, "commit", "-q", "-m", "a submodule")
    assert "`policies/theirs` is a submodule" in refused(top)


def test_conflicts_are_not_guessed(top: Path) -> None:
    git(top, "checkout", "-q", "-b", "other", "main")
    (top / "policies/cluster.yaml").write_text("a: 3\n")
    commit(top, "otherwise")
    with pytest.raises(subprocess.CalledProcessError):
        git(top, "merge", "-q", "work")
    with pytest.raises(NoAnswer, match="conflicts that are not resolved"):
        repository(top / "policies").staged()


def test_names_that_are_one_on_some_file_systems_are_refused(top: Path) -> None:
    blob = git(top, "rev-parse", "HEAD:policies/cluster.yaml")
    git(top, "update-index", "--add", "--cacheinfo", f"100644,{blob},policies/Cluster.yaml")
    git(top, "commit", "-q", "-m", "two names")
    assert "are one file where" in refused(top)


def test_a_strange_name_is_refused(top: Path) -> None:
    (top / "policies/new\nline.yaml").write_text("")
    commit(top, "strange")
    assert "is not printable text" in refused(top)
