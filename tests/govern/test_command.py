"""`policyctl review` as a user runs it, in a real repository, on GitHub's own JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.cli.program import POLICY, Ended, run
from tests.workspace.test_history import _own_git_settings, git

__all__ = ["_own_git_settings"]

ROOT = Path(__file__).parent.parent.parent
SCHEMA = json.loads((ROOT / "schemas/review.json").read_text())
MEMBERS = {"@lab/leadership": ["Dev4", "dev1", "dev2"]}


@pytest.fixture
def top(tmp_path: Path) -> Path:
    """Make a repository whose branch `work` enlarges a program."""
    made = tmp_path / "repository"
    (made / "policies").mkdir(parents=True)
    git(tmp_path, "init", "-q", "-b", "main", str(made))
    write(made, POLICY)
    git(made, "checkout", "-q", "-b", "work")
    write(made, POLICY.replace("language: 60%", "language: 70%"))
    (tmp_path / "members.json").write_text(json.dumps(MEMBERS))
    return made


def write(top: Path, text: str) -> str:
    (top / "policies/policy.yaml").write_text(text)
    git(top, "add", "-A", ".")
    git(top, "commit", "-q", "-m", "change")
    return git(top, "rev-parse", "HEAD").strip()


def said(user: str, commit: str, state: str = "APPROVED", number: int = 1) -> dict[str, Any]:
    at = f"2026-09-01T10:{number:02}:00Z"
    return {"id": number, "user": {"login": user}, "state": state, "commit_id": commit, "submitted_at": at}


def review(top: Path, *reviews: dict[str, Any], author: str = "dev1", more: tuple[str, ...] = ()) -> Ended:
    commits = [{"sha": "0" * 40, "author": {"login": author}}]
    given = {"reviews": list(reviews), "commits": commits}
    (top.parent / "approvals.json").write_text(json.dumps(given))
    return run("review", "--approvals", "../approvals.json", "--members", "../members.json", *more, cwd=top)


def state(done: Ended) -> list[str]:
    answer = json.loads(done.out)
    jsonschema.validate(answer, SCHEMA)
    assert answer["satisfied"] is (done.code == 0)
    return [one["state"] for one in answer["requirements"]]


JSON = ("--format", "json")


def test_text_says_what_is_needed_and_by_whom(top: Path) -> None:
    head = git(top, "rev-parse", "HEAD").strip()
    done = review(top, said("Dev4", head))
    assert (done.code, done.err) == (0, "")
    lines = done.text.splitlines()
    assert lines[2] == "author  @dev1"
    assert lines[5:] == [
        "rule     account  needs            state      by",
        "default  /        1 of leadership  satisfied  @dev4",
        "",
        "leadership: `/` is divided anew",
        "",
        "1 of 1 requirement satisfied",
    ]


@pytest.mark.parametrize(
    ("user", "states", "expected"),
    [
        ("dev4", ["APPROVED"], "satisfied"),
        ("dev4", ["APPROVED", "COMMENTED"], "satisfied"),
        ("dev4", ["APPROVED", "DISMISSED"], "pending"),
        ("dev4", ["APPROVED", "CHANGES_REQUESTED"], "pending"),
        ("dev4", ["CHANGES_REQUESTED", "APPROVED"], "satisfied"),
        ("dev1", ["APPROVED"], "pending"),
        ("dev3", ["APPROVED"], "pending"),
        ("dev3", ["CHANGES_REQUESTED"], "pending"),
    ],
    ids=[
        "a member",
        "a comment changes nothing",
        "dismissed",
        "changed their mind",
        "was convinced",
        "the author",
        "a stranger",
        "a stranger objects",
    ],
)
def test_whose_last_word_counts(top: Path, user: str, states: list[str], expected: str) -> None:
    head = git(top, "rev-parse", "HEAD").strip()
    words = [said(user, head, one, number) for number, one in enumerate(states, 1)]
    assert state(review(top, *reversed(words), more=JSON)) == [expected]


def test_an_objection_of_the_group_outweighs_an_approval(top: Path) -> None:
    head = git(top, "rev-parse", "HEAD").strip()
    done = review(top, said("dev4", head), said("dev2", head, "CHANGES_REQUESTED", 2), more=JSON)
    assert state(done) == ["pending"]


def test_an_approval_survives_a_push_of_the_same_meaning_only(top: Path) -> None:
    seen = git(top, "rev-parse", "HEAD").strip()
    write(top, "# why\n" + POLICY.replace("language: 60%", "language: 7/10"))
    assert state(review(top, said("dev4", seen), more=JSON)) == ["satisfied"]
    write(top, POLICY.replace("language: 60%", "language: 71%"))
    done = review(top, said("dev4", seen))
    assert (done.code, "stale" in done.text) == (1, True)
    assert "@dev4 approved another meaning of the change" in done.text


def test_an_approval_survives_what_others_merge(top: Path) -> None:
    seen = git(top, "rev-parse", "HEAD").strip()
    git(top, "checkout", "-q", "main")
    write(top, POLICY.replace("maxProtected: 2h", "maxProtected: 3h"))
    git(top, "checkout", "-q", "work")
    git(top, "merge", "-q", "-m", "merge", "main")
    assert state(review(top, said("dev4", seen), more=("main", "work", *JSON))) == ["satisfied"]


@pytest.mark.parametrize("commit", ["", "f" * 40, "main", "--help"])
def test_a_commit_that_is_not_known_is_stale(top: Path, commit: str) -> None:
    assert state(review(top, said("dev4", commit), more=JSON)) == ["stale"]


def test_the_rules_of_the_base_judge_a_change_of_the_rules(top: Path) -> None:
    head = write(top, POLICY.replace("@lab/leadership", "@dev3"))
    assert state(review(top, said("dev3", head), more=JSON)) == ["pending"]


def test_no_meaning_needs_no_approval(top: Path) -> None:
    write(top, "# why\n" + POLICY)
    done = review(top)
    assert (done.code, "nothing to approve" in done.text) == (0, True)


def test_two_folders_need_no_revision(top: Path) -> None:
    head = git(top, "rev-parse", "HEAD").strip()
    base = top.parent / "base"
    base.mkdir()
    (base / "policy.yaml").write_text(POLICY)
    assert state(review(top, said("dev4", head), more=("../base", "./policies", *JSON))) == ["satisfied"]


def test_a_base_that_cannot_be_read_judges_nothing(top: Path) -> None:
    base = top.parent / "base"
    base.mkdir()
    (base / "policy.yaml").write_text("spec: [")
    done = review(top, more=("../base", "./policies"))
    assert (done.code, "nobody's rules are known" in done.err) == (3, True)


@pytest.fixture
def first(tmp_path: Path) -> Path:
    """Make a repository whose branch `work` brings its first policy."""
    made = tmp_path / "first"
    made.mkdir()
    git(tmp_path, "init", "-q", "-b", "main", str(made))
    git(made, "commit", "-q", "--allow-empty", "-m", "nothing")
    git(made, "checkout", "-q", "-b", "work")
    (made / "policies").mkdir()
    (tmp_path / "members.json").write_text("{}")
    return made


def test_the_first_policy_needs_one_person_who_did_not_write_it(first: Path) -> None:
    seen = write(first, POLICY)
    done = review(first, said("dev1", seen))
    assert (done.code, "1 of anyone  pending" in done.text, "the base has no policy" in done.text) == (
        1,
        True,
        True,
    )
    assert state(review(first, said("dev3", seen), more=JSON)) == ["satisfied"]
    write(first, f"# the same\n{POLICY}")
    assert state(review(first, said("dev3", seen), more=JSON)) == ["satisfied"]
    write(first, POLICY.replace("language: 60%", "language: 61%"))
    assert state(review(first, said("dev3", seen), more=JSON)) == ["stale"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[", "is not JSON"),
        ("[]", "not an object"),
        ("{}", "`reviews` is not a list"),
        ('{"reviews": [], "commits": []}', "names no author"),
        ('{"reviews": [], "commits": [{"author": null}]}', "its author is not known"),
        ('{"reviews": [], "commits": [], "pull": {}}', "`pull` has no"),
        ('{"reviews": [3], "commits": []}', "something else than objects"),
        (
            '{"reviews": [], "commits": [{"author": {"login": "a"}}], "members_after": []}',
            "is not an object of teams",
        ),
    ],
)
def test_other_exports_are_refused(top: Path, text: str, why: str) -> None:
    (top.parent / "odd.json").write_text(text)
    done = run("review", "--approvals", "../odd.json", cwd=top)
    assert (done.code, why in done.err) == (3, True)


def test_pages_are_joined_and_teams_without_members_are_named(top: Path) -> None:
    head = git(top, "rev-parse", "HEAD").strip()
    given = {"pull": {"user": {"login": "Dev1"}}, "reviews": [[said("dev4", head)], []], "commits": [[]]}
    (top.parent / "pages.json").write_text(json.dumps(given))
    done = run("review", "--approvals", "../pages.json", cwd=top)
    assert (done.code, "who is in @lab/leadership is not known" in done.text) == (1, True)
