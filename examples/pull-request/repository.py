"""A real git repository with a policy in it: branches, edits, commits and reviews, the same ids every time."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

MONDAY = "2026-11-30T09:00:00Z"
HERE = Path(__file__).resolve().parent
_SETTINGS = {
    "GIT_CONFIG_GLOBAL": os.devnull,  # the reader's own settings, such as signing, would change the ids
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_DATE": MONDAY,
    "GIT_COMMITTER_DATE": MONDAY,
}


def _surroundings() -> dict[str, str]:
    # Within a hook git names another repository in the environment, which the story must not write to.
    return {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}


class Repository:
    """The policy of the lab on `main`, and one pull request at a time on a branch of its own."""

    def __init__(self, top: Path, members: Mapping[str, list[str]]) -> None:
        self.top, self._commits, self._reviews = top, list[dict[str, object]](), list[dict[str, object]]()
        for source in sorted((HERE.parent.parent / "policies").rglob("*.yaml")):
            target = top / "policies" / source.relative_to(HERE.parent.parent / "policies")
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
        (top / "members.json").write_text(json.dumps(members), encoding="utf-8")
        self._git("init", "-q", "-b", "main")
        self._commit("the policy of the lab", "operator-1")

    def _git(self, *words: str, author: str = "operator-1") -> str:
        who = {f"GIT_{role}_{part}": author for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")}
        done = subprocess.run(  # noqa: S603 - the words are written in this file and in the story
            ["git", *words],  # noqa: S607 - the one on the PATH
            cwd=self.top,
            env={**_surroundings(), **_SETTINGS, **who},
            check=True,
            stdout=subprocess.PIPE,
            text=True,
        )
        return done.stdout.strip()

    def _commit(self, message: str, author: str) -> None:
        self._git("add", "policies")
        self._git("commit", "-q", "-m", message, author=author)

    def open(self, branch: str) -> None:
        """Begin a pull request."""
        self._git("checkout", "-q", "-b", branch, "main")
        self._commits, self._reviews = [], []

    def edit(self, file: str, *changes: tuple[str, str]) -> None:
        """Replace texts in a file, each of which is there once."""
        path = self.top / "policies" / file
        text = path.read_text(encoding="utf-8")
        for before, after in changes:
            if text.count(before) != 1:
                raise SystemExit(f"policies/{file} does not have `{before}` once")
            text = text.replace(before, after)
        path.write_text(text, encoding="utf-8")

    def push(self, message: str, author: str) -> None:
        """Commit what was edited, as the code host then lists it."""
        self._commit(message, author)
        self._commits.append({"sha": self._git("rev-parse", "HEAD"), "author": {"login": author}})
        self._write()

    def approve(self, user: str) -> None:
        """Approve the head as it is now."""
        seen, number = self._git("rev-parse", "HEAD"), len(self._reviews) + 1
        review = {"id": number, "user": {"login": user}, "state": "APPROVED", "commit_id": seen}
        self._reviews.append({**review, "submitted_at": MONDAY})
        self._write()

    def _write(self) -> None:
        export = {"reviews": self._reviews, "commits": self._commits}
        (self.top / "approvals.json").write_text(json.dumps(export), encoding="utf-8")

    def merge(self, branch: str) -> None:
        """Bring the pull request to `main`."""
        self._git("checkout", "-q", "main")
        self._git("merge", "-q", "--no-ff", "-m", f"merge {branch}", branch)
