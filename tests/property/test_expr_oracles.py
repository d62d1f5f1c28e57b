"""Random conditions on random jobs: policyctl, cel-python and the C++ implementation give the same answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from policyctl.expr import comparing
from policyctl.expr.compiler import Lowered, compile_expression
from policyctl.expr.evaluate import Truth, evaluate
from policyctl.expr.scope import JOB_SCOPE
from policyctl.expr.trees import Tree, check_tree
from policyctl.expr.write import expression_text
from tests.expr.departures import departs, mixed
from tests.expr.oracles import Answer, by_cel_python, by_cpp
from tests.expr.rows import columns
from tests.expr.words import conditions, jobs, times

Rows = list[dict[str, Any]]
Oracle = Callable[[str, Mapping[str, Any], int], Answer]

SLOW = settings(
    max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
rows = st.lists(jobs(), min_size=1, max_size=4)


def answers(truth: Truth) -> list[Answer]:
    return [None if fault else bool(value) for value, fault in zip(truth.values, truth.faults, strict=True)]


def ask(oracle: Oracle, tree: Tree, some: Rows, now: int) -> list[Answer]:
    return [oracle(expression_text(tree), row, now) for row in some]


@SLOW
@given(conditions(), rows, times)
def test_the_cpp_implementation_agrees(tree: Tree, some: Rows, now: int) -> None:
    table = columns(some, now=now)
    expected = ask(by_cpp, tree, some, now)
    if mixed(tree):
        # It turns an int into a double before it compares the two, which rounds beyond 2^53.
        with pytest.MonkeyPatch.context() as rounding:
            rounding.setattr(comparing, "_EXACT", 2**64)
            assert answers(evaluate(tree, table)) == expected
    else:
        assert answers(evaluate(tree, table)) == expected


@SLOW
@given(conditions(), rows, times)
def test_cel_python_agrees_but_for_its_departures(tree: Tree, some: Rows, now: int) -> None:
    truth = evaluate(tree, columns(some, now=now))
    if not departs(tree, truth.places):
        assert answers(truth) == ask(by_cel_python, tree, some, now)


@SLOW
@given(conditions(4))
def test_a_written_tree_compiles_to_itself(tree: Tree) -> None:
    assert check_tree(tree, JOB_SCOPE) is None
    assert compile_expression(expression_text(tree), JOB_SCOPE) == Lowered(tree=tree)


@SLOW
@given(conditions(), rows, times, st.randoms(use_true_random=False))
def test_a_row_does_not_depend_on_the_rows_beside_it(tree: Tree, some: Rows, now: int, order: Any) -> None:
    together = evaluate(tree, columns(some, now=now))
    shuffled = list(range(len(some)))
    order.shuffle(shuffled)
    apart = evaluate(tree, columns([some[number] for number in shuffled], now=now))
    assert answers(apart) == [answers(together)[number] for number in shuffled]
    for place, number in enumerate(shuffled):
        alone = evaluate(tree, columns([some[number]], now=now))
        assert answers(alone) == [answers(together)[number]]
        if alone.faults[0]:
            assert alone.fault(0) == together.fault(number) == apart.fault(place)
