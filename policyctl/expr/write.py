"""The text of a lowered tree, as CEL, for messages about one part of a rule."""

from __future__ import annotations

from collections.abc import Callable

from policyctl.expr.signatures import ARITHMETIC, COMPARISONS
from policyctl.expr.trees import Tree
from policyctl.units import format_instant

__all__ = ["expression_text"]


def expression_text(tree: Tree) -> str:
    """Write a lowered tree as CEL that means the same, with a bracket more rather than less."""
    op, *parts = tree
    if op in _LEAVES:
        return _LEAVES[op](*parts)
    if op in {"&&", "||"} or op in COMPARISONS or op in ARITHMETIC:
        return f" {op} ".join(_operand(part) for part in parts)
    return _FORMS[op](*parts) if op in _FORMS else _method(op, *parts)


def _method(op: str, target: Tree, *arguments: Tree | str) -> str:
    written = [_quoted(one) if isinstance(one, str) else expression_text(one) for one in arguments]
    return f"{_operand(target)}.{op}({', '.join(written)})"


def _choice(condition: Tree, left: Tree, right: Tree) -> str:
    return f"{_operand(condition)} ? {_operand(left)} : {_operand(right)}"


def _membership(needle: Tree, *items: Tree) -> str:
    return f"{_operand(needle)} in [{', '.join(expression_text(item) for item in items)}]"


def _operand(tree: Tree) -> str:
    text = expression_text(tree)
    simple = tree[0] in _LEAVES.keys() | {"label", "size"}
    return text if simple and not text.startswith("-") else f"({text})"


def _quoted(text: str) -> str:
    escaped = "".join(_escape(char) for char in text)
    return f'"{escaped}"'


def _escape(char: str) -> str:
    if char in {'"', "\\"}:
        return f"\\{char}"
    if char.isprintable():
        return char
    return f"\\u{ord(char):04x}" if ord(char) < 0x10000 else f"\\U{ord(char):08x}"


_LEAVES: dict[str, Callable[..., str]] = {
    "bool": lambda value: "true" if value else "false",
    "int": str,
    "double": str,
    "string": _quoted,
    "duration": lambda value: f'duration("{value}s")',
    "timestamp": lambda value: f'timestamp("{format_instant(value)}")',
    "field": lambda root, name: f"{root}.{name}",
    "name": str,
    "has": lambda root, name: f"has({root}.{name})",
}
_FORMS: dict[str, Callable[..., str]] = {
    "label": lambda labels, key: f"{expression_text(labels)}[{expression_text(key)}]",
    "has_label": lambda labels, key: f"{_operand(key)} in {expression_text(labels)}",
    "!": lambda operand: f"!{_operand(operand)}",
    "neg": lambda operand: f"-({expression_text(operand)})",
    "?:": _choice,
    "in": _membership,
    "size": lambda operand: f"size({expression_text(operand)})",
}
