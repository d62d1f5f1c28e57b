"""The name of a folder within its repository, found without asking git."""

from __future__ import annotations

from pathlib import Path

__all__ = ["path_in_repository"]


def path_in_repository(folder: Path) -> str:
    """Return the path of a folder from the top of its repository, with `/`; the top itself is the empty text.

    Outside of a repository it is the path from the current folder, or empty where the folder is not below that.
    """
    here = folder.resolve()
    tops = [above for above in (here, *here.parents) if (above / ".git").exists()]
    top = tops[0] if tops else Path.cwd()
    path = here.relative_to(top).as_posix() if here.is_relative_to(top) else ""
    return "" if path == "." else path
