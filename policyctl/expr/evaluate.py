"""A lowered condition over whole columns: which rows it holds for, and where it has no answer.

Semantics are CEL's, with faults for its errors: `&&` and `||` absorb a fault where the other side decides, `?:`
evaluates the side that is chosen, everything else passes a fault on. A double that is not finite is a fault.
Needs numpy and the standard library only. Trees from outside go through `policyctl.expr.trees.check_tree` first.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from policyctl.expr.arithmetic import Bad, calculate, negate
from policyctl.expr.automaton import automaton
from policyctl.expr.clocks import duration_part, timestamp_part
from policyctl.expr.columns import Column, Columns, Flags, Labels, Mask, Numbers, Spans, Texts, Times
from policyctl.expr.comparing import compare, contained
from policyctl.expr.faults import Fault, describe
from policyctl.expr.lookups import has_label, label, per_pair, per_text, size
from policyctl.expr.merging import merge, present_values
from policyctl.expr.signatures import ARITHMETIC, COMPARISONS, TEXT_PREDICATES, TIMESTAMP_PARTS
from policyctl.expr.trees import Tree

__all__ = ["Fault", "Truth", "evaluate"]

_Sites = NDArray[np.int16]
_C = TypeVar("_C", Numbers, Flags, Times, Spans, Texts, Labels)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Truth:
    """The answer per row: `values` where the condition holds, `faults` where it has no answer (value False)."""

    values: Mask
    faults: Mask
    sites: _Sites
    places: tuple[tuple[str, Tree], ...]

    def fault(self, row: int) -> Fault:
        """Say why a row has no answer; ValueError if it has one."""
        site = int(self.sites[row])
        if not site:
            raise ValueError(f"row {row} has an answer")
        return describe(*self.places[site - 1])


def evaluate(tree: Tree, columns: Columns) -> Truth:
    """Evaluate a condition for every row of a table.

    Raises KeyError if the table lacks a column that the tree names, TypeError if a column has another type.
    """
    run = _Run(columns)
    found = run.cell(tree)
    values = _expect(found.column, Flags).values
    sites = np.zeros(1, dtype=np.int16) if found.sites is None else found.sites
    every = (columns.size,)
    faults = np.broadcast_to(sites != 0, every).copy()
    return Truth(
        values=np.broadcast_to(values, every) & ~faults,
        faults=faults,
        sites=np.broadcast_to(sites, every).copy(),
        places=tuple(run.places),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Cell:
    """A value per row, and per row the number of the place that faulted (0: none)."""

    column: Column
    sites: _Sites | None = None


def _expect(column: Column, kind: type[_C]) -> _C:
    if not isinstance(column, kind):
        raise TypeError(f"expected {kind.__name__}, and this is {type(column).__name__}")
    return column


def _first(left: _Sites | None, right: _Sites | None) -> _Sites | None:
    """Combine the faults of two operands: the left one is reported where both fault."""
    if left is None or right is None:
        return right if left is None else left
    return np.where(left != 0, left, right)


class _Run:
    def __init__(self, columns: Columns) -> None:
        self.columns = columns
        self.places: list[tuple[str, Tree]] = []

    def cell(self, tree: Tree) -> _Cell:
        return _FORMS[tree[0]](self, tree)

    def faulty(self, cell: _Cell, tree: Tree, bad: Bad) -> _Cell:
        """Add new faults at this place to those that came from below."""
        sites = cell.sites
        for code, mask in bad:
            if mask.any():
                self.places.append((code, tree))
                sites = _first(sites, np.where(mask, np.int16(len(self.places)), np.int16(0)))
        return _Cell(cell.column, sites)

    def constant(self, tree: Tree) -> _Cell:
        kind, value = tree
        if kind == "string":
            return _Cell(Texts(codes=np.zeros(1, dtype=np.int32), table=(value,)))
        if kind == "bool":
            return _Cell(Flags(values=np.array([value], dtype=np.bool_)))
        if kind == "double":
            return _Cell(Numbers(values=np.array([value], dtype=np.float64)))
        whole = np.array([value], dtype=np.int64)
        if kind == "int":
            return _Cell(Numbers(values=whole))
        return _Cell(Spans(values=whole) if kind == "duration" else Times(values=whole))

    def variable(self, tree: Tree) -> _Cell:
        column, bad = present_values(self.column(tree))
        return self.faulty(_Cell(column), tree, bad)

    def column(self, tree: Tree) -> Column:
        found = self.columns.roots[tree[1]]
        if len(tree) == 3 and not isinstance(found, Column):
            return found[tree[2]]
        if len(tree) == 2 and isinstance(found, Column):
            return found
        raise TypeError(f"`{tree[1]}` is not what the expression takes it for")

    def has(self, tree: Tree) -> _Cell:
        present = self.column(tree).present
        return _Cell(Flags(values=np.ones(1, dtype=np.bool_) if present is None else present))

    def label(self, tree: Tree) -> _Cell:
        labels, key = self.cell(tree[1]), self.cell(tree[2])
        found, missing = label(_expect(labels.column, Labels), _expect(key.column, Texts))
        return self.faulty(_Cell(found, _first(labels.sites, key.sites)), tree, (("missing_label", missing),))

    def has_label(self, tree: Tree) -> _Cell:
        # CEL evaluates `key in map` from left to right, so the key's fault is the one reported
        key, labels = self.cell(tree[2]), self.cell(tree[1])
        found = has_label(_expect(labels.column, Labels), _expect(key.column, Texts))
        return _Cell(Flags(values=found), _first(key.sites, labels.sites))

    def logic(self, tree: Tree) -> _Cell:
        """`&&` and `||`: one deciding operand settles a row, whatever faults beside it."""
        decisive = tree[0] == "||"
        settled = np.zeros(1, dtype=np.bool_)
        sites: _Sites | None = None
        for part in tree[1:]:
            cell = self.cell(part)
            values = _expect(cell.column, Flags).values
            answers = values if decisive else ~values
            settled = settled | (answers if cell.sites is None else answers & (cell.sites == 0))
            sites = _first(sites, cell.sites)
            if settled.all():
                break
        if sites is not None:
            sites = np.where(settled, np.int16(0), sites)
        return _Cell(Flags(values=settled if decisive else ~settled), sites)

    def negation(self, tree: Tree) -> _Cell:
        cell = self.cell(tree[1])
        return _Cell(Flags(values=~_expect(cell.column, Flags).values), cell.sites)

    def choice(self, tree: Tree) -> _Cell:
        condition = self.cell(tree[1])
        chosen = _expect(condition.column, Flags).values
        if condition.sites is None and (chosen.all() or not chosen.any()):
            return self.cell(tree[2] if chosen.all() else tree[3])
        left, right = self.cell(tree[2]), self.cell(tree[3])
        none = np.zeros(1, dtype=np.int16)
        sites = np.where(
            chosen, none if left.sites is None else left.sites, none if right.sites is None else right.sites
        )
        return _Cell(merge(chosen, left.column, right.column), _first(condition.sites, sites))

    def comparison(self, tree: Tree) -> _Cell:
        left, right = self.cell(tree[1]), self.cell(tree[2])
        return _Cell(
            Flags(values=compare(tree[0], left.column, right.column)), _first(left.sites, right.sites)
        )

    def membership(self, tree: Tree) -> _Cell:
        needle = self.cell(tree[1])
        items = [self.cell(part) for part in tree[2:]]
        sites = needle.sites
        for item in items:
            sites = _first(sites, item.sites)
        return _Cell(Flags(values=contained(needle.column, [item.column for item in items])), sites)

    def arithmetic(self, tree: Tree) -> _Cell:
        left, right = self.cell(tree[1]), self.cell(tree[2])
        found, bad = calculate(tree[0], left.column, right.column)
        return self.faulty(_Cell(found, _first(left.sites, right.sites)), tree, bad)

    def minus(self, tree: Tree) -> _Cell:
        cell = self.cell(tree[1])
        found, bad = negate(cell.column)
        return self.faulty(_Cell(found, cell.sites), tree, bad)

    def text_predicate(self, tree: Tree) -> _Cell:
        left, right = self.cell(tree[1]), self.cell(tree[2])
        ask = _PREDICATES[tree[0]]
        found = per_pair(_expect(left.column, Texts), _expect(right.column, Texts), ask)
        return _Cell(Flags(values=found), _first(left.sites, right.sites))

    def matches(self, tree: Tree) -> _Cell:
        cell = self.cell(tree[1])
        found = per_text(_expect(cell.column, Texts), automaton(tree[2]).search)
        return _Cell(Flags(values=found), cell.sites)

    def size(self, tree: Tree) -> _Cell:
        cell = self.cell(tree[1])
        if not isinstance(cell.column, Texts | Labels):
            raise TypeError(f"{type(cell.column).__name__} has no size")
        return _Cell(size(cell.column), cell.sites)

    def clock(self, tree: Tree) -> _Cell:
        cell = self.cell(tree[1])
        if isinstance(cell.column, Spans):
            return _Cell(duration_part(tree[0], cell.column), cell.sites)
        found, bad = timestamp_part(tree[0], _expect(cell.column, Times), tree[2])
        return self.faulty(_Cell(found, cell.sites), tree, (("bad_time", bad),))


_PREDICATES: dict[str, Callable[[str, str], bool]] = {
    "startsWith": str.startswith,
    "endsWith": str.endswith,
    "contains": str.__contains__,
}
_FORMS: dict[str, Callable[[_Run, Tree], _Cell]] = {
    **dict.fromkeys(("bool", "int", "double", "string", "duration", "timestamp"), _Run.constant),
    **dict.fromkeys(("field", "name"), _Run.variable),
    **dict.fromkeys(("&&", "||"), _Run.logic),
    **dict.fromkeys(COMPARISONS, _Run.comparison),
    **dict.fromkeys(ARITHMETIC, _Run.arithmetic),
    **dict.fromkeys(TEXT_PREDICATES, _Run.text_predicate),
    **dict.fromkeys(TIMESTAMP_PARTS, _Run.clock),
    "has": _Run.has,
    "label": _Run.label,
    "has_label": _Run.has_label,
    "!": _Run.negation,
    "?:": _Run.choice,
    "in": _Run.membership,
    "neg": _Run.minus,
    "matches": _Run.matches,
    "size": _Run.size,
}
