"""The value of a variable that is not set names nothing, least of all the folder here."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.program import policy, run
from tests.host.git import commit, git


@pytest.fixture
def top(tmp_path: Path) -> Path:
    policy(tmp_path)
    (tmp_path / "approvals.json").write_text('{"reviews": [], "commits": [{"author": {"login": "dev1"}}]}')
    commit(tmp_path, "policy")
    git(tmp_path, "switch", "--quiet", "--create", "work")
    return tmp_path


@pytest.mark.parametrize(
    "call",
    [
        ("diff", ""),
        ("diff", "main", ""),
        ("diff", " "),
        ("diff", "--policy", ""),
        ("review", "--approvals", "approvals.json", ""),
        ("ci", "--base", ""),
        ("ci", "--policy", ""),
        ("ci", "--tests", ""),
        ("validate", ""),
        ("test", ""),
        ("init", ""),
        ("timeline", "--policy", ""),
    ],
    ids=" ".join,
)
def test_an_empty_name_is_refused(top: Path, call: tuple[str, ...]) -> None:
    done = run(*call, cwd=top)
    assert (done.code, "empty" in done.text + done.err) == (2, True), done.text + done.err
