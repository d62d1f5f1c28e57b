"""What became of each approval rule: applied, unmatched, spared, or applied for want of an answer."""

from __future__ import annotations

import pytest

from policyctl.diff.compare import compare
from policyctl.govern.facts import facts
from policyctl.govern.rules import approval_rules
from tests.diff.policies import BASE, policy


@pytest.mark.parametrize(
    ("conditions", "when", "unless", "outcome"),
    [
        ("", True, False, "applies"),
        ("when: change.moved > 0.05,", True, False, "applies"),
        ("when: change.moved > 0.5,", False, False, "unmatched"),
        ("when: change.moved > 0.5, unless: change.loosens,", False, True, "unmatched"),
        ("unless: change.loosens,", True, True, "spared"),
        ("when: change.moved > 0.05, unless: change.tightens,", True, False, "applies"),
        ("when: 'change.shares[99].inherited',", None, False, "unanswered"),
        ("when: 'change.shares[99].inherited', unless: true,", None, True, "spared"),
        ("unless: 'change.shares[99].inherited',", True, None, "unanswered"),
        ("when: false, unless: 'change.shares[99].inherited',", False, None, "unmatched"),
    ],
)
def test_a_rule_is_judged(conditions: str, when: bool | None, unless: bool | None, outcome: str) -> None:  # noqa: FBT001 - columns of the table
    base = policy(f"{BASE}  approvals: [{{name: one, {conditions} require: [{{from: leads}}]}}]\n")
    head = policy(BASE.replace("language: 60%", "language: 70%"))
    seen = {"change": facts(base, head, compare(base, head), "dev1")}
    (judged,) = approval_rules(base, seen)
    assert (judged.when, judged.unless, judged.outcome) == (when, unless, outcome)
    assert bool(judged.trouble) == (None in (when, unless))
    assert judged.outcome.applies == (outcome in {"applies", "unanswered"})


@pytest.mark.parametrize(
    ("condition", "outcome"),
    [
        ("when: change.author == 'dev1',", "unanswered"),
        ("when: has(change.author) && change.author == 'dev1',", "unanswered"),
        ("unless: change.author != 'dev1',", "unanswered"),
        ("unless: has(change.author),", "unanswered"),
        ("when: change.moved > 0.5,", "unmatched"),
    ],
)
def test_a_rule_over_an_author_whom_nobody_names_applies(condition: str, outcome: str) -> None:
    base = policy(f"{BASE}  approvals: [{{name: one, {condition} require: [{{from: leads}}]}}]\n")
    head = policy(BASE.replace("language: 60%", "language: 70%"))
    (judged,) = approval_rules(base, {"change": facts(base, head, compare(base, head), None)})
    assert judged.outcome == outcome
    assert all("nobody names the author" in one for one in judged.trouble)
