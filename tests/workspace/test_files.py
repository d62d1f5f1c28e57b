"""One file in, unpacked and capped, or out, whole or not at all."""

from __future__ import annotations

import gzip
import io
import os
import sys
from pathlib import Path

import pytest

from policyctl.errors import NoAnswer
from policyctl.workspace.files import TooLarge, read_bytes, write_beside

TEXT = b"one line\n" * 1000


def names(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (TEXT, TEXT),
        (b"", b""),
        (b"\x1f", b"\x1f"),
        (gzip.compress(TEXT, mtime=0), TEXT),
        (gzip.compress(b"", mtime=0), b""),
        (gzip.compress(TEXT, mtime=0) + gzip.compress(b"more", mtime=0), TEXT + b"more"),
        (gzip.compress(TEXT, mtime=0) + bytes(512), TEXT),
        (gzip.compress(b"\x1f\x8b", mtime=0), b"\x1f\x8b"),
    ],
    ids=["plain", "empty", "half a magic number", "gzip", "empty gzip", "two members", "padded", "gzip once"],
)
def test_plain_and_packed_files_read_alike(tmp_path: Path, content: bytes, expected: bytes) -> None:
    (tmp_path / "log").write_bytes(content)
    assert read_bytes(str(tmp_path / "log")) == expected


@pytest.mark.parametrize("content", [TEXT, gzip.compress(TEXT, mtime=0)], ids=["plain", "gzip"])
def test_standard_input_reads_like_a_file(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    assert read_bytes("-") == TEXT


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (gzip.compress(TEXT, mtime=0)[:-9], "is cut off"),
        (gzip.compress(TEXT, mtime=0)[:1], None),
        (gzip.compress(TEXT, mtime=0)[:2], "is cut off"),
        (gzip.compress(TEXT, mtime=0)[:20] + b"\xff" * 20, "is damaged"),
        (gzip.compress(TEXT, mtime=0) + b"garbage", "is damaged"),
    ],
    ids=[
        "cut off",
        "one byte is plain text",
        "cut off after the magic number",
        "damaged inside",
        "garbage behind",
    ],
)
def test_gzip_that_cannot_be_unpacked(tmp_path: Path, content: bytes, message: str | None) -> None:
    (tmp_path / "log.gz").write_bytes(content)
    if message is None:
        assert read_bytes(str(tmp_path / "log.gz")) == content
        return
    with pytest.raises(NoAnswer, match=message):
        read_bytes(str(tmp_path / "log.gz"))


def test_the_cap_is_on_what_comes_out(tmp_path: Path) -> None:
    (tmp_path / "bomb").write_bytes(gzip.compress(bytes(50_000_000), 9))
    assert (tmp_path / "bomb").stat().st_size < 100_000
    with pytest.raises(TooLarge, match="more than 1,000,000 bytes"):
        read_bytes(str(tmp_path / "bomb"), most=1_000_000)


@pytest.mark.parametrize("content", [TEXT, gzip.compress(TEXT, mtime=0)], ids=["plain", "gzip"])
def test_the_cap_itself_still_fits(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "log").write_bytes(content)
    assert read_bytes(str(tmp_path / "log"), most=len(TEXT)) == TEXT
    with pytest.raises(TooLarge):
        read_bytes(str(tmp_path / "log"), most=len(TEXT) - 1)


@pytest.mark.parametrize("name", ["missing", ".", "a\0b"], ids=["missing", "folder", "no name"])
def test_what_cannot_be_read(tmp_path: Path, name: str) -> None:
    with pytest.raises(NoAnswer, match="cannot read"):
        read_bytes(f"{tmp_path}/{name}")


def test_writing_makes_a_file_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    write_beside(tmp_path / "new", TEXT)
    assert (tmp_path / "new").read_bytes() == TEXT
    assert names(tmp_path) == ["new"]


def test_writing_over_a_file_keeps_its_permissions(tmp_path: Path) -> None:
    (tmp_path / "old").write_bytes(b"old")
    (tmp_path / "old").chmod(0o640)
    write_beside(tmp_path / "old", TEXT)
    assert (tmp_path / "old").read_bytes() == TEXT
    assert (tmp_path / "old").stat().st_mode & 0o777 == 0o640


def test_a_new_file_follows_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_beside(tmp_path / "new", b"")
    finally:
        os.umask(before)
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o640


def test_writing_through_a_link_keeps_the_link(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "link").symlink_to("real")
    write_beside(tmp_path / "link", TEXT)
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == TEXT


def test_a_device_is_written_to_and_not_replaced() -> None:
    write_beside(Path("/dev/null"), TEXT)
    assert Path("/dev/null").is_char_device()


def test_a_failure_keeps_the_old_file_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    """The file size limit of the process stands in for a full disk."""
    (tmp_path / "old").write_bytes(b"old")
    child = os.fork()
    if child == 0:
        import resource  # noqa: PLC0415
        import signal  # noqa: PLC0415

        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
        try:
            write_beside(tmp_path / "old", TEXT)
        except NoAnswer as problem:
            os._exit(0 if "cannot write" in str(problem) else 2)
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert (tmp_path / "old").read_bytes() == b"old"
    assert names(tmp_path) == ["old"]


@pytest.mark.parametrize("name", ["missing/new", "."], ids=["no such folder", "a folder"])
def test_what_cannot_be_written(tmp_path: Path, name: str) -> None:
    with pytest.raises(NoAnswer, match="cannot write"):
        write_beside(tmp_path / name, b"")
    assert names(tmp_path) == []
