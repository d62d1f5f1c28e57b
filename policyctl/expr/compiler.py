"""From the text of a rule to its lowered tree, or to every problem that it has."""

from __future__ import annotations

from dataclasses import dataclass

from policyctl.expr.lower import Lowering
from policyctl.expr.parse import parse
from policyctl.expr.problems import Problem, Problems
from policyctl.expr.scope import Scope, Type, article
from policyctl.expr.syntax import read
from policyctl.expr.trees import Tree

__all__ = ["Lowered", "Problem", "compile_expression"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lowered:
    """A condition as plain JSON data (forms: `policyctl.expr.trees`), ready for `policyctl.expr.evaluate`."""

    tree: Tree


def compile_expression(source: str, scope: Scope) -> Lowered | tuple[Problem, ...]:
    """Compile a condition over the variables of `scope`; problems come sorted by place, offsets in characters.

    cel-python parses; names, fields, types, constants and patterns are checked here. A syntax error hides all
    other problems.
    """
    parsed = parse(source)
    if isinstance(parsed, Problem):
        return (parsed,)
    problems = Problems()
    syntax = read(parsed, problems)
    found = Lowering(scope, problems).lower(syntax) if syntax else None
    if syntax and found and found.type is not Type.BOOL:
        hint = _condition_help(found.type)
        problems.add(
            "C007", f"a condition is true or false, and this is {article(found.type)}", syntax.span, hint
        )
    if found is None or problems.found:
        return problems.ordered()
    return Lowered(tree=found.tree)


def _condition_help(kind: Type) -> str:
    if kind is Type.LABELS:
        return "ask for a label: `'tier' in job.labels`"
    return "compare it with something: `job.gpus >= 64`"
