"""Any text and any JSON: compiling and checking always answer, and what they accept can be evaluated."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from policyctl.catalogue import CATALOGUE
from policyctl.expr.compiler import Lowered, compile_expression
from policyctl.expr.evaluate import evaluate
from policyctl.expr.scope import GUARD_SCOPE, JOB_SCOPE
from policyctl.expr.trees import Tree, check_tree
from tests.expr.rows import columns, job
from tests.expr.words import conditions

PIECES = (
    *"()[]{}.,?:!-+*/%<>@`é \n\t\u00a0\u2028",
    *(
        "job",
        "gpus",
        "kind",
        "labels",
        "now",
        "victim",
        "x",
        "true",
        "false",
        "null",
        "in",
        "has",
        "size",
        "all",
    ),
    *(
        "&&",
        "||",
        "==",
        "!=",
        "matches",
        "startsWith",
        "getHours",
        "duration",
        "timestamp",
        "1",
        "2.5",
        "1.",
        "0x",
    ),
    *(
        "1u",
        "'a'",
        '"b"',
        "'''",
        "r'x'",
        "b'q'",
        r"'\q'",
        "'(a+'",
        "'1h'",
        "'1d'",
        "//c",
        "job.gpus",
        "job.nodes",
    ),
    *("job.labels.tier", "has(job.time_limit)", "job.kind=='batch'", "9999999999999999999999", "1e999"),
)
sources = st.one_of(st.lists(st.sampled_from(PIECES), max_size=10).map("".join), st.text(max_size=30))


@settings(max_examples=1_000, deadline=None)
@given(sources)
def test_any_text_compiles_or_has_placed_problems(source: str) -> None:
    found = compile_expression(source, GUARD_SCOPE)
    if isinstance(found, Lowered):
        assert check_tree(found.tree, GUARD_SCOPE) is None
        return
    assert found
    for one in found:
        assert one.code in CATALOGUE
        assert 0 <= one.start <= one.end <= len(source)
        assert one.start < one.end or not source
        assert "\n" not in one.message + (one.help or "")


leaves = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-5, 5),
    st.floats(),
    st.text(max_size=3),
    st.sampled_from(("job", "gpus", "&&", "==", "UTC")),
)
junk = st.recursive(leaves, lambda inner: st.lists(inner, max_size=4), max_leaves=12)


@st.composite
def damaged(draw: Any) -> Any:
    tree: Any = draw(conditions())
    place = tree
    while isinstance(place, list):
        at = draw(st.integers(0, len(place) - 1))
        if not isinstance(place[at], list) or draw(st.booleans()):
            place[at] = draw(st.one_of(junk, conditions(1)))
            break
        place = place[at]
    return tree


@settings(max_examples=600, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.one_of(junk, damaged()))
def test_a_tree_that_passes_the_check_is_evaluated(tree: Tree) -> None:
    if check_tree(tree, JOB_SCOPE) is None:
        truth = evaluate(tree, columns([job(), job(time_limit=None, labels={}, gpus=0.0, nodes=-(2**63))]))
        assert not (truth.values & truth.faults).any()
        for row in range(2):
            if truth.faults[row]:
                assert truth.fault(row).message
