"""A change of a document laid over it: mappings field by field, everything else as a whole, `null` takes away.

What stays of the document is taken to stand where the change is written, so that all places lie in the file of the test.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from policyctl.load.surprises import is_null
from policyctl.load.values import Entry, ListNode, MapNode, Node, Scalar, Span

__all__ = ["merged", "moved_entry", "never_there", "takes_away"]


def takes_away(node: Node | None) -> bool:
    """Say whether a value is `null`, which takes away what stands there."""
    return isinstance(node, Scalar) and node.plain and is_null(node.text)


def merged(before: Node | None, patch: Node) -> Node:
    """Lay a change over a value; None where there is none yet."""
    if not isinstance(patch, MapNode):
        return patch
    entries = dict(before.entries) if isinstance(before, MapNode) else {}
    for key, entry in patch.entries.items():
        if takes_away(entry.value):
            entries.pop(key, None)
        else:
            below = entries.get(key)
            old = None if below is None else moved(below.value, entry.key.span)
            entries[key] = Entry(entry.key, merged(old, entry.value))
    return MapNode(entries, patch.span, patch.incomplete)


def never_there(before: Node | None, patch: MapNode) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Yield the path of each field that is taken away and was never there, and the fields that are."""
    levels: list[tuple[tuple[str, ...], MapNode, Node | None]] = [((), patch, before)]
    while levels:
        path, written, old = levels.pop()
        known = old.entries if isinstance(old, MapNode) else {}
        for field, entry in written.entries.items():
            if takes_away(entry.value) and field not in known:
                yield (*path, field), tuple(known)
            elif isinstance(entry.value, MapNode):
                levels.append(((*path, field), entry.value, known[field].value if field in known else None))


def moved_entry(entry: Entry, here: Span) -> Entry:
    """Return a key and its value as if they were written here."""
    return Entry(replace(entry.key, span=here), moved(entry.value, here))


def moved(node: Node, here: Span) -> Node:
    """Return a value as if all of it were written here."""
    match node:
        case MapNode(entries=entries):
            there = {key: moved_entry(entry, here) for key, entry in entries.items()}
            return replace(node, entries=there, span=here)
        case ListNode(items=items):
            return ListNode(tuple(moved(item, here) for item in items), here)
        case _:
            return replace(node, span=here)
