"""A value with positions to the plain value that a JSON file would have held, so that one reader serves both."""

from __future__ import annotations

import re

from policyctl.adapters.json_records import JsonRecords
from policyctl.adapters.json_text import NumberText
from policyctl.adapters.printable import printable
from policyctl.catalogue import finding
from policyctl.diagnostics import Finding, ordered
from policyctl.load.documents import Document
from policyctl.load.surprises import is_null
from policyctl.load.values import Hole, ListNode, MapNode, Node, Path, Scalar

__all__ = ["placed_in_document", "plain_value"]

_WHOLE = re.compile(r"-?(0|[1-9]\d{0,17})", re.ASCII)
_NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?", re.ASCII)
_STEP = re.compile(r"\[(\d+)\]|([^.\[]+)")


def plain_value(node: Node) -> object:
    """Return what JSON would say: plain numbers and `true` are what they look like, everything else is text."""
    match node:
        case MapNode(entries=entries):
            return {key: plain_value(entry.value) for key, entry in entries.items()}
        case ListNode(items=items):
            return [plain_value(item) for item in items]
        case Scalar():
            return _scalar(node)
        case Hole():
            return None


def _scalar(node: Scalar) -> object:
    text = node.text
    if not node.plain:
        return text
    if is_null(text):
        return None
    if text in ("true", "false"):
        return text == "true"
    if _WHOLE.fullmatch(text):
        return int(text)
    return NumberText(text) if _NUMBER.fullmatch(text) else text


def placed_in_document(records: JsonRecords, document: Document, at: Path) -> tuple[Finding, ...]:
    """Give every problem its place in a YAML document, where the records stand below the path `at`."""
    return ordered(
        finding(
            one.code,
            printable(one.message),
            document.place(*at, *_steps(one.path)),
            help=None if one.help is None else printable(one.help),
            subject=document.subject,
        )
        for one in records.problems
    )


def _steps(path: str) -> Path:
    return tuple(int(number) if number else word for number, word in _STEP.findall(path))
