"""The policy files below a folder, as bytes by their path, or no answer where what is read could be doubted.

Every `*.yaml` and `*.yml` counts, except names that start with a dot and whatever lies below such folders. Symbolic
links and repositories inside are refused: a reviewer of the repository would not see what they hold.
"""

from __future__ import annotations

import os
import stat
import unicodedata
from collections.abc import Iterator
from pathlib import Path

from policyctl.errors import NoAnswer

__all__ = ["MOST_TOTAL", "check_names", "read_tree"]

MOST_TOTAL = 32 * 1024 * 1024
"""The most bytes that all policy files have together."""
_DEEPEST = 32


def read_tree(root: Path) -> dict[str, bytes]:
    """Return the content of each policy file by its path relative to `root`, with `/`, in the order of the paths.

    Raises NoAnswer for a folder that cannot be read, a symbolic link, a submodule, something that is no plain file, two
    names that are one on some file systems, a name that is not printable text, and more than 32 MiB together.
    """
    if not root.is_dir():
        raise NoAnswer(f"there is no folder `{root}`", help="say where the policy is, or run where it lies")
    names = sorted(_names(root, "", 0))
    check_names(names)
    files: dict[str, bytes] = {}
    room = MOST_TOTAL
    for name in names:
        files[name] = _content(root, name, room)
        room -= len(files[name])
    return files


def _names(root: Path, folder: str, depth: int) -> Iterator[str]:
    if depth > _DEEPEST:
        raise NoAnswer(f"the folder `{folder}` lies more than {_DEEPEST} folders deep")
    for name, is_folder, is_link in _entries(root / folder):
        path = f"{folder}{name}"
        wanted = name.endswith((".yaml", ".yml"))
        if is_link and (wanted or is_folder):
            raise NoAnswer(f"`{_shown(path)}` is a symbolic link", help="put the file itself into the folder")
        if is_folder and (root / path / ".git").exists():
            raise NoAnswer(
                f"`{_shown(path)}` is a repository of its own",
                help="put the files themselves into the folder",
            )
        if is_folder:
            yield from _names(root, f"{path}/", depth + 1)
        elif wanted:
            yield path


def _entries(folder: Path) -> list[tuple[str, bool, bool]]:
    """Return name, whether it leads to a folder, and whether it is a link, of all that is not hidden."""
    try:
        with os.scandir(folder) as found:
            return [
                (one.name, one.is_dir(), one.is_symlink()) for one in found if not one.name.startswith(".")
            ]
    except OSError as problem:
        raise NoAnswer(f"cannot read the folder `{_shown(str(folder))}`: {problem.strerror}") from None


def check_names(names: list[str]) -> None:
    """Raise NoAnswer for a name that is not printable text, and for two that are one on some file systems."""
    seen: dict[str, str] = {}
    for name in names:
        if not name.isprintable():
            raise NoAnswer(f"the file name {name!a} is not printable text", help="rename the file")
        folded = unicodedata.normalize("NFC", name.casefold())
        if folded in seen:
            raise NoAnswer(
                f"`{seen[folded]}` and `{name}` are one file where upper and lower case are the same",
                help="rename one of them",
            )
        seen[folded] = name


def _content(root: Path, name: str, room: int) -> bytes:
    try:
        # A pipe or a device would make the reader wait; the flag keeps opening it from waiting as well.
        handle = os.open(root / name, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
        with os.fdopen(handle, "rb") as file:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise NoAnswer(f"`{name}` is not a plain file")
            content = file.read(room + 1)
    except OSError as problem:
        raise NoAnswer(f"cannot read `{root / name}`: {problem.strerror}") from None
    if len(content) > room:
        raise NoAnswer(
            f"the policy files have more than {MOST_TOTAL // 1024**2} MiB together", help="is this a policy?"
        )
    return content


def _shown(text: str) -> str:
    return text if text.isprintable() else ascii(text)
