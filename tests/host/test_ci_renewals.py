"""Moving the end of an exception is a renewal: `ci` counts it where a change touches the file, and nowhere else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.program import POLICY
from tests.host.git import commit, git
from tests.host.test_ci import ci, started
from tests.host.test_ci_lapses import EXCEPTION

LIMITED = f"{POLICY}  exceptions: {{maxDuration: 60d, maxRenewals: 1}}\n"
NOW = "2026-08-02T00:00:00Z"


def until(top: Path, day: int) -> None:
    text = EXCEPTION.replace("expires: 2026-09-01", f"expires: 2026-09-{day:02}")
    (top / "policies/quiet.yaml").write_text(text)


def renewals(top: Path, *arguments: str) -> tuple[int, list[Any]]:
    """Return the exit code and the findings about renewals."""
    done = ci(top, "--now", NOW, "--format", "json", *arguments)
    found = json.loads(done.out)["validate"]["findings"]
    return done.code, [(one["code"], one["file"]) for one in found if one["code"] == "E010"]


@pytest.fixture
def top(tmp_path: Path) -> Path:
    """Make a repository whose default branch has an exception that was extended once."""
    started(tmp_path, LIMITED)
    git(tmp_path, "checkout", "--quiet", "main")
    for day in (1, 2):
        until(tmp_path, day)
        commit(tmp_path, f"until {day}")
    git(tmp_path, "checkout", "--quiet", "-b", "longer")
    return tmp_path


REFUSED = [("E010", "policies/quiet.yaml")]


def test_one_extension_too_many_is_refused_where_it_is_made(top: Path) -> None:
    until(top, 3)
    assert renewals(top) == (1, REFUSED)
    commit(top, "until 3")
    assert renewals(top) == (1, REFUSED)


def test_bringing_it_forward_is_none(top: Path) -> None:
    until(top, 1)
    assert renewals(top) == (0, [])


def test_what_is_there_already_is_no_matter_of_another_change(top: Path) -> None:
    until(top, 3)
    commit(top, "until 3")
    git(top, "checkout", "--quiet", "main")
    git(top, "merge", "--quiet", "--no-ff", "-m", "merged all the same", "longer")
    git(top, "checkout", "--quiet", "-b", "other")
    (top / "policies/policy.yaml").write_text(LIMITED.replace("language: 60%", "language: 61%"))
    assert renewals(top) == (0, [])
    assert renewals(top, "--strict") == (1, REFUSED)


def test_without_a_limit_nothing_is_counted(top: Path) -> None:
    (top / "policies/policy.yaml").write_text(LIMITED.replace(", maxRenewals: 1", ""))
    until(top, 3)
    assert renewals(top) == (0, [])
