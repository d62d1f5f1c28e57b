"""Cases to their results: each is asked, and what was expected is held against what the answer says."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import assert_never

from policyctl.diagnostics import Finding, Place
from policyctl.errors import PolicyctlError
from policyctl.model.policy import Policy
from policyctl.testing.answer import answer
from policyctl.testing.answered import Answered
from policyctl.testing.case import (
    Among,
    Begins,
    Case,
    Exactly,
    Figure,
    Review,
    Seen,
    Text,
    Unreadable,
    Wanted,
)

__all__ = ["CaseResult", "Difference", "run_case"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One fact that is not as expected; `seen` None where the answer has no such fact at all."""

    field: str
    wanted: Wanted
    seen: Seen | None
    place: Place


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseResult:
    """How a case went; `problem` says why its question had no answer, and then nothing was compared."""

    case: Case
    differences: tuple[Difference, ...]
    problem: str | None
    answered: Answered | None

    @property
    def passed(self) -> bool:
        """Say whether the answer was all that the case expects."""
        return self.problem is None and not self.differences


def run_case(policy: Policy, case: Case) -> CaseResult:
    """Ask the question of a case under a policy."""
    if isinstance(case.question, Unreadable):
        wrong = "; ".join(_told(one) for one in case.question.findings)
        return CaseResult(
            case=case, differences=(), problem=f"the case cannot be read: {wrong}", answered=None
        )
    try:
        answered = answer(policy, case)
    except PolicyctlError as problem:
        said = f"{problem}; {problem.help}" if problem.help else str(problem)
        return CaseResult(case=case, differences=(), problem=said, answered=None)
    if (surprise := _surprise(case)) is not None:
        return CaseResult(case=case, differences=(surprise,), problem=None, answered=answered)
    differences = tuple(
        Difference(field=one.field, wanted=one.wanted, seen=seen, place=one.place)
        for one in case.expected
        if not _agrees(one.wanted, seen := answered.facts.get(one.field))
    )
    return CaseResult(case=case, differences=differences, problem=None, answered=answered)


def _surprise(case: Case) -> Difference | None:
    """Return the one difference of a case whose change is refused and should not be: nothing else can be compared."""
    asked = case.question
    if (
        not isinstance(asked, Review)
        or not asked.wrong
        or any(one.field == "refused" for one in case.expected)
    ):
        return None
    seen = tuple(f"{one.code}: {one.message}" for one in asked.wrong)
    return Difference(field="refused", wanted=Exactly(()), seen=seen, place=asked.wrong[0].place)


def _told(one: Finding) -> str:
    said = f"{one.place}: {one.code} {one.message}"
    return f"{said}, {one.help}" if one.help else said


def _agrees(wanted: Wanted, seen: Seen | None) -> bool:
    match wanted:
        case Text():
            return seen == wanted.text
        case Figure():
            return isinstance(seen, Fraction) and _close(wanted, seen)
        case Begins():
            return isinstance(seen, tuple) and seen[: len(wanted.items)] == wanted.items
        case Exactly():
            return isinstance(seen, tuple) and sorted(seen) == sorted(wanted.items)
        case Among():
            return isinstance(seen, tuple) and all(_is_in(item, seen) for item in wanted.items)
        case _:
            assert_never(wanted)


def _close(wanted: Figure, seen: Fraction) -> bool:
    if wanted.digits is None:
        return seen == wanted.value
    return abs(seen - wanted.value) <= Fraction(1, 2 * int(10**wanted.digits))


def _is_in(item: str, seen: tuple[str, ...]) -> bool:
    return any(one == item or one.startswith(f"{item}:") for one in seen)
