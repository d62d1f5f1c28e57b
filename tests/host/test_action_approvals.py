"""Approvals in the action: read from the code host's interface, page by page, and never taken for granted."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from tests.host.git import commit, git
from tests.host.interface import Asked, page_of, serving
from tests.host.steps import FILES, Checked, change, check, outputs_of, run_step
from tests.host.test_action import merged

MEMBERS = ".github/policy-members.json"
PULL = "/repos/lab/policy/pulls/7"
QUEUED = f"refs/heads/gh-readonly-queue/main/pr-7-{'a' * 40}"


def approval(user: str, seen: str, number: int = 1, state: str = "APPROVED") -> dict[str, Any]:
    at = f"2026-01-05T12:{number // 60:02}:{number % 60:02}Z"
    return {"id": number, "user": {"login": user}, "state": state, "commit_id": seen, "submitted_at": at}


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """What the code host says of pull request 7; `refused` paths answer with their status."""

    reviews: list[dict[str, Any]] = field(default_factory=list)
    commits: int = 1
    listed: int | None = None
    base: str = "main"
    head: str = ""
    refused: dict[str, int] = field(default_factory=dict)

    def answer(self, asked: Asked) -> tuple[int, Any]:
        if asked.path in self.refused:
            return self.refused[asked.path], {"message": "::warning::no"}
        count = self.commits if self.listed is None else self.listed
        if asked.path == PULL:
            base = {"ref": self.base, "repo": {"default_branch": "main"}}
            head = {"sha": self.head}
            return 200, {"user": {"login": "Author"}, "commits": self.commits, "base": base, "head": head}
        found = {
            f"{PULL}/reviews": self.reviews,
            f"{PULL}/commits": [{"author": {"login": "author"}, "sha": str(one)} for one in range(count)],
        }
        return 200, page_of(found[asked.path], asked)


def ask(
    lab: Path, scratch: Path, host: Host | str, payload: dict[str, Any] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run the step that reads; `host` is what answers, or an address at which nothing does."""
    scratch.mkdir()
    (scratch / "output").touch()
    event = {"pull_request": {"number": 7, "base": {"ref": "main"}}} if payload is None else payload
    (scratch / "event.json").write_text(json.dumps(event))
    environment = {
        "TOKEN": "secret",
        "GITHUB_REPOSITORY": "lab/policy",
        "GITHUB_EVENT_PATH": str(scratch / "event.json"),
        "GITHUB_OUTPUT": str(scratch / "output"),
        "RUNNER_TEMP": str(scratch),
        "MEMBERS": MEMBERS,
    }
    if isinstance(host, str):
        return run_step("Read approvals", lab, scratch, GITHUB_API_URL=host, **environment)
    with serving(host.answer) as url:
        return run_step("Read approvals", lab, scratch, GITHUB_API_URL=url, **environment)


def ask_and_check(
    lab: Path,
    scratch: Path,
    host: Host | str,
    *,
    event: str = "pull_request",
    payload: dict[str, Any] | None = None,
) -> Checked:
    """Run both steps, the second with what the first has left."""
    asked = ask(lab, scratch, host, payload)
    file = outputs_of(scratch).get("file", "")
    done = check(lab, scratch, event=event, base=git(lab, "rev-parse", "main"), APPROVALS=file)
    return replace(done, said=asked.stdout + asked.stderr + done.said)


@pytest.fixture
def teams(lab: Path) -> Path:
    """Fill the teams on the default branch, and return to the branch of the change."""
    git(lab, "switch", "--quiet", "main")
    people = {
        "@lab/leadership": ["Dev4", "Dev2"],
        "@lab/operators": ["root"],
        "@lab/research-leads": ["dev1"],
    }
    (lab / MEMBERS).write_text(json.dumps(people))
    commit(lab, "teams")
    git(lab, "switch", "--quiet", "change")
    git(lab, "merge", "--quiet", "main")
    return lab


def enlarged(lab: Path) -> str:
    return change(lab, "platform: 30%", "platform: 40%")


def test_an_approval_on_the_last_page_counts(teams: Path, tmp_path: Path) -> None:
    seen = enlarged(teams)
    talk = [approval("someone", seen, number, "COMMENTED") for number in range(250)]
    done = ask_and_check(
        teams, tmp_path / "run", Host(reviews=[*talk, approval("dev4", seen, 900)], commits=101)
    )
    assert done.code == 0, done.said
    assert "pull request 7: 251 reviews, 101 commits" in done.said
    assert "review ok" in done.said
    assert done.comment is not None
    assert "#### Approvals: 1 of 1 requirement satisfied" in done.comment
    assert done.comment.index("#### Approvals") < done.comment.index("#### Shares")


