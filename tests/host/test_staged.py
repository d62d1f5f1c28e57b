"""`validate --staged` judges what would be committed, whatever lies in the folder; the hook calls it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from shutil import rmtree

import pytest
import yaml

from tests.cli.program import BROKEN, POLICY, policy, run
from tests.host.git import ENVIRONMENT, commit, git

ROOT = Path(__file__).parent.parent.parent


def _both(folder: Path, staged: str, lying: str) -> None:
    policy(folder, staged)
    git(folder, "init", "--quiet")
    git(folder, "add", "--all")
    policy(folder, lying)


def _good_staged(folder: Path) -> None:
    _both(folder, POLICY, BROKEN)


def _broken_staged(folder: Path) -> None:
    _both(folder, BROKEN, POLICY)


def _staged_and_deleted(folder: Path) -> None:
    _both(folder, POLICY, POLICY)
    rmtree(folder / "policies")


def _not_staged(folder: Path) -> None:
    git(folder, "init", "--quiet")
    policy(folder, POLICY)


def _staged_deletion(folder: Path) -> None:
    policy(folder, POLICY)
    commit(folder, "policy")
    git(folder, "rm", "--quiet", "--cached", "-r", "policies")


def _no_repository(folder: Path) -> None:
    policy(folder, POLICY)


@pytest.mark.parametrize(
    ("prepare", "code", "said"),
    [
        (_good_staged, 0, "no findings in 1 file"),
        (_broken_staged, 1, "policies/policy.yaml:16:"),
        (_staged_and_deleted, 0, "no findings in 1 file"),
        (_not_staged, 5, "no policy file in `policies` is staged"),
        (_staged_deletion, 5, "no policy file in `policies` is staged"),
        (_no_repository, 3, "not in a git repository"),
    ],
    ids=lambda value: value.__name__.strip("_") if callable(value) else "",
)
def test_what_is_staged_counts(tmp_path: Path, prepare: Callable[[Path], None], code: int, said: str) -> None:
    prepare(tmp_path)
    ended = run("validate", "--staged", cwd=tmp_path)
    assert (ended.code, said in ended.text + ended.err) == (code, True), ended.text + ended.err


@pytest.mark.parametrize(
    ("arguments", "way_out"),
    [
        (("validate", "--staged"), "leave out `--staged`"),
        (("codeowners", "../policies"), "`policyctl codeowners policies`"),
        (("diff",), "compare two folders or two bundles"),
    ],
    ids=["validate", "codeowners", "diff"],
)
@pytest.mark.parametrize("path", [None, ""], ids=["no repository", "no git"])
def test_the_way_out_is_one_of_the_command_that_was_called(
    tmp_path: Path, arguments: tuple[str, ...], way_out: str, path: str | None
) -> None:
    policy(tmp_path)
    (tmp_path / "below").mkdir()
    here = tmp_path / "below" if "../policies" in arguments else tmp_path
    ended = run(*arguments, cwd=here, PATH=os.environ["PATH"] if path is None else path)
    assert (ended.code, way_out in ended.err) == (3, True), ended.err


def test_the_hook_is_a_call_that_exists(tmp_path: Path) -> None:
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    program, *arguments = hook["entry"].split()
    assert (program, hook["language"], hook["pass_filenames"]) == ("policyctl", "python", False)
    _broken_staged(tmp_path)
    assert run(*arguments, cwd=tmp_path).code == 1


def _hooked(folder: Path) -> Path:
    """Return a repository with a good policy, whose git calls the hook before each commit."""
    policy(folder, POLICY)
    commit(folder, "policy")
    hook = folder / ".git/hooks/pre-commit"
    hook.write_text(f"#!/bin/sh\nexec '{sys.executable}' -m policyctl validate --staged\n")
    hook.chmod(0o755)
    return folder


@pytest.mark.parametrize(
    ("call", "code"),
    [
        (("commit", "-m", "what is staged"), 0),
        (("commit", "-a", "-m", "all that lies there"), 1),
        (("commit", "-m", "this file", "policies/policy.yaml"), 1),
        (("commit", "-m", "another file", "notes"), 0),
    ],
    ids=["staged", "all", "the file", "another file"],
)
@pytest.mark.parametrize("linked", [False, True], ids=["a clone", "a linked worktree"])
def test_git_itself_calls_the_hook(tmp_path: Path, call: tuple[str, ...], code: int, *, linked: bool) -> None:
    folder = _hooked(tmp_path)
    if linked:
        folder = tmp_path / "linked"
        git(tmp_path, "worktree", "add", "--quiet", "-b", "other", str(folder))
    (folder / "notes").write_text("notes")
    git(folder, "add", "notes")
    policy(folder, BROKEN)
    done = subprocess.run(
        ["git", *call], cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, check=False
    )
    assert done.returncode == code, done.stderr
    assert ("error A004" in done.stdout + done.stderr) == bool(code)
