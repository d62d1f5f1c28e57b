"""The CEL rules of a document: each `when` compiled in its scope, its problems at the place where they are written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from policyctl.catalogue import finding
from policyctl.diagnostics import Finding
from policyctl.expr.change_rule import check_change_rule
from policyctl.expr.change_scope import CHANGE_SHAPE, GATE_SHAPE
from policyctl.expr.compiler import Lowered, Problem, compile_expression
from policyctl.expr.scope import GUARD_SCOPE, JOB_SCOPE, Scope
from policyctl.load.documents import Document
from policyctl.load.offsets import span_of
from policyctl.load.values import ListNode, Path, Scalar
from policyctl.model.policy import Expression

__all__ = ["Expressions", "expressions"]

# Where a kind keeps its rules, and what they may speak of.
_RULES: Mapping[str, tuple[str, Scope]] = {
    "ProtectionCap": ("rules", JOB_SCOPE),
    "Preemption": ("guards", GUARD_SCOPE),
}
# Rules over a change run once for each pull request: they are checked here, and not lowered.
_CHANGE_RULES: Mapping[str, Mapping[str, Any]] = {"approvals": CHANGE_SHAPE, "gates": GATE_SHAPE}


@dataclass(frozen=True, slots=True, kw_only=True)
class Expressions:
    """The rules that compile, by the path of their `when`, and what is wrong with the others."""

    compiled: Mapping[Path, Expression]
    findings: tuple[Finding, ...]


def expressions(document: Document) -> Expressions:
    """Compile every `when` of a document that is text, whatever else may be wrong around it."""
    compiled: dict[Path, Expression] = {}
    findings: list[Finding] = []
    for path, scalar, scope in _whens(document):
        source = scalar.text.rstrip()
        lowered = compile_expression(source, scope)
        if isinstance(lowered, Lowered):
            place = document.located(span_of(scalar, document.lines, 0, len(source)), path)
            compiled[path] = Expression(source=source, tree=lowered.tree, place=place)
            continue
        findings += _findings(document, path, scalar, lowered)
    for path, scalar, shape in _change_rules(document):
        findings += _findings(document, path, scalar, check_change_rule(scalar.text.rstrip(), shape))
    return Expressions(compiled=compiled, findings=tuple(findings))


def _findings(
    document: Document, path: Path, scalar: Scalar, problems: tuple[Problem, ...]
) -> Iterator[Finding]:
    for problem in problems:
        span = span_of(scalar, document.lines, problem.start, max(problem.end, problem.start + 1))
        place = document.located(span, path)
        yield finding(problem.code, problem.message, place, help=problem.help, subject=document.subject)


def _change_rules(document: Document) -> Iterator[tuple[Path, Scalar, Mapping[str, Any]]]:
    for field, shape in _CHANGE_RULES.items() if document.kind == "Governance" else ():
        rules = document.node("spec", field)
        for index in range(len(rules.items)) if isinstance(rules, ListNode) else ():
            for key in ("when", "unless"):
                path: Path = ("spec", field, index, key)
                condition = document.node(*path)
                if isinstance(condition, Scalar) and condition.text not in {"true", "false"}:
                    yield path, condition, shape


def _whens(document: Document) -> Iterator[tuple[Path, Scalar, Scope]]:
    if document.kind not in _RULES:
        return
    field, scope = _RULES[document.kind]
    rules = document.node("spec", field)
    if isinstance(rules, ListNode):
        for index in range(len(rules.items)):
            path: Path = ("spec", field, index, "when")
            when = document.node(*path)
            if isinstance(when, Scalar):
                yield path, when, scope