@pytest.mark.parametrize(
    ("reviews", "said"),
    [
        ([], "1 of leadership  pending"),
        ([("dev1", "APPROVED")], "1 of leadership  pending"),
        ([("author", "APPROVED")], "1 of leadership  pending"),
        ([("dev4", "APPROVED"), ("dev4", "CHANGES_REQUESTED")], "1 of leadership  pending"),
        ([("dev4", "DISMISSED")], "1 of leadership  pending"),
    ],
    ids=["nobody", "another group", "the author", "taken back", "dismissed"],
)
def test_an_approval_that_is_missing_fails(
    teams: Path, tmp_path: Path, reviews: list[tuple[str, str]], said: str
) -> None:
    seen = enlarged(teams)
    given = [approval(user, seen, number, state) for number, (user, state) in enumerate(reviews)]
    done = ask_and_check(teams, tmp_path / "run", Host(reviews=given))
    assert (done.code, said in done.said) == (1, True), done.said
    assert "validate ok, test ok, diff ok, gates ok, review exit code 1" in done.said


@pytest.mark.parametrize(
    ("host", "said"),
    [
        (Host(refused={PULL: 403}), "pulls/7 answers 403; give the job `pull-requests: read`"),
        (Host(refused={f"{PULL}/reviews": 404}), "pulls/7/reviews?per_page=100&page=1 answers 404; give"),
        (Host(refused={f"{PULL}/commits": 500}), "pulls/7/commits?per_page=100&page=1 answers 500\n"),
        (Host(commits=300, listed=250), "250 of 300 commits are listed"),
        (Host(base="release"), "the pull request is not for the default branch"),
        ("http://127.0.0.1:1", "pulls/7 gives no answer: URLError"),
    ],
    ids=[
        "no right to read",
        "no reviews",
        "no commits",
        "more commits than are listed",
        "another base",
        "no network",
    ],
)
def test_what_cannot_be_read_leaves_no_file(lab: Path, tmp_path: Path, host: Host | str, said: str) -> None:
    asked = ask(lab, tmp_path / "run", host)
    assert (asked.returncode, outputs_of(tmp_path / "run")) == (1, {})
    assert "::error::cannot read approvals: " in asked.stderr
    assert said in asked.stderr
    assert "::warning::" not in asked.stderr, "what the interface says gives the runner no orders"


def test_a_run_that_starts_again_by_an_old_base_reads_nothing(lab: Path, tmp_path: Path) -> None:
    old = {"pull_request": {"number": 7, "base": {"ref": "mine"}}}
    assert ask(lab, tmp_path / "run", Host(), old).returncode == 1
    assert outputs_of(tmp_path / "run") == {}


def test_without_approvals_the_check_tells_all_and_never_passes(teams: Path, tmp_path: Path) -> None:
    enlarged(teams)
    # Where the change itself brings what the check looks for in vain, it is not taken.
    for name in ("approvals-that-could-not-be-read", "policyctl-approvals.json"):
        (teams / name).write_text(json.dumps({"reviews": [], "commits": []}))
    commit(teams, "forged")
    done = ask_and_check(teams, tmp_path / "run", Host(refused={PULL: 403}))
    assert (done.code, "approvals-that-could-not-be-read" in done.said) == (3, True), done.said
    assert "validate ok, test ok, diff ok, gates ok, review exit code 3" in done.said


@pytest.mark.parametrize("event", ["push", "schedule"])
def test_an_event_without_a_pull_request_asks_for_no_approval_and_says_so(
    teams: Path, tmp_path: Path, event: str
) -> None:
    enlarged(teams)
    done = ask_and_check(
        teams, tmp_path / "run", "http://127.0.0.1:1", event=event, payload={"ref": "refs/heads/main"}
    )
    assert done.code == 0, done.said
    assert "this event has no pull request, so no approvals are read" in done.said
    assert "review" not in done.said.rpartition("ok: ")[2]


def test_the_merge_queue_asks_for_the_approvals_of_its_pull_request(teams: Path, tmp_path: Path) -> None:
    seen = enlarged(teams)
    queue = {"merge_group": {"head_ref": QUEUED, "base_sha": git(teams, "rev-parse", "main")}}
    for name, host, code in (("not", Host(), 1), ("approved", Host(reviews=[approval("dev4", seen)]), 0)):
        done = ask_and_check(teams, tmp_path / name, host, event="merge_group", payload=queue)
        assert done.code == code, done.said
    queue["merge_group"]["head_ref"] = "refs/heads/queue"
    done = ask_and_check(teams, tmp_path / "odd", host, event="merge_group", payload=queue)
    assert (done.code, "the merge queue names no pull request" in done.said) == (3, True), done.said


def test_a_change_does_not_fill_its_own_teams(teams: Path, tmp_path: Path) -> None:
    people = json.loads((teams / MEMBERS).read_text())
    (teams / MEMBERS).write_text(json.dumps({**people, "@lab/leadership": ["dev7"]}))
    seen = enlarged(teams)
    done = ask_and_check(teams, tmp_path / "run", Host(reviews=[approval("dev7", seen)]))
    assert (done.code, "1 of leadership  pending" in done.said) == (1, True), done.said


