"""Where cel-python departs from the CEL specification, as predicates on one part of a lowered condition."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from policyctl.expr.scope import JOB_SCOPE, Type
from policyctl.expr.signatures import COMPARISONS
from policyctl.expr.trees import Tree, _Check


def parts(tree: Tree) -> Iterator[Tree]:
    """Yield a tree and everything below it."""
    yield tree
    for part in tree[1:]:
        if isinstance(part, list):
            yield from parts(part)


def type_of(tree: Tree) -> Type:
    """Return the type of a part."""
    return _Check(JOB_SCOPE).type_of(tree, 0)


def mixed(tree: Tree) -> bool:
    """Find comparisons between an int and a double."""
    if tree[0] not in (*COMPARISONS, "in"):
        return False
    return len({type_of(part) for part in tree[1:]}) > 1


DEPARTURES: dict[str, Callable[[Tree], bool]] = {
    "int and double do not compare": mixed,
}


def departs(tree: Tree) -> bool:
    """Say whether any part of a condition is one of those that cel-python answers in its own way."""
    return any(ask(part) for part in parts(tree) for ask in DEPARTURES.values())
