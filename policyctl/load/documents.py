"""One document of a policy: its tree, what it calls itself, and where each part of it stands."""

from __future__ import annotations

from dataclasses import dataclass

from policyctl.diagnostics import Place
from policyctl.load.values import Hole, ListNode, MapNode, Node, Path, Scalar, Span, at, path_text

__all__ = ["Document", "subject_of"]


def subject_of(root: Node) -> str:
    """Return how findings call the document of a tree: `Budget organization`, or less if it does not say."""
    parts = (at(root, ("kind",)), at(root, ("metadata", "name")))
    return " ".join(part.text for part in parts if isinstance(part, Scalar) and part.text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A document whose kind may still be unknown; `lines` are those of its whole file."""

    file: str
    lines: list[str]
    root: Node

    @property
    def kind(self) -> str:
        """What `kind` says; empty where it says nothing."""
        return self.text("kind")

    @property
    def name(self) -> str:
        """What `metadata.name` says; empty where it says nothing."""
        return self.text("metadata", "name")

    @property
    def subject(self) -> str:
        """How findings call the document: `Budget organization`."""
        return subject_of(self.root)

    def node(self, *path: str | int) -> Node | None:
        """Return the value at a path, or None."""
        return at(self.root, path)

    def text(self, *path: str | int) -> str:
        """Return the text of the scalar at a path; empty where there is none."""
        node = at(self.root, path)
        return node.text if isinstance(node, Scalar) else ""

    def place(self, *path: str | int) -> Place:
        """Return where a value stands: a scalar itself, else the key that leads to it."""
        node = at(self.root, path)
        if isinstance(node, Scalar | Hole) and (node.span.column, node.span.line) != (
            node.span.end_column,
            node.span.end_line,
        ):
            return self.located(node.span, path)
        return self.key_place(*path)

    def key_place(self, *path: str | int) -> Place:
        """Return where the last key of a path stands; for the item of a list its beginning, else the nearest above."""
        if not path:
            return self._beginning(self.root, path)
        parent = at(self.root, path[:-1])
        step = path[-1]
        if isinstance(parent, MapNode) and isinstance(step, str) and step in parent.entries:
            return self.located(parent.entries[step].key.span, path)
        if isinstance(parent, ListNode) and isinstance(step, int) and step < len(parent.items):
            return self._beginning(parent.items[step], path)
        return self.key_place(*path[:-1])

    def entry_place(self, *path: str | int) -> Place:
        """Return where a key and its value stand, as far as they share a line."""
        key, value = self.key_place(*path), at(self.root, path)
        if value is None or value.span.end_line != key.line:
            return key
        return Place(
            file=key.file,
            line=key.line,
            column=key.column,
            end_line=key.line,
            end_column=max(key.end_column, value.span.end_column),
            path=key.path,
        )

    def _beginning(self, node: Node, path: Path) -> Place:
        if isinstance(node, MapNode) and node.entries and not self._opens_with(node.span, "{"):
            first = next(iter(node.entries.values())).key.span
            return self.located(first, path)
        return self.located(node.span, path)

    def _opens_with(self, span: Span, char: str) -> bool:
        return (
            self.lines[span.line - 1][span.column - 1 :].startswith(char)
            if span.line <= len(self.lines)
            else False
        )

    def located(self, span: Span, path: Path = ()) -> Place:
        """Make a place of a span, cut at the end of its first line."""
        end = span.end_column
        if span.end_line != span.line:
            end = len(self.lines[span.line - 1]) + 1 if span.line <= len(self.lines) else span.column
        return Place(
            file=self.file,
            line=span.line,
            column=span.column,
            end_line=span.line,
            end_column=max(end, span.column + 1),
            path=path_text(path),
        )
