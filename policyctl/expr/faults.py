"""Why a condition has no answer for a row: a code and a sentence that names the part of the rule."""

from __future__ import annotations

from dataclasses import dataclass

from policyctl.expr.problems import quoted
from policyctl.expr.trees import Tree
from policyctl.expr.write import expression_text

__all__ = ["Fault", "describe"]

_SENTENCES = {
    "missing_field": "{} is absent",
    "overflow": "{} is out of range",
    "division_by_zero": "{} divides by zero",
    "not_finite": "{} is not a finite number",
    "bad_time": "{} is outside of the years 1 to 9999",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """A fault: `code` is one of missing_field, missing_label, overflow, division_by_zero, not_finite, bad_time."""

    code: str
    message: str


def describe(code: str, tree: Tree) -> Fault:
    """Describe a fault at the part of the rule where it arose."""
    if code == "missing_label":
        return Fault(code=code, message=_missing_label(tree))
    where = tree[1] if code == "bad_time" else tree
    return Fault(code=code, message=_SENTENCES[code].format(quoted(expression_text(where))))


def _missing_label(tree: Tree) -> str:
    _, labels, key = tree
    owner = quoted(expression_text(labels))
    if key[0] == "string":
        return f"{owner} has no label {quoted(key[1])}"
    return f"{owner} has no label of the name {quoted(expression_text(key))}"
