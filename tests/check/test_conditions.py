"""What is said of rules is certain: compared with evaluating them on jobs of every kind."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from policyctl.check.conditions import always, implies, never, read_condition
from policyctl.expr.columns import Columns, Flags, Numbers, Spans, Times, labels, texts
from policyctl.expr.compiler import Lowered, compile_expression
from policyctl.expr.evaluate import evaluate
from policyctl.expr.scope import JOB_SCOPE


def tree(source: str) -> Any:
    lowered = compile_expression(source, JOB_SCOPE)
    assert isinstance(lowered, Lowered), lowered
    return lowered.tree


HOLDS = {
    "a larger number": ("job.gpus >= 64", "job.gpus >= 8"),
    "a whole number and a fraction": ("job.gpus > 8", "job.gpus >= 7.5"),
    "strict and not": ("job.gpus > 8", "job.gpus >= 8"),
    "equal and at most": ("job.gpus == 8.0", "job.gpus <= 8"),
    "equal and not another": ('job.user == "dev1"', 'job.user != "dev9"'),
    "the constant first": ("64 <= job.gpus", "job.gpus >= 8"),
    "one of two": ('job.user == "dev1"', 'job.user in ["dev1", "dev9"]'),
    "fewer of a list": ('job.user in ["dev1"]', 'job.user in ["dev9", "dev1"]'),
    "a part of a conjunction": ('job.gpus >= 8 && job.user == "dev1"', 'job.user == "dev1"'),
    "a case of a disjunction": ('job.user == "dev1"', 'job.gpus >= 8 || job.user == "dev1"'),
    "both cases": ("job.gpus >= 64 || job.gpus >= 32", "job.gpus >= 8"),
    "pushed negations": ("!(job.gpus < 64)", "!(job.gpus < 8 || job.nodes < 1) || job.gpus > 8"),
    "interactive is a kind": ("job.interactive", 'job.kind == "interactive"'),
    "and the kind is interactive": ('job.kind == "interactive"', "job.interactive"),
    "durations": ('job.min_runtime > duration("2h")', 'job.min_runtime > duration("1h")'),
    "timestamps": ('now > timestamp("2027-01-01T00:00:00Z")', 'now >= timestamp("2026-01-01T00:00:00Z")'),
    "accessors": ("now.getHours() >= 22", "now.getHours() >= 9"),
    "the same condition of which nothing is known": ('job.user.startsWith("a")', 'job.user.startsWith("a")'),
    "a choice": ('job.gpus >= 8 ? job.user == "dev1" : false', "job.gpus >= 4"),
}
DOES_NOT = {
    "a smaller number": ("job.gpus >= 8", "job.gpus >= 64"),
    "the bound itself": ("job.gpus >= 8", "job.gpus > 8"),
    "another field": ("job.gpus >= 64", "job.nodes >= 8"),
    "another zone": ("now.getHours() >= 22", 'now.getHours("Europe/Berlin") >= 9'),
    "one case only": ("job.gpus >= 64 || job.nodes >= 2", "job.gpus >= 8"),
    "both needed": ("job.gpus >= 64", "job.gpus >= 8 && job.nodes >= 2"),
    "the negation": ("job.resumable", "!job.resumable"),
    "more of a list": ('job.user in ["dev1", "dev9"]', 'job.user in ["dev1"]'),
    "not one of two": ('job.user != "dev1"', 'job.user != "dev9"'),
}


@pytest.mark.parametrize("reason", HOLDS)
def test_implied(reason: str) -> None:
    one, other = HOLDS[reason]
    assert implies(read_condition(tree(one)), read_condition(tree(other)))


@pytest.mark.parametrize("reason", DOES_NOT)
def test_not_implied(reason: str) -> None:
    one, other = DOES_NOT[reason]
    assert not implies(read_condition(tree(one)), read_condition(tree(other)))


@pytest.mark.parametrize(
    "source",
    [
        "false",
        "job.gpus > 8 && job.gpus < 8",
        "job.gpus > 8 && job.gpus <= 8",
        'job.user == "dev1" && job.user == "dev9"',
        'job.user == "dev1" && !(job.user in ["dev1", "dev9"])',
        "job.gpus < 0",
        "job.nodes < 1",
        "now.getHours() == 24",
        "now.getMonth() > 11",
        "now.getDayOfWeek() == 7",
        "job.resumable && !job.resumable",
        "job.interactive && job.kind == 'batch'",
        "(job.gpus > 8 && job.gpus < 4) || false",
    ],
)
def test_never(source: str) -> None:
    assert never(read_condition(tree(source)))
    assert always(tree(f"!({source})"))


@pytest.mark.parametrize(
    "source", ["true", "job.gpus >= 0", "job.gpus > 8 || job.gpus <= 8", "job.nodes >= 1.0"]
)
def test_always(source: str) -> None:
    assert always(tree(source))


@pytest.mark.parametrize(
    "source",
    ["job.gpus > 0", "now.getMonth() == 11", "job.priority < 0", "has(job.time_limit)", "job.resumable"],
)
def test_neither(source: str) -> None:
    assert not always(tree(source))
    assert not never(read_condition(tree(source)))


ATOMS = [
    *(
        f"job.gpus {op} {value}"
        for op in ("<", "<=", ">", ">=", "==", "!=")
        for value in ("0.0", "2.0", "2.5", "4.0")
    ),
    *(f"job.nodes {op} {value}" for op in ("<", "<=", ">", ">=", "==", "!=") for value in (1, 2, 3)),
    *(f"{value} {op} job.nodes" for op in ("<", ">=") for value in (1, 2.5)),
    *(f'job.user {op} "{value}"' for op in ("==", "!=") for value in ("dev1", "dev9")),
    'job.user in ["dev1", "dev9"]',
    'job.user in ["dev9"]',
    'job.user.startsWith("a")',
    'job.user < "b"',
    'job.kind == "batch"',
    "job.interactive",
    "job.interactive == false",
    "job.resumable",
    "job.resumable != true",
    "now.getHours() >= 22",
    "now.getHours() < 6",
    "now.getHours() > 23",
    "now.getMonth() == 12",
    'job.min_runtime > duration("1h")',
    'job.min_runtime >= duration("0s")',
    "has(job.time_limit)",
    'job.labels["tier"] == "gold"',
    "true",
    "false",
]
sources = st.recursive(
    st.sampled_from(ATOMS),
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(lambda two: f"({two[0]} && {two[1]})"),
        st.tuples(inner, inner).map(lambda two: f"({two[0]} || {two[1]})"),
        inner.map(lambda one: f"!({one})"),
        st.tuples(inner, inner, inner).map(lambda three: f"({three[0]} ? {three[1]} : {three[2]})"),
    ),
    max_leaves=6,
)

_GRID = [
    (gpus, nodes, user, kind, resumable, hour, runtime, tier)
    for number, (gpus, nodes, user) in enumerate(
        (gpus, nodes, user)
        for gpus in (0.0, 1.0, 2.0, 2.25, 2.5, 3.0, 4.0, 8.0)
        for nodes in (1, 2, 3, 4)
        for user in ("dev1", "dev9", "r02")
    )
    for kind in ("batch", "interactive")
    for resumable, hour, runtime, tier in (
        (bool(number % 2), 5 + number % 3, 3600 * (number % 3), {"tier": "gold"}),
        (bool(number % 3), 21 + number % 3, 1800, {} if number % 2 else {"tier": "lead"}),
    )
]


def jobs() -> Columns:
    """Build jobs of every kind that the atoms tell apart."""
    gpus, nodes, users, kinds, resumable, hours, runtimes, tiers = zip(*_GRID, strict=True)
    limit = np.arange(len(_GRID)) % 2 == 0
    return Columns(
        size=len(_GRID),
        roots={
            "job": {
                "gpus": Numbers(values=np.array(gpus)),
                "nodes": Numbers(values=np.array(nodes)),
                "user": texts(users),
                "kind": texts(kinds),
                "interactive": Flags(values=np.array([kind == "interactive" for kind in kinds])),
                "resumable": Flags(values=np.array(resumable)),
                "min_runtime": Spans(values=np.array(runtimes)),
                "time_limit": Spans(values=np.array(runtimes), present=limit),
                "labels": labels(tiers),
            },
            "now": Times(values=np.array([1_790_000_000 // 86_400 * 86_400 + hour * 3600 for hour in hours])),
        },
    )


JOBS = jobs()


@settings(max_examples=150, deadline=None)
@given(st.lists(sources, min_size=2, max_size=6))
def test_what_is_implied_is_never_false(written: list[str]) -> None:
    """If `one` implies `other`, no job for which `one` is true has `other` false: it is true, or faults."""
    rules = [(read_condition(tree(source)), evaluate(tree(source), JOBS)) for source in written]
    for (one, first), (other, second) in permutations(rules, 2):
        if implies(one, other):
            holds = first.values & ~first.faults
            assert not (holds & ~second.values & ~second.faults).any()


@settings(max_examples=300, deadline=None)
@given(sources)
def test_never_and_always_are_true_of_every_job(source: str) -> None:
    truth = evaluate(tree(source), JOBS)
    if never(read_condition(tree(source))):
        assert not (truth.values & ~truth.faults).any()
    if always(tree(source)):
        assert (truth.values | truth.faults).all()


@settings(deadline=None)
@given(sources)
def test_a_condition_implies_itself_and_what_is_weaker(source: str) -> None:
    condition = read_condition(tree(source))
    assert implies(condition, condition)
    assert implies(condition, read_condition(tree(f"({source}) || job.gpus > 3.0")))
    assert implies(read_condition(tree(f"({source}) && job.gpus > 3.0")), condition)
