"""The provenance of policy files: the commit they stand in and whether they differ from it.

Git is only ever asked: no lock is taken, no index refreshed, no configuration written, no hook run.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

from policyctl.bundle.provenance import Provenance, digests

if TYPE_CHECKING:
    from git import Git

__all__ = ["Origin", "ask", "provenance", "reason"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """A provenance, and where it names no commit, why not."""

    provenance: Provenance
    no_commit: str | None = None
    help: str | None = None


def provenance(root: Path, files: Mapping[str, bytes]) -> Origin:
    """Return where the files below `root` come from; never fails for want of git or of a repository.

    `dirty` is restricted to the policy files: changed, staged, added without being committed, ignored, or deleted.
    """
    sources = digests(files)
    try:
        # Importing GitPython takes longer than most commands, and fails where git is not installed.
        from git import Git  # noqa: PLC0415
        from git.exc import GitCommandError, GitCommandNotFound  # noqa: PLC0415
    except ImportError:
        return Origin(provenance=Provenance(sources=sources), no_commit="git is not installed")
    git = Git(str(root.resolve()))
    git.update_environment(GIT_OPTIONAL_LOCKS="0")
    try:
        commit = ask(git, "rev-parse", "--verify", "--end-of-options", "HEAD^{commit}").strip()
        known = Provenance(commit=commit, dirty=_dirty(git), sources=sources)
    except GitCommandNotFound:
        return Origin(provenance=Provenance(sources=sources), no_commit="git is not installed")
    except GitCommandError as problem:
        why, way_out = reason(str(problem.stderr), root)
        return Origin(provenance=Provenance(sources=sources), no_commit=why, help=way_out)
    return Origin(provenance=known)


def ask(git: Git, *arguments: str) -> str:
    """Return what git says, running nothing that the repository's own configuration names."""
    # Both settings would let the repository's own configuration start a program.
    command = ["git", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", *arguments]
    return str(git.execute(command, strip_newline_in_stdout=False, stdout_as_string=True))


def _dirty(git: Git) -> bool:
    status = ask(
        git,
        "status",
        "--porcelain=v1",
        "-z",
        "--no-renames",
        "--untracked-files=all",
        "--ignored=traditional",
        "--ignore-submodules=all",
        "--",
        ".",
    )
    # Status names paths from the top of the repository, which may itself lie in a hidden folder.
    above = ask(git, "rev-parse", "--show-prefix").removesuffix("\n")
    return any(_policy_file(entry[3:].removeprefix(above)) for entry in status.split("\0") if entry)


def _policy_file(path: str) -> bool:
    return path.endswith((".yaml", ".yml")) and not any(part.startswith(".") for part in path.split("/"))


def reason(stderr: str, root: Path) -> tuple[str, str | None]:
    """Return why git gave no answer, and the way out where there is one."""
    if "dubious ownership" in stderr:
        owner = re.search(r"safe\.directory (.+)", stderr)
        folder = owner[1].strip().strip("'") if owner else str(root.resolve())
        return (
            "git does not trust the owner of the repository",
            f"if you do: git config --global --add safe.directory {quote(folder)}",
        )
    if "not a git repository" in stderr:
        return "the folder is not in a git repository", None
    if "Needed a single revision" in stderr:
        return "the repository has no commit yet", None
    said = re.search(r"(?:fatal|error): ([^\n']+)", stderr)
    return f"git says: {said[1] if said else 'nothing'}", None
