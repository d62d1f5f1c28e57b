"""The documents of one YAML text: drives the scanner, and goes on behind a document that is broken."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import yaml

from policyctl.diagnostics import Finding
from policyctl.load import limits
from policyctl.load.compose import Composer, Stop
from policyctl.load.syntax import complaint
from policyctl.load.values import Node

__all__ = ["FAST", "Scanned", "scan"]

FAST: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The C scanner where PyYAML was built with it, else the Python one; both give the same values and findings."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scanned:
    """The documents of one file that could be read to their end; `unread` counts the others.

    `full` means that the nodes are used up, here or before.
    """

    documents: tuple[Node, ...]
    findings: tuple[Finding, ...]
    nodes: int
    unread: int
    full: bool


def scan(file: str, text: str, *, room: int = limits.NODES, loader: Any = FAST) -> Scanned:
    """Read all documents of a text, at most `room` nodes of them; a broken one does not hide the others."""
    composer = Composer(file, text.split("\n"), room)
    unread = 0
    for begin, end in _streams(composer.lines):
        start: int | None = begin
        while start is not None and not composer.full and unread < limits.FINDINGS_PER_FILE:
            broken_at = _stretch(composer, start, end, loader)
            unread += broken_at is not None
            start = (
                None if broken_at is None else _next_document(composer.lines, max(broken_at, start + 1), end)
            )
    return Scanned(
        documents=tuple(composer.documents),
        findings=tuple(composer.findings),
        nodes=room - max(composer.room, 0),
        unread=unread,
        full=composer.full,
    )


def _streams(lines: list[str]) -> Iterator[tuple[int, int]]:
    """Yield the lines from one `...` to the next: behind it a document may begin without `---`.

    PyYAML's parsers do not know that, and would leave such a document out or refuse it.
    """
    start = 0
    for number, line in enumerate(lines, start=1):
        if _marks(line, "...") or number == len(lines):
            yield start, number
            start = number


def _marks(line: str, mark: str) -> bool:
    """Say whether a line is a mark between documents; no scalar can contain it at the beginning of a line."""
    return line.startswith(mark) and line[3:4] in ("", " ", "\t")


def _stretch(composer: Composer, start: int, end: int, loader: Any) -> int | None:
    """Read lines until their end (None), or until the line at which a document turns out to be broken."""
    composer.begin(start)
    lines = composer.lines[start:end]
    try:
        for event in yaml.parse("\n".join(lines), Loader=loader):
            composer.take(event)
    except Stop as stop:
        return stop.line
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line: int = mark.line if mark else 0
        seen = complaint(error, lines, bracket=composer.open_bracket(), quote=composer.long_quote(line))
        composer.begin(start)
        composer.say(seen.code, seen.message, composer.spot(seen.line, seen.column), help=seen.help)
        return start + line
    return None


def _next_document(lines: list[str], start: int, end: int) -> int | None:
    """Return the next line that begins a document, whatever is open before it."""
    return next((number for number in range(start, end) if _marks(lines[number], "---")), None)
