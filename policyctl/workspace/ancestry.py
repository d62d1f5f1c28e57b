"""Where two commits of a repository left each other."""

from __future__ import annotations

from policyctl.workspace.history import ask
from policyctl.workspace.revisions import Repository

__all__ = ["common_ancestor"]


def common_ancestor(found: Repository, one: str, other: str) -> str | None:
    """Return the best common ancestor of two known commits; None where there is none in this clone."""
    # Importing GitPython takes longer than most commands.
    from git.exc import GitCommandError  # noqa: PLC0415

    try:
        return ask(found.git, "merge-base", one, other).split()[0]
    except GitCommandError:
        return None
