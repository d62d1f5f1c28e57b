"""The policy files of a commit or of the index, read as blobs: nothing is checked out, no filter or hook runs.

A revision is only ever handed to git behind `--end-of-options`, so that a name that starts with a dash is a name.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from policyctl.errors import NoAnswer
from policyctl.workspace.history import ask, reason
from policyctl.workspace.tree import MOST_TOTAL, check_names

if TYPE_CHECKING:
    from git import Git

__all__ = ["Repository", "repository"]

Value = TypeVar("Value")

_DEFAULTS = ("refs/remotes/origin/HEAD", "refs/remotes/origin/main", "refs/remotes/origin/master")
_LOCAL = ("refs/heads/main", "refs/heads/master")
_UNSHALLOW = "fetch all of it: `git fetch --unshallow`, or `fetch-depth: 0` where actions/checkout fetches"
_COMPARE = "compare two folders or two bundles"
_NAME_BASE = "name what to compare with: `policyctl diff BASE`"


def repository(folder: Path, *, otherwise: str = _COMPARE) -> Repository:
    """Return the repository that a folder lies in, whether or not the folder exists; raises NoAnswer without one.

    `otherwise` is the way out of a question that needs no git.
    """
    try:
        # Importing GitPython takes longer than most commands, and fails where git is not installed.
        from git import Git  # noqa: PLC0415
    except ImportError:
        raise NoAnswer("git is not installed", help=otherwise) from None
    if folder.is_symlink():
        raise NoAnswer(f"the folder `{folder}` is a symbolic link", help="name the folder that it leads to")
    here = folder.absolute()
    while not here.is_dir():
        here = here.parent
    git = Git(str(here.resolve()))
    git.update_environment(GIT_OPTIONAL_LOCKS="0", GIT_LITERAL_PATHSPECS="1", GIT_NO_REPLACE_OBJECTS="1")
    top = _answer(
        here, lambda: ask(git, "rev-parse", "--show-toplevel").removesuffix("\n"), otherwise=otherwise
    )
    below = folder.resolve().relative_to(Path(top).resolve()).as_posix()
    return Repository(git=git, here=here, prefix="" if below == "." else f"{below}/")


def _answer(here: Path, question: Callable[[], Value], *, otherwise: str = _COMPARE) -> Value:
    from git.exc import GitCommandError, GitCommandNotFound  # noqa: PLC0415 - see above

    try:
        return question()
    except GitCommandNotFound:
        raise NoAnswer("git is not installed", help=otherwise) from None
    except GitCommandError as problem:
        why, way_out = reason(str(problem.stderr), here)
        raise NoAnswer(why, help=way_out or otherwise) from None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    mode: str
    blob: str
    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Repository:
    """A repository that is only ever asked; `prefix` is the policy folder from its top, with a `/` at the end."""

    git: Git
    here: Path
    prefix: str

    def commit(self, revision: str) -> str | None:
        """Return the commit that a revision names, or None where it names none."""
        from git.exc import GitCommandError  # noqa: PLC0415 - see above

        if "\0" in revision:
            return None
        try:
            asked = f"{revision}^{{commit}}"
            return ask(self.git, "rev-parse", "--verify", "--quiet", "--end-of-options", asked).strip()
        except GitCommandError:
            return None

    def known(self, revision: str) -> str:
        """Return the commit that a revision names; raises NoAnswer, with the fix where the history is cut off."""
        found = self.commit(revision)
        if found is not None:
            return found
        if self.commit("HEAD") is None:
            raise NoAnswer("the repository has no commit yet", help="commit, or compare two folders")
        if self._shallow():
            raise NoAnswer(f"`{revision}` is not in this clone, whose history is cut off", help=_UNSHALLOW)
        raise NoAnswer(
            f"there is no revision, folder or bundle `{revision}`", help="`git branch --all` lists branches"
        )

    def fork_point(self, *, otherwise: str = _NAME_BASE) -> str:
        """Return the merge base of the default branch and HEAD; raises NoAnswer, with this way out, where there is none."""
        head = self.known("HEAD")
        default = next((one for one in (*_DEFAULTS, *_LOCAL) if self.commit(one) is not None), None)
        if default is None and self._shallow():
            raise NoAnswer(
                "the default branch is not in this clone, whose history is cut off", help=_UNSHALLOW
            )
        if default is None:
            raise NoAnswer("which branch is the default one is not known here", help=otherwise)
        return self._merge_base(default, self.known(default), head, otherwise)

    def _merge_base(self, name: str, default: str, head: str, otherwise: str) -> str:
        from git.exc import GitCommandError  # noqa: PLC0415 - see above

        try:
            # Of several merge bases git names the best one first, the same for the same history.
            return ask(self.git, "merge-base", default, head).split()[0]
        except GitCommandError:
            branch = name.removeprefix("refs/").removeprefix("heads/").removeprefix("remotes/")
            if self._shallow():
                message = f"where HEAD left `{branch}` is not in this clone, whose history is cut off"
                raise NoAnswer(message, help=_UNSHALLOW) from None
            raise NoAnswer(f"`{branch}` and HEAD have no commit in common", help=otherwise) from None

    def _shallow(self) -> bool:
        return ask(self.git, "rev-parse", "--is-shallow-repository").strip() == "true"

    def files(self, commit: str) -> dict[str, bytes]:
        """Return the policy files of a commit, by their path in the policy folder; raises NoAnswer as `read_tree`."""
        listed = _answer(
            self.here,
            lambda: ask(self.git, "ls-tree", "-r", "-z", "--full-tree", commit, "--", *self._below()),
        )
        return self._read([_entry(line) for line in listed.split("\0") if line])

    def staged(self) -> dict[str, bytes]:
        """Return the policy files as they are staged; raises NoAnswer, also where a merge is not resolved."""
        listed = _answer(
            self.here, lambda: ask(self.git, "-C", self._top(), "ls-files", "-s", "-z", "--", *self._below())
        )
        entries = []
        for line in (one for one in listed.split("\0") if one):
            about, _, path = line.partition("\t")
            mode, blob, stage = about.split(" ")
            if stage != "0":
                raise NoAnswer(
                    f"`{path}` has conflicts that are not resolved", help="resolve and stage it first"
                )
            entries.append(_Entry(mode=mode, blob=blob, path=path))
        return self._read(entries)

    def _top(self) -> str:
        return ask(self.git, "rev-parse", "--show-toplevel").removesuffix("\n")

    def _below(self) -> tuple[str, ...]:
        return (self.prefix,) if self.prefix else ()

    def _read(self, entries: Sequence[_Entry]) -> dict[str, bytes]:
        wanted: dict[str, str] = {}
        for entry in entries:
            path = entry.path.removeprefix(self.prefix)
            if any(part.startswith(".") for part in path.split("/")):
                continue
            _refuse(entry)
            if path.endswith((".yaml", ".yml")):
                wanted[path] = entry.blob
        check_names(sorted(wanted))
        blobs = sorted(set(wanted.values()))
        contents = dict(zip(blobs, self._blobs(blobs), strict=True)) if blobs else {}
        return {path: contents[wanted[path]] for path in sorted(wanted)}

    def _blobs(self, blobs: Sequence[str]) -> Iterator[bytes]:
        with tempfile.TemporaryFile() as asked:
            asked.write("".join(f"{blob}\n" for blob in blobs).encode())
            asked.seek(0)
            sizes = _answer(self.here, lambda: self._batch("--batch-check=%(objectsize)", asked))
            if sum(int(size) for size in sizes.split() if size.isdigit()) > MOST_TOTAL:
                raise NoAnswer(f"the policy files have more than {MOST_TOTAL // 1024**2} MiB together")
            asked.seek(0)
            data = _answer(self.here, lambda: self._batch("--batch=%(objectsize)", asked))
        position = 0
        for blob in blobs:
            end = data.index(b"\n", position)
            size = data[position:end]
            if not size.isdigit():
                raise NoAnswer(
                    f"the object {blob} is not in this clone", help="fetch it: `git fetch --refetch`"
                )
            yield data[end + 1 : end + 1 + int(size)]
            position = end + 2 + int(size)

    def _batch(self, how: str, asked: object) -> bytes:
        command = ["git", "cat-file", how]
        answer = self.git.execute(
            command, istream=asked, stdout_as_string=False, strip_newline_in_stdout=False
        )  # type: ignore[call-overload]  # GitPython's hints name no file as input
        assert isinstance(answer, bytes)
        return answer


def _entry(line: str) -> _Entry:
    about, _, path = line.partition("\t")
    mode, _, blob = about.split(" ")
    return _Entry(mode=mode, blob=blob, path=path)


def _refuse(entry: _Entry) -> None:
    """Refuse what is no plain file: a reviewer of the repository would not see what it leads to."""
    if entry.mode == "120000":
        raise NoAnswer(f"`{entry.path}` is a symbolic link", help="put the file itself into the folder")
    if entry.mode == "160000":
        raise NoAnswer(
            f"`{entry.path}` is a submodule, whose files are not in this repository",
            help="put the files themselves into the folder",
        )
