"""A day of a lab in seven pull requests, played on a real git repository in a temporary folder.

Needs git, and `policyctl` on the PATH. `--comments DIR` also writes the comment that each pull request would get.
"""

from __future__ import annotations

import argparse
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path

from repository import HERE, MONDAY, Repository

NOON = "2026-11-30T12:00:00Z"
MEMBERS = {
    "@lab/leadership": ["leader-1", "leader-2"],
    "@lab/operators": ["operator-1", "operator-2"],
    "@lab/language-leads": ["language-1", "language-2"],
    "@lab/robotics-leads": ["robotics-1", "robotics-2"],
}
STATE = "state.json"
VICTIM = ("preempt", "authorize", "487173", "486770", "--state", STATE)


class Story:
    """Tells what it does, and keeps the comments."""

    def __init__(self, top: Path, comments: Path | None) -> None:
        self.repository, self._comments, self._branch = Repository(top, MEMBERS), comments, ""
        shutil.copyfile(HERE.parent / "lab-queue" / "state.json", top / STATE)

    def open(self, branch: str, title: str) -> None:
        """Begin a pull request with its heading."""
        self._branch = branch
        self.repository.open(branch)
        print(f"\n== {title}\n")

    def ask(self, *words: str, first: int = 0, last: int | None = None) -> str:
        """Show a command with some lines of its answer, and return all of it."""
        done = self._run(*words)
        text = done.stderr + done.stdout
        print("+", shlex.join(["policyctl", *words]))
        _show(text.splitlines()[first:last], done.returncode)
        return text

    def review(self, expected: int) -> None:
        """Ask whether the pull request may be merged, and write its comment."""
        sides = ("main", self._branch, "--now", MONDAY)
        words = ("review", "--approvals", "approvals.json", "--members", "members.json", *sides)
        print("+", shlex.join(["policyctl", *words]))
        done = self._run(*words)
        lines = done.stdout.splitlines()
        _show(lines[5:], done.returncode)
        if done.returncode != expected:
            raise SystemExit(f"the story expected exit code {expected}")
        if self._comments is not None:
            meaning = self._run("diff", *sides, "--format", "markdown").stdout
            head, first, rest = meaning.partition("\n#### ")
            approvals = self._run(*words, "--format", "markdown").stdout
            path = self._comments / f"{self._branch}.md"
            path.write_text(f"{head}{approvals}{first}{rest}", encoding="utf-8")

    def _run(self, *words: str) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(  # noqa: S603 - the words are written below
            ["policyctl", *words],  # noqa: S607 - the one on the PATH, as the README says
            cwd=self.repository.top,
            check=False,
            capture_output=True,
            text=True,
        )
        if done.returncode not in (0, 1):
            raise SystemExit(f"{done.stderr}policyctl ended with exit code {done.returncode}")
        return done


def _show(lines: Iterable[str], code: int) -> None:
    for line in filter(None, lines):
        print(f"  {line}")
    if code:
        print(f"  [exit code {code}]")


def move(story: Story) -> None:
    """Let a program divide its own part."""
    story.open("1-move", "1. language-1 moves ten points from `pretrain` to `multilingual`")
    changes = (("pretrain: 45%", "pretrain: 35%"), ("multilingual: 12%", "multilingual: 22%"))
    story.repository.edit("budgets/language.yaml", *changes)
    story.repository.push("more for multilingual", "language-1")
    story.repository.approve("language-2")
    story.review(0)
    story.repository.merge("1-move")


def enlarge(story: Story) -> None:
    """Let a program take from what is unassigned."""
    story.open("2-enlarge", "2. language-1 enlarges the program by three points; the other lead approves")
    story.repository.edit("budgets/organization.yaml", ("language: 34%", "language: 37%"))
    story.repository.push("more for language", "language-1")
    story.repository.approve("language-2")
    story.review(1)


