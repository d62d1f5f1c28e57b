"""Values with positions: what a YAML text says, before anything decides which type a scalar has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = [
    "Entry",
    "Hole",
    "ListNode",
    "MapNode",
    "Node",
    "Path",
    "Scalar",
    "Span",
    "Style",
    "at",
    "path_text",
]

Style = Literal["plain", "single", "double", "literal", "folded"]
Path = tuple[str | int, ...]
"""Keys and list indexes from the root of a document."""


@dataclass(frozen=True, slots=True)
class Span:
    """Lines and columns from 1; the end is exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, slots=True)
class Scalar:
    """The text of a scalar as YAML unfolds it; whether `10` is a number is for the schema to say."""

    text: str
    style: Style
    span: Span

    @property
    def plain(self) -> bool:
        """Say whether the scalar stands without quotes, where YAML readers differ about its type."""
        return self.style == "plain"


@dataclass(frozen=True, slots=True)
class Hole:
    """Where something was refused already: nothing more is said about this value."""

    span: Span


@dataclass(frozen=True, slots=True)
class Entry:
    """A key with its value."""

    key: Scalar
    value: Node


@dataclass(frozen=True, slots=True)
class MapNode:
    """A mapping with its keys in the order of the text; incomplete means that a key had to be dropped."""

    entries: dict[str, Entry]
    span: Span
    incomplete: bool = False


@dataclass(frozen=True, slots=True)
class ListNode:
    """A sequence."""

    items: tuple[Node, ...]
    span: Span


Node = Scalar | MapNode | ListNode | Hole


def at(root: Node, path: Path) -> Node | None:
    """Return the value at a path, or None where the text has none."""
    node: Node | None = root
    for step in path:
        match node:
            case MapNode(entries=entries) if isinstance(step, str):
                entry = entries.get(step)
                node = entry.value if entry else None
            case ListNode(items=items) if isinstance(step, int) and step < len(items):
                node = items[step]
            case _:
                return None
    return node


def path_text(path: Path) -> str:
    """Write a path as people read it: `spec.rules[0].when`."""
    parts: list[str] = []
    for step in path:
        if isinstance(step, int):
            parts.append(f"[{step}]")
        elif not step or set(step) & set('.[]"'):
            parts.append(f'["{step}"]')
        else:
            parts.append(f".{step}" if parts else step)
    return "".join(parts)
