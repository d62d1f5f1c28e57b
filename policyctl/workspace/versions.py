"""The committed versions of one file, oldest first, across renames; git is asked, and nothing is checked out."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from policyctl.workspace.history import ask, reason

__all__ = ["Versions", "file_versions"]

_MOST = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Versions:
    """The texts of a file, the one in the folder last; `missing` says why older ones may be unknown."""

    texts: tuple[bytes, ...]
    missing: str | None = None


def file_versions(root: Path, file: str) -> Versions:
    """Return the versions of a file below `root` along the first parents of HEAD; never fails for want of git."""
    now = (root / file).read_bytes()
    try:
        # Importing GitPython takes longer than most commands, and fails where git is not installed.
        from git import Git  # noqa: PLC0415
        from git.exc import GitCommandError, GitCommandNotFound  # noqa: PLC0415
    except ImportError:
        return Versions(texts=(now,), missing="git is not installed")
    git = Git(str(root.resolve()))
    git.update_environment(GIT_OPTIONAL_LOCKS="0")
    try:
        shallow = ask(git, "rev-parse", "--is-shallow-repository").strip() == "true"
        log = ask(
            git, "--literal-pathspecs", "log", "--first-parent", "--follow", f"--max-count={_MOST}", "--diff-filter=AMR",
            "--format=%x01%H", "--name-only", "-z", "--", file,
        )  # fmt: skip
        texts = [
            ask(git, "cat-file", "blob", f"{commit}:{path}").encode(errors="surrogateescape")
            for commit, path in _entries(log)
        ]
    except GitCommandNotFound:
        return Versions(texts=(now,), missing="git is not installed")
    except GitCommandError as problem:
        return Versions(texts=(now,), missing=reason(str(problem.stderr), root)[0])
    missing = "the history is shallow" if shallow else None
    if len(texts) == _MOST:
        missing = f"only the last {_MOST} commits of a file are looked at"
    return Versions(texts=(*reversed(texts), now), missing=missing)


def _entries(log: str) -> list[tuple[str, str]]:
    """Return commit and path of each entry; the path is from the top of the repository and may have changed."""
    entries = []
    for entry in log.split("\x01")[1:]:
        commit, *paths = [part.strip("\n") for part in entry.split("\0") if part.strip("\n")]
        if paths:
            entries.append((commit, paths[-1]))
    return entries