def refilled(lab: Path, *leaders: str) -> str:
    people = json.loads((lab / MEMBERS).read_text())
    (lab / MEMBERS).write_text(json.dumps({**people, "@lab/leadership": list(leaders)}))
    return commit(lab, f"leaders are {leaders}")


def test_other_people_in_a_team_need_two_of_those_who_own_all(teams: Path, tmp_path: Path) -> None:
    first = refilled(teams, "dev4", "dev2", "dev9")
    alone = ask_and_check(teams, tmp_path / "alone", Host(head=first))
    assert (alone.code, "2 of leadership  pending" in alone.said) == (1, True), alone.said
    assert "`@lab/leadership` has other members" in alone.said
    both = [approval("dev4", first, 1), approval("dev2", first, 2)]
    assert ask_and_check(teams, tmp_path / "both", Host(head=first, reviews=both)).code == 0
    last = refilled(teams, "dev4", "dev2", "dev7")
    pushed = ask_and_check(teams, tmp_path / "pushed", Host(head=last, reviews=both))
    assert (pushed.code, "2 of leadership  stale" in pushed.said) == (1, True), pushed.said


def test_the_first_people_in_a_team_need_somebody_else(lab: Path, tmp_path: Path) -> None:
    head = refilled(lab, "dev4")
    done = ask_and_check(lab, tmp_path / "run", Host(head=head))
    assert (done.code, "1 of anyone  pending" in done.said) == (1, True), done.said
    by_dev3 = Host(head=head, reviews=[approval("dev3", head)])
    assert ask_and_check(lab, tmp_path / "approved", by_dev3).code == 0


def test_teams_that_nobody_filled_are_named(lab: Path, tmp_path: Path) -> None:
    seen = enlarged(lab)
    done = ask_and_check(lab, tmp_path / "run", Host(reviews=[approval("dev4", seen)]))
    assert (done.code, "who is in @lab/leadership is not known" in done.said) == (1, True), done.said


def test_an_approval_survives_a_push_that_replaces_its_commit(teams: Path, tmp_path: Path) -> None:
    """The code host keeps what was pushed over, the clone of a runner does not have it."""
    git(teams, "config", "uploadpack.allowAnySHA1InWant", "true")
    seen = enlarged(teams)
    git(teams, "commit", "--quiet", "--amend", "-m", "the same, said better")
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "--quiet", "--no-local", "--branch", "change", str(teams), str(clone))
    git(clone, "branch", "--quiet", "main", "origin/main")
    host = Host(reviews=[approval("dev4", seen)])
    assert ask_and_check(clone, tmp_path / "same", host).code == 0
    change(clone, "platform: 40%", "platform: 39%")
    done = ask_and_check(clone, tmp_path / "other", host)
    assert (done.code, "1 of leadership  stale" in done.said) == (1, True), done.said


def test_an_approval_of_the_branch_counts_for_its_merge_into_a_base_that_went_on(
    teams: Path, tmp_path: Path
) -> None:
    seen = enlarged(teams)
    merged(teams)
    done = ask_and_check(teams, tmp_path / "run", Host(reviews=[approval("dev4", seen)]))
    assert (done.code, "review ok" in done.said) == (0, True), done.said
    assert done.comment is not None
    assert "/platform" in done.comment
    assert "3h" not in done.comment


@pytest.mark.parametrize(
    "seen", ["f" * 40, "--upload-pack=touch hurt", None], ids=["gone", "an option", "none"]
)
def test_an_approval_of_a_commit_that_is_gone_is_stale(teams: Path, tmp_path: Path, seen: Any) -> None:
    enlarged(teams)
    done = ask_and_check(teams, tmp_path / "run", Host(reviews=[approval("dev4", seen)]))
    assert (done.code, "1 of leadership  stale" in done.said) == (1, True), done.said
    assert not list(tmp_path.rglob("hurt"))


def test_a_change_that_means_nothing_needs_nobody(teams: Path, tmp_path: Path) -> None:
    (teams / "policies/README.md").write_text("read me")
    commit(teams, "words")
    done = ask_and_check(teams, tmp_path / "run", Host())
    assert (done.code, "review ok" in done.said) == (0, True), done.said


def test_the_members_that_init_writes_are_the_teams_of_its_policy() -> None:
    teams = json.loads(FILES[MEMBERS])
    assert set(teams) == {f"@lab/{name}" for name in ("leadership", "operators", "research-leads")}
    assert not any(teams.values()), "a name that is made up would be somebody's"


def test_the_page_of_the_change_says_who_approved(teams: Path, tmp_path: Path) -> None:
    seen = enlarged(teams)
    done = ask_and_check(teams, tmp_path / "run", Host(reviews=[approval("dev4", seen, 1)]))
    assert done.code == 0, done.said
    page = (Path(outputs_of(tmp_path / "run")["reports"]) / "diff.html").read_text()
    assert "What the rules of the base ask of <code>@author</code>: 1 of 1 requirement satisfied." in page
    assert "@dev4" in page
    assert "not known here" not in page
