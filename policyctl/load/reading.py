"""Reading the fields of a document that its schema accepted: after this, nothing is text that could be something else."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from policyctl.diagnostics import Place
from policyctl.load.documents import Document
from policyctl.load.surprises import is_plain_number
from policyctl.load.values import ListNode, MapNode, Node, Path, Scalar

__all__ = ["Reader"]

Read = TypeVar("Read")
Default = TypeVar("Default")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """The mapping at one path of a validated document; asking for a field that the schema requires always answers."""

    document: Document
    path: Path

    def has(self, key: str) -> bool:
        """Say whether the field is there."""
        return self.document.node(*self.path, key) is not None

    def text(self, key: str) -> str:
        """Return the text of a required scalar."""
        return self.document.text(*self.path, key)

    def maybe(self, key: str, read: Callable[[str], Read], default: Default) -> Read | Default:
        """Read an optional scalar, or return what holds without it."""
        return read(self.text(key)) if self.has(key) else default

    def inside(self, *keys: str | int) -> Reader:
        """Return the reader of a mapping below; an absent one has no fields."""
        return Reader(document=self.document, path=(*self.path, *keys))

    def names(self) -> tuple[str, ...]:
        """Return the keys of this mapping, sorted: their order means nothing."""
        node = self.document.node(*self.path)
        return tuple(sorted(node.entries)) if isinstance(node, MapNode) else ()

    def rows(self, key: str) -> Iterator[Reader]:
        """Yield a reader for each mapping of a list, in order; none if the list is absent."""
        node = self.document.node(*self.path, key)
        for index in range(len(node.items) if isinstance(node, ListNode) else 0):
            yield self.inside(key, index)

    def texts(self, key: str) -> tuple[str, ...]:
        """Return the scalars of a list, in order."""
        node = self.document.node(*self.path, key)
        items = node.items if isinstance(node, ListNode) else ()
        return tuple(item.text for item in items if isinstance(item, Scalar))

    def place(self, *keys: str | int) -> Place:
        """Return where this mapping, or something in it, is written."""
        return self.document.place(*self.path, *keys)

    def entry_place(self, *keys: str | int) -> Place:
        """Return where a key with its value is written."""
        return self.document.entry_place(*self.path, *keys)

    def places(self, *, without: str = "", lists: Collection[str] = ()) -> dict[str, Place]:
        """Return where each field below is written, by its path from here: `owner`, `effective.until`.

        The content of the field `without` is left out; its parts carry places of their own. Items of `lists` are
        counted from 0: `approvals.0.when`.
        """
        return dict(self._places(self.path, "", without, lists))

    def _places(
        self, path: Path, name: str, without: str, lists: Collection[str]
    ) -> Iterator[tuple[str, Place]]:
        node = self.document.node(*path)
        steps: Iterable[str | int] = ()
        if isinstance(node, MapNode):
            steps = node.entries
        elif isinstance(node, ListNode) and name.partition(".")[0] in lists:
            steps = range(len(node.items))
        for step in steps:
            below = f"{name}.{step}" if name else str(step)
            yield below, self.document.place(*path, step)
            if below != without:
                yield from self._places((*path, step), below, without, lists)

    def data(self, key: str) -> tuple[Any, ...]:
        """Return a list as plain JSON data, for rules that are kept as they are written."""
        node = self.document.node(*self.path, key)
        return tuple(_plain(item) for item in node.items) if isinstance(node, ListNode) else ()


def _plain(node: Node) -> Any:
    match node:
        case MapNode(entries=entries):
            return {key: _plain(entries[key].value) for key in sorted(entries)}
        case ListNode(items=items):
            return [_plain(item) for item in items]
        case Scalar(text=text, plain=True) if is_plain_number(text) and "." not in text:
            return int(text)
        case Scalar(text=text):
            return text
        case _:
            raise AssertionError("a refused value in a document without findings")
