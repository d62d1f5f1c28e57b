"""Exceptions at an instant: phases to the second, what repeats or prolongs what, and what changes no decision."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner

from policyctl.cli.main import policyctl
from policyctl.workspace.versions import file_versions
from tests.agenda.sample import POLICY, STATE, exception

ROOT = Path(__file__).parents[2]
NOW = "2026-06-10T12:00:00Z"
FREEZE = "freeze: {pool: h100}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The answer as JSON, by name of the exception."""

    code: int
    told: dict[str, Any]
    err: str = ""


def ask(
    folder: Path, *texts: str, now: str = NOW, state: bool = False, arguments: tuple[str, ...] = ()
) -> Answer:
    if texts:
        (folder / "policies").mkdir(exist_ok=True)
        (folder / "policies/policy.yaml").write_text(POLICY + "".join(texts))
    given = ["--state", "-"] if state else []
    result = CliRunner().invoke(
        policyctl,
        [
            "exceptions",
            "--policy",
            str(folder / "policies"),
            "--now",
            now,
            "--format",
            "json",
            *given,
            *arguments,
        ],
        input=STATE,
    )
    assert result.stdout, result.output
    answer = json.loads(result.stdout)
    jsonschema.validate(answer, json.loads((ROOT / "schemas/exceptions.json").read_text()))
    return Answer(
        code=result.exit_code, told={one["name"]: one for one in answer["exceptions"]}, err=result.stderr
    )


@pytest.mark.parametrize(
    ("now", "phase", "expiring"),
    [
        ("2026-06-04T23:59:59Z", "upcoming", False),
        ("2026-06-05T00:00:00Z", "active", False),
        ("2026-06-05T23:59:59Z", "active", False),
        ("2026-06-06T00:00:00Z", "active", True),
        ("2026-06-19T23:59:59Z", "active", True),
        ("2026-06-20T01:59:59+02:00", "active", True),
        ("2026-06-20T02:00:00+02:00", "expired", False),
        ("2026-06-20T00:00:00Z", "expired", False),
    ],
    ids=[
        "a second before it starts",
        "the first second",
        "two weeks and a second before the end",
        "two weeks before the end",
        "the last second",
        "the last second on another clock",
        "the end on another clock",
        "the end",
    ],
)
def test_phases_to_the_second(tmp_path: Path, now: str, phase: str, expiring: object) -> None:
    one = ask(tmp_path, exception("one", "06-05", "06-20", FREEZE), now=now).told["one"]
    assert (one["phase"], one["expiring"]) == (phase, expiring)


def test_only_strict_fails_for_what_expired(tmp_path: Path) -> None:
    over = exception("one", "06-01", "06-05", FREEZE)
    assert ask(tmp_path, over).code == 0
    assert ask(tmp_path, over, arguments=("--strict",)).code == 1
    assert ask(tmp_path, over, now="2026-06-04T00:00:00Z", arguments=("--strict",)).code == 0


@pytest.mark.parametrize(
    ("grant", "effect"),
    [
        ("protection: {account: /language, maxProtected: 6h}", {"kind": "class", "jobs": ["waits"]}),
        ("protection: {account: /robotics, maxProtected: 6h}", None),
        ("suspend: {account: /language}", {"kind": "class", "jobs": ["waits"]}),
        ("suspend: {account: /robotics}", {"kind": "class", "jobs": ["runs"]}),
        ('protection: {job: "77", maxProtected: 6h}', None),
        ("freeze: {pool: h100}", {"kind": "preemption", "jobs": ["waits"]}),
        ("share: {to: /language, from: /robotics, add: 1%}", None),
    ],
    ids=[
        "a job may be protected longer",
        "nobody there asks for protection",
        "a waiting job loses its protection",
        "a running job loses its protection",
        "there is no such job",
        "a job could be preempted otherwise",
        "one job alone in the queue is first whatever the shares are",
    ],
)
def test_used_is_what_changes_a_decision(tmp_path: Path, grant: str, effect: dict[str, Any] | None) -> None:
    one = ask(tmp_path, exception("one", "06-05", "06-20", grant), state=True).told["one"]
    assert one["effect"] == effect
    assert one["unused"] is (effect is None)


def test_without_a_state_nothing_is_said_of_use(tmp_path: Path) -> None:
    one = ask(tmp_path, exception("one", "06-05", "06-20", FREEZE)).told["one"]
    assert (one["unused"], one["effect"]) == (None, None)


def test_what_is_over_still_bears_on_jobs_that_started_under_it(tmp_path: Path) -> None:
    before = exception("one", "06-05", "06-10T10:00:00Z", "suspend: {account: /robotics}")
    one = ask(tmp_path, before, state=True).told["one"]
    assert (one["phase"], one["unused"], one["effect"]["jobs"]) == ("expired", None, ["runs"])


