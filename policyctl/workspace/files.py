"""One file in, whole and unpacked, or out, whole or not at all."""

from __future__ import annotations

import contextlib
import os
import stat
import sys
import zlib
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import BinaryIO

from policyctl.errors import NoAnswer, UsageProblem

__all__ = ["MOST_BYTES", "TooLarge", "read_bytes", "write_beside", "write_new"]

MOST_BYTES = 2 * 1024**3
"""The largest input that is read, in bytes after unpacking."""
_CHUNK = 1 << 20
_GZIP = b"\x1f\x8b"


class TooLarge(NoAnswer):
    """The input has more bytes than its reader takes."""


def read_bytes(source: str, *, most: int = MOST_BYTES) -> bytes:
    """Return the content of a file, or of standard input for `-`; gzip is unpacked, however the file is called.

    Raises TooLarge once more than `most` bytes came out, and NoAnswer for what cannot be read or unpacked.
    """
    shown = "standard input" if source == "-" else f"`{source}`"
    try:
        if source == "-":
            return _unpacked(sys.stdin.buffer, most, shown)
        with Path(source).open("rb") as file:
            return _unpacked(file, most, shown)
    except OSError as problem:
        raise NoAnswer(f"cannot read {shown}: {problem.strerror}") from None
    except ValueError:
        raise NoAnswer(f"cannot read {source!a}: not a file name") from None


def _unpacked(file: BinaryIO, most: int, shown: str) -> bytes:
    start = file.read(len(_GZIP))
    chunks = iter(lambda: file.read(_CHUNK), b"")
    if start == _GZIP:
        return _within(_gunzipped(chain([start], chunks), most, shown), most, shown)
    return _within(chain([start], chunks), most, shown)


def _within(chunks: Iterable[bytes], most: int, shown: str) -> bytes:
    kept = []
    size = 0
    for chunk in chunks:
        kept.append(chunk)
        size += len(chunk)
        if size > most:
            raise TooLarge(f"{shown} has more than {most:,} bytes")
    return b"".join(kept)


def _gunzipped(chunks: Iterable[bytes], most: int, shown: str) -> Iterator[bytes]:
    """Unpack all members in pieces, so that no more is ever held than the caller takes."""
    member = zlib.decompressobj(wbits=31)
    try:
        for chunk in chunks:
            packed = chunk
            while packed:
                if member.eof:
                    # Tools that write whole blocks pad with zeros between and after members.
                    if not (packed := packed.lstrip(b"\0")):
                        break
                    member = zlib.decompressobj(wbits=31)
                yield member.decompress(packed, min(most + 1, _CHUNK))
                packed = member.unused_data if member.eof else member.unconsumed_tail
    except zlib.error:
        raise NoAnswer(f"{shown} is damaged: its gzip data cannot be unpacked") from None
    if not member.eof:
        raise NoAnswer(f"{shown} is cut off: its gzip data has no end")


def write_beside(path: Path, content: bytes) -> None:
    """Put `content` at `path` in one step: whoever reads it sees the old file or the whole new one.

    A file that exists keeps its permissions, and stays as it is when anything fails; what is not a plain file (a
    pipe, `/dev/null`) is written to. Raises NoAnswer where the content cannot be written.
    """
    target = path.resolve()
    try:
        mode = target.stat().st_mode if target.exists() else None
        if mode is not None and not stat.S_ISREG(mode):
            target.write_bytes(content)
        else:
            _replace(target, content, mode)
    except OSError as problem:
        raise NoAnswer(f"cannot write `{path}`: {problem.strerror}") from None


def _replace(target: Path, content: bytes, mode: int | None) -> None:
    beside = target.with_name(f".{target.name}.{os.getpid()}.new")
    try:
        handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        with os.fdopen(handle, "wb") as file:
            if mode is not None:
                os.fchmod(handle, stat.S_IMODE(mode))
            file.write(content)
            file.flush()
            os.fsync(handle)
        beside.replace(target)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            beside.unlink()
        raise
    folder = os.open(target.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def write_new(path: Path, content: bytes) -> None:
    """Put `content` at a path where nothing is yet, in one step: the file is there whole, or not at all.

    Folders above it are made. Raises UsageProblem where anything is at the path, also a link that leads nowhere, and
    NoAnswer where the content cannot be written.
    """
    beside = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o666)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(handle)
            _link(beside, path)
        finally:
            beside.unlink()
    except OSError as problem:
        raise NoAnswer(f"cannot write `{path}`: {problem.strerror}") from None


def _link(beside: Path, path: Path) -> None:
    # Unlike a rename, a link never replaces what somebody else put there in the meantime.
    try:
        os.link(beside, path)
    except FileExistsError:
        raise UsageProblem(
            f"there is something at `{path}` already", help="choose another name, or remove it first"
        ) from None
