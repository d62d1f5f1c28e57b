"""Bytes of a log to its lines: nothing is lost to a broken character, and who had one is counted."""

from __future__ import annotations

from policyctl.adapters.log_notes import LogNotes

__all__ = ["decoded", "text_lines"]


def decoded(data: bytes, notes: LogNotes) -> str:
    """Decode UTF-8, with the replacement character for bytes that are not; notes the lines that have them."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        pass
    for line, raw in enumerate(data.split(b"\n"), start=1):
        try:
            raw.decode()
        except UnicodeDecodeError:
            notes.count(
                "L007",
                "lines with bytes that are not UTF-8, read with a replacement character: {lines}",
                number=line,
                line=line,
            )
    return data.decode("utf-8-sig", errors="replace")


def text_lines(text: str) -> list[str]:
    """Cut at line feeds only: names of jobs may hold the rarer characters at which `str.splitlines` also cuts."""
    lines = text.replace("\r\n", "\n").split("\n")
    return lines[:-1] if lines and not lines[-1] else lines
