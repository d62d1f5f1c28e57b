"""Several new files below a folder, all of them or none."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from policyctl.errors import UsageProblem
from policyctl.workspace.files import write_new

__all__ = ["new_files"]


@contextmanager
def new_files(folder: Path, files: Mapping[str, bytes]) -> Iterator[None]:
    """Write files that do not exist yet; where the block fails, take them and the folders made for them away again.

    Raises UsageProblem, before anything is written, where something is in the way, and NoAnswer where a file cannot be
    written.
    """
    _refuse_to_replace(folder, files)
    missing = _missing_folders(folder, files)
    written: list[Path] = []
    try:
        for name, content in files.items():
            write_new(folder / name, content)
            written.append(folder / name)
        yield
    except BaseException:
        for path in written:
            path.unlink(missing_ok=True)
        for path in reversed(missing):
            # What somebody else put there in the meantime stays.
            with contextlib.suppress(OSError):
                path.rmdir()
        raise


def _refuse_to_replace(folder: Path, files: Mapping[str, bytes]) -> None:
    there = [name for name in files if (folder / name).exists() or (folder / name).is_symlink()]
    if there:
        others = f" and {len(there) - 1} more" if there[1:] else ""
        raise UsageProblem(
            f"`{folder}` has `{there[0]}`{others} already", help="choose a new folder, or move it away"
        )
    for path in [folder, *_above(folder, files)]:
        if path.is_symlink() or (path.exists() and not path.is_dir()):
            raise UsageProblem(f"`{path}` is no folder", help="choose a new folder")


def _above(folder: Path, files: Mapping[str, bytes]) -> list[Path]:
    """Return every folder between `folder` and a file, outer ones first."""
    return sorted({folder / above for name in files for above in Path(name).parents} - {folder})


def _missing_folders(folder: Path, files: Mapping[str, bytes]) -> list[Path]:
    outer = [one for one in reversed([folder, *folder.parents]) if not one.exists()]
    return outer + [one for one in _above(folder, files) if not one.exists()]
