"""What became of each approval rule of the base for a change: it applies, or why it does not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from policyctl.expr.change_rule import NoTruth, check_change_rule, holds
from policyctl.expr.change_scope import CHANGE_SHAPE, without_author
from policyctl.model.policy import Policy

__all__ = ["RuleJudged", "RuleOutcome", "approval_rules"]


class RuleOutcome(StrEnum):
    """What became of a rule: `unanswered` applies, as one of its conditions has no answer for this change."""

    APPLIES = "applies"
    UNMATCHED = "unmatched"
    SPARED = "spared"
    UNANSWERED = "unanswered"

    @property
    def applies(self) -> bool:
        """Say whether what the rule requires is needed."""
        return self in {RuleOutcome.APPLIES, RuleOutcome.UNANSWERED}


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleJudged:
    """One rule, by its number from 0, with the truth of its conditions: None for one without an answer.

    A rule without `when` always holds, one without `unless` is never spared; `trouble` says why there is no answer.
    """

    number: int
    name: str
    when: bool | None
    unless: bool | None
    trouble: tuple[str, ...] = ()

    @property
    def outcome(self) -> RuleOutcome:
        """Say what became of it; a mistake never opens the gate."""
        if self.when is False:
            return RuleOutcome.UNMATCHED
        if self.unless:
            return RuleOutcome.SPARED
        answered = self.when is not None and self.unless is not None
        return RuleOutcome.APPLIES if answered else RuleOutcome.UNANSWERED


def approval_rules(base: Policy, seen: Mapping[str, Any]) -> Iterator[RuleJudged]:
    """Judge every approval rule of the base, in its order; `seen` holds `change` as the `facts` of it."""
    for number, rule in enumerate(base.governance.approvals):
        when, trouble = _answer(rule.get("when", True), seen)
        unless, doubt = _answer(rule.get("unless", False), seen)
        yield RuleJudged(
            number=number, name=str(rule["name"]), when=when, unless=unless, trouble=(*trouble, *doubt)
        )


def _names_the_author(source: str) -> bool:
    """Say whether a condition has no other problem than that it speaks of an author."""
    return not check_change_rule(source, CHANGE_SHAPE) and bool(
        check_change_rule(source, without_author(CHANGE_SHAPE))
    )


def _answer(condition: object, seen: Mapping[str, Any]) -> tuple[bool | None, tuple[str, ...]]:
    if isinstance(condition, bool):
        return condition, ()
    source = str(condition)
    if "author" not in seen["change"] and _names_the_author(source):
        # Where nobody is named `has(change.author)` would be false, and a rule could be passed by without a name.
        return None, (f"`{condition}` has no answer: nobody names the author",)
    try:
        return holds(source, seen, CHANGE_SHAPE), ()
    except NoTruth as problem:
        return None, (f"`{condition}` has no answer: {problem}",)
