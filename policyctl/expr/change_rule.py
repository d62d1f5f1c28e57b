"""Conditions over a change: all of CEL, names checked before they run, and a bound on the work of an evaluation."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from celpy.adapter import json_to_cel
from celpy.celtypes import BoolType
from celpy.evaluation import Activation, CELEvalError, Evaluator
from lark import Tree

from policyctl.diagnostics import nearest
from policyctl.expr.parse import environment, parse
from policyctl.expr.problems import Problem, Problems, quoted
from policyctl.expr.syntax import Syntax, read

__all__ = ["MAX_STEPS", "NoTruth", "check_change_rule", "holds"]

MAX_STEPS = 200_000
"""Most parts of an expression that one evaluation visits: some seconds. Steps, unlike seconds, are the same everywhere."""
_MAX_LOOPS = 3
_PLAIN_TEXT = re.compile(r"""(["'])[A-Za-z0-9_]+\1""")
_LOOPS = frozenset({"all", "exists", "exists_one", "filter", "map"})

Shape = Mapping[str, Any]
"""The fields of a record: None for a plain value, another shape for a record, a list of one shape for many records."""


class NoTruth(Exception):
    """A condition is neither true nor false for this change."""


def check_change_rule(source: str, variables: Shape) -> tuple[Problem, ...]:
    """Return what is wrong with a condition over `variables`: syntax, size, unknown names and unknown fields."""
    parsed = parse(source)
    if isinstance(parsed, Problem):
        return (parsed,)
    problems = Problems()
    syntax = read(parsed, problems)
    if syntax is not None:
        _Names(problems).of(syntax, variables, 0)
    return problems.ordered()


_UNKNOWN: Shape = {}
"""The shape of what is only known when it is evaluated; its fields are not checked."""


class _Names:
    """Follows the shapes of records through an expression, and notes the names that they do not have."""

    def __init__(self, problems: Problems) -> None:
        self._problems = problems

    def of(self, node: Syntax, known: Shape, loops: int) -> Any:
        if node.op == "name":
            return self._known(node, node.text, known, "C004", "name")
        if node.op == "select":
            return self._field(node, node.text, self.of(node.parts[0], known, loops))
        if node.op == "method" and (node.text in _LOOPS or node.text == "reduce"):
            return self._loop(node, known, loops)
        inner = [self.of(part, known, loops) for part in node.parts]
        if node.op == "index":
            return self._element(node.parts[1], inner[0])
        return _UNKNOWN

    def _element(self, index: Syntax, owner: Any) -> Any:
        if isinstance(owner, list):
            return owner[0]
        if isinstance(owner, Mapping) and index.op == "string" and _PLAIN_TEXT.fullmatch(index.text):
            return self._field(index, index.text[1:-1], owner)
        return _UNKNOWN

    def _field(self, node: Syntax, name: str, owner: Any) -> Any:
        if owner is _UNKNOWN:
            return _UNKNOWN
        if isinstance(owner, Mapping):
            return self._known(node, name, owner, "C005", "field")
        what, hint = (
            ("a list", f"write `….exists(one, one.{name} …)`")
            if isinstance(owner, list)
            else ("a plain value", "compare the value itself")
        )
        self._problems.add("C005", f"{what} has no field {quoted(name)}", node.span, hint)
        return _UNKNOWN

    def _known(self, node: Syntax, name: str, known: Shape, code: str, what: str) -> Any:
        if name in known:
            return known[name]
        close = nearest(name, tuple(sorted(known)))
        hint = f"did you mean `{close}`?" if close else f"known: {', '.join(sorted(known))}"
        self._problems.add(code, f"unknown {what} {quoted(name)}", node.span, hint)
        return _UNKNOWN

    def _loop(self, node: Syntax, known: Shape, loops: int) -> Any:
        if node.text == "reduce":
            self._problems.add(
                "C009", "`reduce` is not a function of CEL", node.span, "use `exists` or `all`"
            )
            return _UNKNOWN
        if loops == _MAX_LOOPS:
            message = f"loops are nested more than {_MAX_LOOPS} deep"
            self._problems.add("C003", message, node.span, "split it into several rules")
            return _UNKNOWN
        target, *rest = node.parts
        over = self.of(target, known, loops)
        each = over[0] if isinstance(over, list) else _UNKNOWN
        if not rest or rest[0].op != "name":
            self._problems.add(
                "C001", f"`{node.text}` needs a variable first", node.span, "write `all(one, …)`"
            )
            return _UNKNOWN
        for part in rest[1:]:
            self.of(part, {**known, rest[0].text: each}, loops + 1)
        return over if node.text == "filter" else _UNKNOWN


class _OutOfSteps(Exception):
    pass


class _Counted(Evaluator):
    """An evaluator that counts the parts it visits, those in loops each time, and gives up beyond the limit."""

    def __init__(self, ast: Tree[Any], activation: Activation, spent: list[int]) -> None:
        super().__init__(ast, activation)
        self._spent = spent

    def sub_evaluator(self, ast: Tree[Any]) -> Evaluator:
        return _Counted(ast, self.activation, self._spent)

    def _visit_tree(self, tree: Tree[Any]) -> Any:
        self._spent[0] += 1
        if self._spent[0] > MAX_STEPS:
            raise _OutOfSteps
        return super()._visit_tree(tree)


def holds(source: str, variables: Mapping[str, Any], shape: Shape) -> bool:
    """Evaluate a condition over JSON values; raises NoTruth, in one line, where it has problems or no answer."""
    if problems := check_change_rule(source, shape):
        raise NoTruth(problems[0].message)
    parsed = environment().compile(source)
    runner = environment().program(parsed)
    activation = runner.new_activation()
    try:
        context = {name: json_to_cel(value) for name, value in variables.items()}
        value = _Counted(parsed, activation, [0]).evaluate(context)
    except _OutOfSteps:
        raise NoTruth(f"it takes more than {MAX_STEPS} steps") from None
    except CELEvalError as error:
        raise NoTruth(quoted(str(error.args[0] if error.args else "no value"))) from None
    if not isinstance(value, BoolType | bool):
        raise NoTruth("a condition is true or false, and this is neither")
    return bool(value)
