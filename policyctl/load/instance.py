"""A tree of texts to the JSON value that its schema is asked about: the field decides the type, not the scalar."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from policyctl.load.surprises import is_null, surprise
from policyctl.load.values import Hole, ListNode, MapNode, Node, Path, Scalar

__all__ = ["Instance", "instance"]

_DIGITS = 400
_READ_EXACTLY = frozenset({"duration", "length", "instant", "share", "rate", "weight", "overdraft"})


@dataclass(slots=True)
class Instance:
    """The value to validate; at `holes` and below nothing is to be said, at `odd` stand surprising plain texts."""

    value: Any = None
    holes: set[Path] = field(default_factory=set)
    odd: list[Path] = field(default_factory=list)


def instance(root: Node, schema: Mapping[str, Any]) -> Instance:
    """Build the value of a document for its schema, whose references are already replaced."""
    made = Instance()
    made.value = _value(root, schema, (), made)
    return made


def _value(node: Node, schema: Mapping[str, Any], path: Path, made: Instance) -> Any:
    match node:
        case Scalar():
            return _scalar(node, schema, path, made)
        case MapNode(entries=entries):
            fields = schema.get("properties", {})
            others = schema.get("additionalProperties")
            rest = others if isinstance(others, dict) else {}
            return {
                key: _value(entry.value, fields.get(key, rest), (*path, key), made)
                for key, entry in entries.items()
            }
        case ListNode(items=items):
            inner = schema.get("items", {})
            return [_value(item, inner, (*path, index), made) for index, item in enumerate(items)]
        case Hole():
            made.holes.add(path)
            return None


def _scalar(node: Scalar, schema: Mapping[str, Any], path: Path, made: Instance) -> Any:
    text, types = node.text, schema.get("type", ())
    if not node.plain:
        return text
    if is_null(text):
        return None
    if types == "integer":
        return int(text) if _is_integer(text) else text
    if types == "boolean":
        return {"true": True, "false": False}.get(text, text)
    exactly = schema.get("format", "").removeprefix("policyctl-") in _READ_EXACTLY
    if "string" in types and "enum" not in schema and not exactly:
        truth = text in ("true", "false") and "boolean" in types
        if not truth and surprise(text):
            made.odd.append(path)
    return text


def _is_integer(text: str) -> bool:
    digits = text.removeprefix("-")
    return (
        digits.isascii()
        and digits.isdigit()
        and len(digits) <= _DIGITS
        and (digits == "0" or digits[0] != "0")
    )
