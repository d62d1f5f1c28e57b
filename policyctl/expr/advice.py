"""What to write instead: the help sentences for constructs outside of the profile and for types that do not match."""

from __future__ import annotations

from policyctl.expr.scope import Type
from policyctl.expr.signatures import COMPARISONS
from policyctl.expr.syntax import Syntax

__all__ = ["UNSUPPORTED_FUNCTIONS", "UNSUPPORTED_VALUES", "binary_help"]

_MACRO = "a rule sees one job, not lists: write the cases out with `||` and `&&`"
_CONVERSION = "write the value in the type it is compared with: `2.0`, `duration('4h')`"
_CASE = "ignore case in a pattern: `job.user.matches('(?i)^name$')`"
_TEXT = "use `startsWith`, `endsWith`, `contains` or `matches`"

UNSUPPORTED_FUNCTIONS = {
    "all": _MACRO,
    "exists": _MACRO,
    "exists_one": _MACRO,
    "existsOne": _MACRO,
    "filter": _MACRO,
    "map": _MACRO,
    "bool": _CONVERSION,
    "bytes": _CONVERSION,
    "double": _CONVERSION,
    "dyn": _CONVERSION,
    "int": _CONVERSION,
    "string": _CONVERSION,
    "type": _CONVERSION,
    "uint": _CONVERSION,
    "lowerAscii": _CASE,
    "upperAscii": _CASE,
    "charAt": _TEXT,
    "indexOf": _TEXT,
    "join": _TEXT,
    "lastIndexOf": _TEXT,
    "replace": _TEXT,
    "split": _TEXT,
    "substring": _TEXT,
    "trim": _TEXT,
    "getMilliseconds": "policyctl counts whole seconds: use `getSeconds()`",
}
"""Functions of CEL or of its common extensions that rules do not have."""

UNSUPPORTED_VALUES = {
    "null": ("`null`", "ask whether a field is there: `has(job.time_limit)`"),
    "uint": ("an unsigned number", "write it without `u`"),
    "bytes": ("a bytes literal", "write it without `b`"),
    "list": ("a list outside of `in`", "lists stand on the right of `in`: `job.kind in ['batch']`"),
    "map": ("a map literal", "compare labels one by one: `job.labels.tier == 'gold'`"),
    "object": ("a message literal", "use fields and literals"),
}
"""Values of CEL that rules do not have: what to call them, and what to write."""


def binary_help(node: Syntax, left: Type, right: Type) -> str | None:
    """Say what to write where `left op right` does not go together."""
    first, second = node.parts[0], node.parts[1]
    if node.op in COMPARISONS and first.op in COMPARISONS:
        return "compare twice: `a < b && b < c`"
    if node.op in {"*", "/"} and Type.DURATION in {left, right}:
        return "write the product as a duration: `duration('8h')`"
    for operand, seen, other in ((first, left, right), (second, right, left)):
        if help_text := _literal_help(operand, seen, other):
            return help_text
    if {left, right} == {Type.INT, Type.DOUBLE}:
        return (
            "`%` takes whole numbers" if node.op == "%" else "CEL does not mix int and double in arithmetic"
        )
    if node.op == "+" and left is right is Type.STRING:
        return "rules join no texts: use `startsWith`, `endsWith`, `contains` or `matches`"
    return None


def _literal_help(operand: Syntax, seen: Type, other: Type) -> str | None:
    match operand.op, seen, other:
        case "int", Type.INT, Type.DOUBLE:
            return None if "x" in operand.text else f"write `{operand.text}.0`"
        case "int", Type.INT, Type.DURATION:
            return f"write it as a duration: `duration('{operand.text}s')`"
        case "string", Type.STRING, Type.DURATION | Type.TIMESTAMP:
            return f"write `{other}({operand.text})`"
        case "string", Type.STRING, Type.INT | Type.DOUBLE | Type.BOOL:
            return "write it without quotes"
        case "int" | "double" | "bool", _, Type.STRING:
            return f"write it in quotes: `'{operand.text}'`"
        case _:
            return None
