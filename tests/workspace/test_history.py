"""The commit and the dirty flag, in every state that a folder can be in; git is asked and never told."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from policyctl.bundle.provenance import Provenance
from policyctl.workspace.history import Origin, provenance
from policyctl.workspace.repository import path_in_repository
from policyctl.workspace.tree import read_tree


@pytest.fixture(autouse=True)
def _own_git_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{role}_NAME", "test")
        monkeypatch.setenv(f"GIT_{role}_EMAIL", "test@example.org")


def git(folder: Path, *arguments: str) -> str:
    return subprocess.run(
        ["git", *arguments], cwd=folder, check=True, capture_output=True, text=True
    ).stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    top = tmp_path / "repository"
    (top / "policies/team").mkdir(parents=True)
    (top / "policies/cluster.yaml").write_text("a: 1\n")
    (top / "policies/team/budget.yaml").write_text("b: 1\n")
    (top / "README.md").write_text("text\n")
    (top / ".gitignore").write_text("*.local.yaml\n")
    git(tmp_path, "init", "-q", "-b", "main", str(top))
    git(top, "add", ".")
    git(top, "commit", "-q", "-m", "first")
    return top


def asked(folder: Path) -> Origin:
    return provenance(folder, read_tree(folder))


def test_a_clean_folder_has_its_commit(repository: Path) -> None:
    assert asked(repository / "policies") == Origin(
        provenance=Provenance(
            commit=git(repository, "rev-parse", "HEAD"),
            dirty=False,
            sources={
                "cluster.yaml": f"sha256:{hashlib.sha256(b'a: 1' + bytes([10])).hexdigest()}",
                "team/budget.yaml": f"sha256:{hashlib.sha256(b'b: 1' + bytes([10])).hexdigest()}",
            },
        )
    )


def _change(top: Path) -> None:
    (top / "policies/cluster.yaml").write_text("a: 2\n")


def _stage(top: Path) -> None:
    _change(top)
    git(top, "add", ".")


def _add(top: Path) -> None:
    (top / "policies/new.yaml").write_text("")


def _add_folder(top: Path) -> None:
    (top / "policies/new").mkdir()
    (top / "policies/new/new.yml").write_text("")


def _add_ignored(top: Path) -> None:
    (top / "policies/my.local.yaml").write_text("")


def _delete(top: Path) -> None:
    (top / "policies/team/budget.yaml").unlink()


def _rename(top: Path) -> None:
    git(top, "mv", "policies/cluster.yaml", "policies/c.yaml")


@pytest.mark.parametrize("act", [_change, _stage, _add, _add_folder, _add_ignored, _delete, _rename])
def test_what_differs_from_the_commit_is_dirty(repository: Path, act: Callable[[Path], None]) -> None:
    act(repository)
    assert asked(repository / "policies").provenance.dirty is True


def _change_elsewhere(top: Path) -> None:
    (top / "README.md").write_text("other\n")


def _add_elsewhere(top: Path) -> None:
    (top / "x.yaml").write_text("")


def _add_text(top: Path) -> None:
    (top / "policies/notes.txt").write_text("")


def _add_hidden(top: Path) -> None:
    (top / "policies/.draft.yaml").write_text("")


def _touch(top: Path) -> None:
    os.utime(top / "policies/cluster.yaml", (1, 1))


@pytest.mark.parametrize("act", [_change_elsewhere, _add_elsewhere, _add_text, _add_hidden, _touch])
def test_what_is_no_part_of_the_policy_is_not(repository: Path, act: Callable[[Path], None]) -> None:
    act(repository)
    assert asked(repository / "policies").provenance.dirty is False


def test_the_whole_repository_may_be_the_policy(repository: Path) -> None:
    assert asked(repository).provenance.dirty is False
    _add_elsewhere(repository)
    assert asked(repository).provenance.dirty is True


def test_a_detached_head_and_a_worktree_have_their_commit(repository: Path, tmp_path: Path) -> None:
    first = git(repository, "rev-parse", "HEAD")
    git(repository, "commit", "-q", "--allow-empty", "-m", "second")
    git(repository, "worktree", "add", "-q", "--detach", str(tmp_path / "tree"), first)
    git(repository, "checkout", "-q", "--detach")
    assert asked(tmp_path / "tree/policies").provenance.commit == first
    assert asked(repository / "policies").provenance.commit == git(repository, "rev-parse", "main")


def test_a_shallow_clone_has_its_commit(repository: Path, tmp_path: Path) -> None:
    git(repository, "commit", "-q", "--allow-empty", "-m", "second")
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{repository}", "shallow")
    found = asked(tmp_path / "shallow/policies").provenance
    assert (found.commit, found.dirty) == (git(repository, "rev-parse", "HEAD"), False)


def test_a_repository_in_a_hidden_folder(repository: Path, tmp_path: Path) -> None:
    repository.rename(tmp_path / ".hidden")
    _change(tmp_path / ".hidden")
    assert asked(tmp_path / ".hidden/policies").provenance.dirty is True


def test_a_policy_folder_in_a_hidden_folder(repository: Path) -> None:
    git(repository, "mv", "policies", ".policies")
    git(repository, "commit", "-q", "-m", "hide")
    assert asked(repository / ".policies").provenance.dirty is False
    (repository / ".policies/cluster.yaml").write_text("a: 3\n")
    assert asked(repository / ".policies").provenance.dirty is True


def reason(folder: Path) -> str | None:
    found = asked(folder)
    assert (found.provenance.commit, found.provenance.dirty) == (None, None)
    return found.no_commit


def test_outside_of_a_repository_there_is_no_commit(tmp_path: Path) -> None:
    (tmp_path / "policies").mkdir()
    assert reason(tmp_path / "policies") == "the folder is not in a git repository"


def test_an_empty_repository_has_no_commit(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "empty")
    assert reason(tmp_path / "empty") == "the repository has no commit yet"


def test_a_damaged_repository_is_no_reason_to_fail(repository: Path) -> None:
    (repository / ".git/HEAD").write_text("nonsense")
    assert reason(repository / "policies") is not None


def test_an_owner_that_git_does_not_trust(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    found = asked(repository / "policies")
    assert found.provenance.commit is None
    assert found.no_commit == "git does not trust the owner of the repository"
    assert found.help == f"if you do: git config --global --add safe.directory {repository}"


def test_without_git_there_is_no_commit(repository: Path) -> None:
    """In a process of its own, because GitPython looks for git once, when it is imported."""
    script = (
        "from pathlib import Path; from policyctl.workspace.history import provenance; "
        f"print(provenance(Path({str(repository)!r}), {{}}).no_commit)"
    )
    said = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, env={"PATH": "/nowhere"}
    )
    assert said.stdout == "git is not installed\n"


def test_asking_changes_nothing(repository: Path) -> None:
    _touch(repository)
    hook = repository / ".git/hooks/post-index-change"
    hook.write_text(f"#!/bin/sh\ntouch {repository}/ran\n")
    hook.chmod(0o755)
    git(repository, "config", "core.fsmonitor", f"touch {repository}/ran; false")
    before = everything(repository)
    asked(repository / "policies")
    assert everything(repository) == before


def everything(top: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(top.rglob("*")) if path.is_file()}


def test_the_path_in_the_repository(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repository / "policies")
    assert path_in_repository(Path("team")) == "policies/team"
    assert path_in_repository(repository) == ""
    (tmp_path / "plain/policies").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "plain")
    assert path_in_repository(Path("policies")) == "policies"
    assert path_in_repository(Path("..")) == ""
