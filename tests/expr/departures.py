"""Where cel-python answers otherwise than the CEL specification, as far as conditions of the profile can meet it.

Each departure is a predicate on a lowered condition and the places where it faulted. The property test leaves
out exactly the conditions that meet one; `test_expr_departures.py` fails as soon as one of them is no longer real.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from policyctl.expr.scope import JOB_SCOPE, Type
from policyctl.expr.signatures import COMPARISONS
from policyctl.expr.trees import Tree, _Check

Places = tuple[tuple[str, Tree], ...]


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
    """Say whether an int is compared with a double anywhere."""
    compared = [part for part in parts(tree) if part[0] in (*COMPARISONS, "in")]
    return any(len({type_of(one) for one in part[1:]}) > 1 for part in compared)


def _long_duration(_tree: Tree, places: Places) -> bool:
    return any(code == "overflow" and type_of(part) is Type.DURATION for code, part in places)


def _smallest_modulo(_tree: Tree, places: Places) -> bool:
    return any(code == "overflow" and part[0] == "%" for code, part in places)


DEPARTURES: dict[str, Callable[[Tree, Places], bool]] = {
    "an int and a double do not compare": lambda tree, _places: mixed(tree),
    "durations may exceed 64 bits of nanoseconds": _long_duration,
    "the smallest int modulo -1 is 0": _smallest_modulo,
}


def departs(tree: Tree, places: Places) -> bool:
    """Say whether a condition meets a departure of cel-python."""
    return any(meets(tree, places) for meets in DEPARTURES.values())
