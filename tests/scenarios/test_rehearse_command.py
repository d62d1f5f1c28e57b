"""`policyctl rehearse` as a user runs it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from policyctl.cli.main import run
from policyctl.errors import Exit
from tests.cli.program import POLICY
from tests.scenarios.test_scenario_files import HEAD, ONE

LATE = "  expect:\n    - startsWithin: {jobs: a, within: 0s}\n    - preempted: {jobs: a, atLeast: 1}\n"


def mine(folder: Path, expect: str) -> str:
    file = folder / "mine.yaml"
    file.write_text(f"{HEAD}{ONE}{expect}---\n{POLICY}")
    return str(file)


def test_all_that_are_built_in_hold(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rehearse"]) == Exit.OK
    said = capsys.readouterr().out
    assert said.count("expectations held") == 11
    assert "missed" not in said


def test_what_is_missed_is_told_and_ends_with_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rehearse", mine(tmp_path, LATE)]) == Exit.FINDINGS
    assert (
        capsys.readouterr().out
        == """\
mine (seed 1): 1 of 2 expectations held
  held   startsWithin jobs: a, within: 0s
  missed preempted jobs: a, atLeast: 1
         `a`: 0 times, where once was the bound
"""
    )


def test_the_same_as_json_with_seeds_of_ones_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        run(["rehearse", mine(tmp_path, LATE), "--seed", "4", "--seed", "5", "--format", "json"])
        == Exit.FINDINGS
    )
    first, second = json.loads(capsys.readouterr().out)["rehearsals"]
    assert (first["scenario"], first["seed"], second["seed"], first["held"]) == ("mine", 4, 5, False)
    assert first["policy"].startswith("sha256:")
    assert first["expectations"][1] == {
        "kind": "preempted",
        "wanted": {"jobs": "a", "at_least": 1, "at_most": None},
        "held": False,
        "jobs": 1,
        "misses": [{"subject": "a", "seen": 0, "bound": 1, "unit": "times"}],
    }


def test_a_policy_of_ones_own_takes_the_place_of_the_scenarios(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "policy").mkdir()
    (tmp_path / "policy/policy.yaml").write_text(POLICY.replace("language: 60%", "sound: 60%"))
    assert run(["rehearse", mine(tmp_path, LATE), "--policy", str(tmp_path / "policy")]) == Exit.FINDINGS
    assert "no budget names `/language`" in capsys.readouterr().err


def test_a_scenario_that_expects_nothing_verifies_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["rehearse", mine(tmp_path, "")]) == Exit.NOTHING_VERIFIED
    assert "`mine` expects nothing" in capsys.readouterr().err


def test_a_name_that_is_none_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rehearse", "rack-fire"]) == Exit.USAGE
    assert "there is no scenario `rack-fire`" in capsys.readouterr().err