def loosen(story: Story) -> None:
    """Let a cap permit more than before."""
    story.open("3-loosen", "3. robotics-1 loosens the cap of robotics; one leader approves, then another")
    story.repository.edit("caps/robotics.yaml", ("default: 3h", "default: 4h"))
    story.repository.push("longer protection", "robotics-1")
    story.repository.approve("leader-1")
    story.review(1)
    story.repository.approve("leader-2")
    story.review(0)
    story.repository.merge("3-loosen")


def lend(story: Story) -> None:
    """Let an exception change a decision until it ends."""
    story.open("4-lend", "4. systems lends safety two points until noon")
    before = story.ask(*VICTIM, "--now", NOON, first=1, last=4)
    words = ("--share", "2%", "--from", "/systems", "--to", "/safety", "--ticket", "OPS-331")
    who = ("--reason", "an evaluation is due", "--requested-by", "@lab/safety-leads")
    story.ask("exception", "new", "loan", *words, *who, "--now", MONDAY, "--expires", NOON)
    story.repository.push("a loan until noon", "safety-1")
    story.repository.approve("leader-1")
    story.review(0)
    story.repository.merge("4-lend")
    story.ask(*VICTIM, "--now", "2026-11-30T11:59:59Z", first=1, last=4)
    after = story.ask(*VICTIM, "--now", NOON, first=1, last=4)
    same = before.splitlines()[:-1] == after.splitlines()[:-1]  # the last line names the policy
    print("# at noon the answer is", "line for line what it was without the loan" if same else "another")


def freeze(story: Story) -> None:
    """Let the operators alone stop preemption."""
    story.open("5-freeze", "5. operator-1 freezes preemption in `h100`; the operators need nobody else")
    plan = ("preempt", "plan", "486910", "--state", STATE)
    story.ask(*plan, last=1)
    words = ("--freeze", "h100", "--ticket", "OPS-332", "--requested-by", "@lab/operators")
    until = ("--now", MONDAY, "--for", "6h")
    story.ask("exception", "new", "freeze", *words, "--reason", "the file system loses writes", *until)
    story.repository.push("freeze h100", "operator-1")
    story.repository.approve("operator-2")
    story.review(0)
    story.repository.merge("5-freeze")
    story.ask(*plan, last=2)
    story.ask("exceptions", "--now", MONDAY)


def push(story: Story) -> None:
    """Push after an approval: another meaning, then the same one."""
    story.open("6-push", "6. leader-1 enlarges biology; leader-2 approves 13%, and 14% is pushed afterwards")
    story.repository.edit("budgets/organization.yaml", ("biology: 12%", "biology: 13%"))
    story.repository.push("more for biology", "leader-1")
    story.repository.approve("leader-2")
    story.repository.edit("budgets/organization.yaml", ("biology: 13%", "biology: 14%"))
    story.repository.push("still more", "leader-1")
    story.review(1)
    print("# leader-2 approves again, and then only a comment is pushed")
    story.repository.approve("leader-2")
    story.repository.edit("budgets/organization.yaml", ("biology: 14%", "biology: 14%   # two new projects"))
    story.repository.push("say why", "leader-1")
    story.review(0)
    story.repository.merge("6-push")


def rule(story: Story) -> None:
    """Let a change try to open its own gate."""
    story.open("7-rule", "7. language-1 makes the leads of language the leadership, and takes what is left")
    story.repository.edit("governance.yaml", ('"@lab/leadership"', '"@lab/language-leads"'))
    story.repository.edit("budgets/organization.yaml", ("language: 34%", "language: 36%"))
    story.repository.push("simpler governance", "language-1")
    story.repository.approve("language-2")
    story.review(1)


def main() -> None:
    """Play every pull request, in order."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--comments", type=Path, metavar="DIR", help="where to write the comments")
    comments = parser.parse_args().comments
    if comments is not None:
        comments.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        story = Story(Path(name), comments and comments.resolve())
        for step in (move, enlarge, loosen, lend, freeze, push, rule):
            step(story)


if __name__ == "__main__":
    main()
