"""A change of the policy under test to what it needs: the rules of the base that apply, approvals, and gates."""

from __future__ import annotations

from collections.abc import Iterable

from policyctl.diff.compare import compare
from policyctl.errors import UsageProblem
from policyctl.govern.facts import facts
from policyctl.govern.gates import gates
from policyctl.govern.requirements import Requirement, requirements
from policyctl.govern.rules import approval_rules
from policyctl.impact.facts import impact_facts
from policyctl.model.policy import Policy
from policyctl.testing.answered import AboutChange, Answered
from policyctl.testing.case import Review, Seen
from policyctl.testing.exception_limits import limits_kept, limits_of_refused
from policyctl.units import Instant

__all__ = ["needed_of", "review"]


def review(base: Policy, asked: Review, now: Instant) -> Answered:
    """Judge the change from `base`, or from what the case says stands before, to its head, as `policyctl review` and the gates of `policyctl ci` do.

    Raises UsageProblem where there is no head to judge.
    """
    base, head = asked.base or base, asked.head
    if asked.refused:
        return Answered(
            facts={"refused": asked.refused},
            about=AboutChange(rules=(), gates=(), limits=limits_of_refused(asked.refused)),
        )
    if head is None:
        raise UsageProblem(
            "a bundle does not have the documents that this case changes",
            help="give the folder of the policy: `--policy DIR`",
        )
    change = compare(base, head, now=now)
    needed = requirements(base, head, change, asked.author)
    seen = facts(base, head, change, asked.author)
    rules = tuple(approval_rules(base, {"change": seen})) if needed else ()
    impact = None if asked.impact is None else impact_facts(asked.impact)
    passed = () if change.empty else gates(base, seen, impact)
    said: dict[str, Seen] = {"refused": (), "requires": tuple(_asked_of(needed))}
    said |= {f"rules.{one.name}": str(one.outcome) for one in rules}
    said |= {f"gates.{one.name}": str(one.outcome) for one in passed}
    return Answered(facts=said, about=AboutChange(rules=rules, gates=passed, limits=limits_kept(base, head)))


def _asked_of(needed: Iterable[Requirement]) -> Iterable[str]:
    """Return how many of each group must approve: one person may count for several requirements."""
    most: dict[str, int] = {}
    for one in needed:
        most[one.group] = max(one.count, most.get(one.group, 0))
    return [needed_of(group, most[group]) for group in sorted(most)]


def needed_of(group: str, count: int) -> str:
    """Write how many of a group must approve."""
    return f"{count} of {group}"