def test_overlapping_and_redundant_ones_name_each_other(tmp_path: Path) -> None:
    long = "protection: {account: /, maxProtected: 8h}"
    short = "protection: {account: /robotics, maxProtected: 6h}"
    told = ask(
        tmp_path,
        exception("wide", "06-05", "06-20", long),
        exception("narrow", "06-08", "06-25", short),
        exception("first", "06-05", "06-20", FREEZE),
        exception("second", "06-08", "06-25", FREEZE),
    ).told
    assert {name: (one["redundant_to"], one["overlaps"]) for name, one in told.items()} == {
        "wide": (None, []),
        "narrow": ("wide", []),
        "first": (None, ["second"]),
        "second": ("first", ["first"]),
    }
    alone = ask(tmp_path, now="2026-06-21T00:00:00Z").told
    assert alone["narrow"]["redundant_to"] is None, "what covered it is over"


def test_one_that_follows_without_a_pause_is_a_renewal(tmp_path: Path) -> None:
    told = ask(
        tmp_path,
        exception("one", "06-01", "06-05", FREEZE),
        exception("two", "06-05", "06-09", FREEZE),
        exception("later", "06-10", "06-12", FREEZE),
    ).told
    assert {name: one["renewals"] for name, one in told.items()} == {"one": 0, "two": 1, "later": 0}


def git(folder: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=test", "-c", "user.email=test@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


def committed(top: Path, expires: str, message: str = "change", file: str = "one.yaml") -> None:
    (top / "policies" / file).write_text(exception("one", "06-01", expires, FREEZE))
    git(top, "add", ".")
    git(top, "commit", "-q", "-m", message)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    top = tmp_path / "repository"
    (top / "policies").mkdir(parents=True)
    git(top, "init", "-q", "-b", "main")
    (top / "policies/policy.yaml").write_text(POLICY)
    committed(top, "06-12", "first")
    return top


def test_moved_dates_are_counted_from_history(repository: Path) -> None:
    assert ask(repository).told["one"]["renewals"] == 0
    committed(repository, "06-15")
    committed(repository, "06-13", "earlier is no renewal")
    one = ask(repository).told["one"]
    assert (one["renewals"], one["renewed_too_often"]) == (1, False)
    git(repository, "mv", "policies/one.yaml", "policies/moved.yaml")
    git(repository, "commit", "-q", "-m", "moved")
    (repository / "policies/moved.yaml").write_text(exception("one", "06-01", "06-20", FREEZE))
    told = ask(repository, arguments=("--strict",))
    assert (told.told["one"]["renewals"], told.told["one"]["renewed_too_often"]) == (2, True)
    assert told.code == 1, "the working tree counts, and Governance allows one renewal"


def test_what_a_merge_brings_counts_once(repository: Path) -> None:
    git(repository, "switch", "-q", "-c", "side")
    committed(repository, "06-14")
    committed(repository, "06-16")
    git(repository, "switch", "-q", "main")
    (repository / "README.md").write_text("text\n")
    git(repository, "add", ".")
    git(repository, "commit", "-q", "-m", "meanwhile")
    git(repository, "merge", "-q", "--no-ff", "side", "-m", "merge")
    assert ask(repository).told["one"]["renewals"] == 1


def test_a_history_that_is_not_whole_is_said_to_be(repository: Path, tmp_path: Path) -> None:
    committed(repository, "06-15")
    git(tmp_path, "clone", "-q", "--depth=1", f"file://{repository}", "shallow")
    told = ask(tmp_path / "shallow")
    assert told.told["one"]["renewals"] == 0
    assert "there may be more renewals than the files tell: the history is shallow" in told.err


def test_a_file_that_was_never_committed_has_its_own_text(repository: Path) -> None:
    (repository / "policies/new.yaml").write_text("a: 1\n")
    assert file_versions(repository / "policies", "new.yaml").texts == (b"a: 1\n",)


def test_text_says_what_is_odd(tmp_path: Path) -> None:
    texts = exception("over", "06-01", "06-05", FREEZE) + exception("lent", "06-05", "06-20", FREEZE)
    (tmp_path / "policies").mkdir()
    (tmp_path / "policies/policy.yaml").write_text(POLICY + texts)
    call = ["exceptions", "--policy", str(tmp_path / "policies"), "--now", NOW]
    result = CliRunner().invoke(policyctl, call, env={"COLUMNS": "100"})
    assert result.exit_code == 0
    assert (
        "lent       expiring  2026-06-05T00:00:00Z  2026-06-20T00:00:00Z  9.5 d  no preemption in h100\n"
        in (result.stdout)
    )
    assert "over: expired: remove it" in result.stdout
    assert "lent: renewed once\n" in result.stdout
    assert result.stdout.endswith("2 exceptions: 1 active, 1 expired, 1 of them soon to expire\n")
