"""The documents of one YAML text: drives the scanner, and goes on behind a document that is broken."""

from __future__ import annotations

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
    lines = text.split("\n")
    composer = Composer(file, lines, room)
    start, unread = 0, 0
    while True:
        stop = _stretch(composer, start, loader)
        if stop is None:
            break
        unread += stop.broken
        following = _next_document(lines, max(stop.line, start + 1)) if stop.broken else stop.line
        if following is None or composer.full or unread >= limits.FINDINGS_PER_FILE:
            break
        start = following
    return Scanned(
        documents=tuple(composer.documents),
        findings=tuple(composer.findings),
        nodes=room - max(composer.room, 0),
        unread=unread,
        full=composer.full,
    )


@dataclass(frozen=True, slots=True)
class _Halt:
    """The line at which the scanner gave up, and whether it was in a document."""

    line: int
    broken: bool


def _stretch(composer: Composer, start: int, loader: Any) -> _Halt | None:
    """Read from a line until the end (None) or the first thing that the scanner cannot go on from."""
    composer.begin(start)
    try:
        for event in yaml.parse("\n".join(composer.lines[start:]), Loader=loader):
            composer.take(event)
    except Stop as stop:
        return _Halt(stop.line, broken=True)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = start + (mark.line if mark else 0)
        if composer.ended is not None and composer.ended < line and not composer.stack:
            # After `...` a document may begin without `---`; PyYAML's parsers do not know that.
            return _Halt(line, broken=False)
        seen = complaint(
            error,
            composer.lines[start:],
            bracket=composer.open_bracket(),
            quote=composer.long_quote(line - start),
        )
        composer.begin(start)
        composer.say(seen.code, seen.message, composer.spot(seen.line, seen.column), help=seen.help)
        return _Halt(line, broken=True)
    return None


def _next_document(lines: list[str], line: int) -> int | None:
    """Return the next line that begins a document, wherever it stands: `---` cannot be inside of one."""
    for number in range(line, len(lines)):
        if lines[number].startswith("---") and lines[number][3:4] in ("", " ", "\t"):
            return number
    return None
