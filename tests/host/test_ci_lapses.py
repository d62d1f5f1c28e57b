"""What lapses turns nobody's main red overnight: a warning, and an error for who touches the file, or by `--strict`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.program import POLICY
from tests.host.git import commit, git
from tests.host.test_ci import ci, started

BEFORE, AFTER = "2026-08-31T23:59:59Z", "2026-09-01T00:00:00Z"
EXCEPTION = """\
apiVersion: policyctl/v1
kind: Exception
metadata: {name: quiet}
spec:
  reason: maintenance
  ticket: OPS-1
  requestedBy: "@lab/leadership"
  starts: 2026-08-01T00:00:00Z
  expires: 2026-09-01T00:00:00Z
  freeze: {pool: h100}
"""
LIMITED = f"{POLICY}  exceptions: {{maxDuration: 60d}}\n"
REVIEW = POLICY.replace("  owner: leadership\n", "  owner: leadership\n  reviewBy: 2026-09-01T00:00:00Z\n")
ENDING = f"""\
{POLICY}---
apiVersion: policyctl/v1
kind: Budget
metadata: {{name: language}}
spec:
  account: /language
  effective: {{until: 2026-09-01T00:00:00Z}}
  shares: {{pretrain: 100%}}
"""


def lapses(top: Path, at: str, *arguments: str) -> tuple[int, list[Any]]:
    """Return the exit code and the findings about lapses."""
    done = ci(top, "--now", at, "--format", "json", *arguments)
    found = json.loads(done.out)["validate"]["findings"]
    return done.code, [one for one in found if one["code"] in {"A010", "A015", "E007"}]


@pytest.fixture
def top(tmp_path: Path) -> Path:
    started(tmp_path, LIMITED)
    git(tmp_path, "checkout", "--quiet", "main")
    (tmp_path / "policies/quiet.yaml").write_text(EXCEPTION)
    commit(tmp_path, "an exception")
    return tmp_path


def test_main_stays_green_across_the_expiry_and_strict_does_not(top: Path) -> None:
    assert lapses(top, BEFORE, "--strict") == (0, [])
    for arguments in ((), ("--fail-on", "warning"), ("--base", "HEAD~1")):
        code, (one,) = lapses(top, AFTER, *arguments)
        touched = "--base" in arguments
        assert (code, one["severity"]) == ((1, "error") if touched else (0, "warning")), arguments
    code, (one,) = lapses(top, AFTER, "--strict")
    assert (code, one["severity"]) == (1, "error")
    assert one["message"] == "the exception expired 2026-09-01T00:00:00Z; `--strict` makes it an error"


def test_a_pull_request_fails_only_by_the_lapses_of_files_that_it_touches(top: Path) -> None:
    git(top, "checkout", "--quiet", "-b", "other")
    (top / "policies/policy.yaml").write_text(LIMITED.replace("60%", "61%"))
    commit(top, "another file")
    code, (one,) = lapses(top, AFTER)
    assert (code, one["severity"]) == (0, "warning")
    (top / "policies/quiet.yaml").write_text(EXCEPTION.replace("maintenance", "repairs"))
    assert lapses(top, BEFORE) == (0, [])
    code, (one,) = lapses(top, AFTER)
    assert (code, one["severity"], one["file"]) == (1, "error", "policies/quiet.yaml")
    assert one["message"] == "the exception expired 2026-09-01T00:00:00Z; this change touches `quiet.yaml`"
    (top / "policies/quiet.yaml").unlink()
    assert lapses(top, AFTER) == (0, [])


@pytest.mark.parametrize(("text", "code"), [(REVIEW, "A010"), (ENDING, "A015")], ids=["review", "budget"])
def test_reviews_and_budgets_lapse_alike(tmp_path: Path, text: str, code: str) -> None:
    started(tmp_path, text)
    git(tmp_path, "checkout", "--quiet", "main")
    ended, (one,) = lapses(tmp_path, AFTER)
    assert (ended, one["code"], one["severity"]) == (0, code, "warning")
    (tmp_path / "policies/policy.yaml").write_text(text.replace("60%", "61%"))
    ended, (one,) = lapses(tmp_path, AFTER)
    assert (ended, one["code"], one["severity"]) == (1, code, "error")


def test_where_nothing_can_be_compared_a_lapse_is_a_warning(tmp_path: Path) -> None:
    (tmp_path / "policies").mkdir()
    (tmp_path / "policies/policy.yaml").write_text(POLICY)
    (tmp_path / "policies/quiet.yaml").write_text(EXCEPTION)
    done = ci(tmp_path, "--now", AFTER)
    assert "warning E007: the exception expired 2026-09-01T00:00:00Z\n" in done.text
    assert (done.code, "validate ok" in done.text) == (3, True)
