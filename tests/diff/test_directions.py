"""Each right of each account goes the way it should, and what cannot be decided is never called harmless."""

from __future__ import annotations

import pytest

from policyctl.diff.compare import compare
from policyctl.diff.directions import together
from policyctl.model.change import Direction, Example
from tests.diff.policies import BASE, changed, document, policy, way

REASONS = 'reason: "r", ticket: T-1, requestedBy: "@lab/leads", starts: "2026-09-01T00:00:00Z", expires: "2026-09-15T00:00:00Z"'


def exception(name: str, grant: str) -> str:
    return document("Exception", name, f"{{{REASONS}, {grant}}}")


RULE = "- {name: large, when: 'job.gpus >= 64', maxProtected: 12h}"
GUARD = "- {name: days, effect: deny, when: 'victim.gpus > 8', reason: \"large\"}"
CASES = {
    "a share that grows": (("language: 60%", "language: 70%"), "/language", "share", "loosens"),
    "below a share that grows": (("language: 60%", "language: 70%"), "/language/data", "share", "loosens"),
    "a share that shrinks": (("robotics: 20%", "robotics: 10%"), "/robotics", "share", "tightens"),
    "a sibling of a share that grows out of what was unassigned": (
        ("language: 60%", "language: 70%"),
        "/robotics",
        "share",
        "neutral",
    ),
    "more nodes": (("nodes: 10", "nodes: 11"), "/robotics", "share", "loosens"),
    "a longer default": (("default: 4h", "default: 5h"), "/", "protection", "loosens"),
    "a shorter default": (("default: 4h", "default: 3h"), "/", "protection", "tightens"),
    "a longer default above a tighter cap": (
        ("default: 4h", "default: 5h"),
        "/robotics",
        "protection",
        "neutral",
    ),
    "a cap of a child that the parent's makes useless": (
        ("default: 2h}", "default: 20h}"),
        "/robotics",
        "protection",
        "loosens",
    ),
    "a rule for fewer jobs": (("job.gpus >= 64", "job.gpus >= 128"), "/", "protection", "tightens"),
    "a rule for more jobs": (("job.gpus >= 64", "job.gpus >= 32"), "/", "protection", "loosens"),
    "a rule that asks something else": (
        ("'job.gpus >= 64'", "'job.user.startsWith(\"x\")'"),
        "/",
        "protection",
        "incomparable",
    ),
    "the same rule in other words": (("job.gpus >= 64", "64 <= job.gpus"), "/", "protection", "neutral"),
    "one limit up and one down": (
        ("maxProtected: 12h}\n  default: 4h", "maxProtected: 10h}\n  default: 5h"),
        "/",
        "protection",
        "mixed",
    ),
    "less hysteresis": (("hysteresis: 5%", "hysteresis: 0%"), "/", "preemptability", "loosens"),
    "more notice": (("notice: 2m", "notice: 5m"), "/", "preemptability", "tightens"),
    "more preemptions of a job": (("max: 3", "max: 4"), "/", "preemptability", "loosens"),
    "more preemptions in a longer time": (
        ("max: 3, within: 24h", "max: 4, within: 48h"),
        "/",
        "preemptability",
        "incomparable",
    ),
    "no limit per job": (
        ("  perJob: {max: 3, within: 24h}\n", ""),
        "/",
        "preemptability",
        "loosens",
    ),
    "a guard that denies less": (("victim.gpus > 8", "victim.gpus > 16"), "/", "preemptability", "loosens"),
    "a guard that denies more": (("victim.gpus > 8", "victim.gpus > 4"), "/", "preemptability", "tightens"),
    "a guard that denies something else": (
        ("victim.gpus > 8", "now.getHours() < 9"),
        "/",
        "preemptability",
        "incomparable",
    ),
    "one more guard": (
        (GUARD, f"{GUARD}\n    {GUARD.replace('days', 'all').replace('> 8', '> 1')}"),
        "/",
        "preemptability",
        "tightens",
    ),
    "a higher price": (("protected: 1", "protected: 2"), "/", "funding", "tightens"),
    "an overdraft that ends": (
        ("charge: {protected: 1}", "funding: {overdraft: 50%}"),
        "/",
        "funding",
        "tightens",
    ),
    "another window": (("length: 10h", "length: 20h"), "/", "funding", "mixed"),
    "a share of nothing": (("robotics: 20%", "robotics: 0%"), "/robotics", "funding", "tightens"),
    "a new account": (("robotics: 20%", "robotics: 20%, vision: 5%"), "/vision", "funding", "loosens"),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_right_goes_the_way_it_should(case: tuple[tuple[str, str], str, str, str]) -> None:
    replaced, account, kind, expected = case
    assert way(changed(replaced), account, kind) == expected


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_the_way_back_is_the_opposite(case: tuple[tuple[str, str], str, str, str]) -> None:
    replaced, account, kind, expected = case
    back = compare(policy(BASE.replace(*replaced)), policy(BASE))
    opposite = {"loosens": "tightens", "tightens": "loosens"}.get(expected, expected)
    assert way(back, account, kind) == opposite


EXCEPTIONS = {
    "who is lent to": (
        "share: {to: /language/data, from: /robotics, add: 5%}",
        "/language/data",
        "share",
        "loosens",
    ),
    "who lends": ("share: {to: /language/data, from: /robotics, add: 5%}", "/robotics", "share", "tightens"),
    "whose sibling is lent to": (
        "share: {to: /language/data, from: /robotics, add: 5%}",
        "/language/pretrain",
        "share",
        "neutral",
    ),
    "who is protected for longer": (
        "protection: {account: /robotics, maxProtected: 24h}",
        "/robotics",
        "protection",
        "loosens",
    ),
    "one job is protected for longer": (
        'protection: {job: "7", maxProtected: 24h}',
        "/",
        "protection",
        "loosens",
    ),
    "who is suspended": ("suspend: {account: /language}", "/language/data", "funding", "tightens"),
    "a pool that is frozen": ("freeze: {pool: h100}", "/", "preemptability", "tightens"),
}


@pytest.mark.parametrize("case", EXCEPTIONS.values(), ids=EXCEPTIONS)
def test_an_exception_moves_rights_while_it_lasts(case: tuple[str, str, str, str]) -> None:
    grant, account, kind, expected = case
    change = changed(added=exception("once", grant))
    assert way(change, account, kind) == expected
    for right in change.rights:
        assert {example.at for example in right.examples} == {1788220800}


def test_an_example_says_where_when_and_what() -> None:
    change = changed(added=exception("once", "share: {to: /language/data, from: /robotics, add: 5%}"))
    (right,) = [one for one in change.rights if one.account == "/robotics"]
    assert right.examples == (
        Example(pool="h100", at=right.examples[0].at, what="absolute_share", before="1/5", after="3/20"),
    )


def test_an_example_of_caps_is_of_the_cap_that_changed() -> None:
    change = changed(
        ("maxProtected: 12h}\n  default: 4h", "maxProtected: 10h}\n  default: 5h"),
        ("{account: /robotics, default: 2h}", "{account: /robotics, default: 3h}"),
    )
    examples = {
        one.account: [(each.what, each.before, each.after) for each in one.examples] for one in change.rights
    }
    assert examples == {
        "/": [("default", "4h", "5h"), ("large", "12h", "10h")],
        "/robotics": [("default", "2h", "3h")],
    }


def test_up_at_one_instant_and_down_at_another_is_mixed() -> None:
    dated = 'effective: {until: "2026-07-01T00:00:00Z"}\n  shares: {language: 60%'
    later = document(
        "Budget",
        "later",
        '{account: /, effective: {from: "2026-07-01T00:00:00Z"}, shares: {language: 50%, robotics: 30%}}',
    )
    base = BASE.replace("shares: {language: 60%", dated) + later
    head = base.replace("language: 60%", "language: 65%").replace("language: 50%", "language: 45%")
    assert way(compare(policy(base), policy(head)), "/language", "share") is Direction.MIXED


def test_what_is_undecided_wins_and_may_loosen() -> None:
    assert together([Direction.TIGHTENS, Direction.INCOMPARABLE]) is Direction.INCOMPARABLE
    assert together([Direction.TIGHTENS, Direction.LOOSENS]) is Direction.MIXED
    assert together([Direction.NEUTRAL, Direction.TIGHTENS]) is Direction.TIGHTENS
    assert together([]) is Direction.NEUTRAL
    assert {one for one in Direction if one.may_loosen} == {"loosens", "mixed", "incomparable"}
