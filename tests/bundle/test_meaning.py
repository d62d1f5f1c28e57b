"""The digest of the meaning changes with every change of meaning, and with nothing else."""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from policyctl.bundle.decode import decode
from policyctl.bundle.encode import encode
from policyctl.bundle.forms import alternatives, each, fields, literal, optional, values
from policyctl.bundle.meaning import meaning
from policyctl.bundle.provenance import Provenance
from policyctl.bundle.writing import Writer
from policyctl.diagnostics import Place
from policyctl.model.policy import Policy
from policyctl.units import Instant, Seconds
from tests.bundle.policies import EXAMPLE, ORIGIN, policies

# How a policy is written, as opposed to what it says; written down here a second time on purpose.
SPELLING = {
    "Accounting.name",
    "Accounting.place",
    "Accounting.places",
    "Budget.name",
    "Budget.place",
    "Budget.places",
    "Budget.weighted",
    "CapRule.place",
    "Expression.place",
    "Expression.source",
    "Governance.name",
    "Governance.place",
    "Governance.places",
    "Guard.place",
    "PolicyException.grant_place",
    "PolicyException.name",
    "PolicyException.place",
    "PolicyException.places",
    "Pool.place",
    "Preemption.name",
    "Preemption.place",
    "Preemption.places",
    "ProtectionCap.default_place",
    "ProtectionCap.name",
    "ProtectionCap.place",
    "ProtectionCap.places",
    "Share.place",
}

PLAIN: dict[object, tuple[Any, Any]] = {
    str: ("a", "b"),
    int: (1, 2),
    bool: (False, True),
    Any: (["field", "job", "gpus"], ["field", "job", "nodes"]),
    Fraction: (Fraction(1, 3), Fraction(1, 2)),
    Instant: (1_000, 2_000),
    Seconds: (60, 120),
    Place: (Place(file="a.yaml"), Place(file="b.yaml")),
}

Change = tuple[str, Any, Any]


def sample(hint: object) -> Any:
    return next(changes(hint))[1]


def changes(hint: object) -> Iterator[Change]:
    """Yield, for every field that can be reached, its name and two values that differ in nothing else."""
    if hint in PLAIN:
        yield "", *PLAIN[hint]
    elif words := literal(hint):
        yield from (("", words[0], word) for word in words[1:])
    elif (present := optional(hint)) is not None:
        yield from changes(present)
        yield "", sample(present), None
    elif nouns := alternatives(hint):
        for noun in nouns.values():
            yield from changes(noun)
        made = [sample(noun) for noun in nouns.values()]
        yield from (("", made[0], other) for other in made[1:])
    elif (item := each(hint)) is not None:
        yield from ((name, (one,), (two,)) for name, one, two in changes(item))
        yield "", (sample(item),), ()
    elif (member := values(hint)) is not None:
        yield from ((name, {"k": one}, {"k": two}) for name, one, two in changes(member))
        yield "", {"k": sample(member)}, {"l": sample(member)}
    else:
        yield from changed_fields(typing.cast("type[Any]", hint))


def changed_fields(noun: type[Any]) -> Iterator[Change]:
    full = {name: sample(hint) for name, hint in fields(noun)}
    for field, hint in fields(noun):
        for inner, one, two in changes(hint):
            name = inner or f"{noun.__name__}.{field}"
            yield name, noun(**{**full, field: one}), noun(**{**full, field: two})


CHANGES = list(changes(Policy))


@pytest.mark.parametrize(
    ("name", "one", "two"), CHANGES, ids=[f"{at}-{name}" for at, (name, _, _) in enumerate(CHANGES)]
)
def test_every_field_is_meaning_or_is_listed_as_spelling(name: str, one: Policy, two: Policy) -> None:
    assert Writer().write(one) != Writer().write(two), "the bundle loses a field"
    assert (meaning(one) == meaning(two)) is (name in SPELLING)


def test_the_walk_reaches_every_noun_of_the_model() -> None:
    import policyctl.model.policy as model  # noqa: PLC0415 - read as data

    nouns = {name for name in model.__all__ if dataclasses.is_dataclass(getattr(model, name))}
    assert {name.partition(".")[0] for name, _, _ in CHANGES} == nouns
    assert {name for name, _, _ in CHANGES} >= SPELLING


@settings(max_examples=30, deadline=None)
@given(policies(), st.randoms(use_true_random=False))
def test_documents_have_no_order(policy: Policy, rng: Any) -> None:
    def shuffled(items: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(rng.sample(items, len(items)))

    other = dataclasses.replace(
        policy,
        pools=shuffled(policy.pools),
        budgets=shuffled(
            tuple(dataclasses.replace(one, shares=shuffled(one.shares)) for one in policy.budgets)
        ),
        caps=shuffled(policy.caps),
        exceptions=shuffled(policy.exceptions),
    )
    assert meaning(other) == meaning(policy)


def test_rules_have_an_order() -> None:
    one = sample(Policy)
    cap = one.caps[0]
    second = dataclasses.replace(cap.rules[0], name="second")
    ways = [
        dataclasses.replace(one, caps=(dataclasses.replace(cap, rules=rules),))
        for rules in ((cap.rules[0], second), (second, cap.rules[0]))
    ]
    assert meaning(ways[0]) != meaning(ways[1])


def test_another_commit_has_another_digest_and_the_same_meaning() -> None:
    here = decode(encode(EXAMPLE, ORIGIN))
    there = decode(encode(EXAMPLE, Provenance(commit="f" * 40, dirty=True)))
    assert here.meaning == there.meaning
    assert here.digest != there.digest
