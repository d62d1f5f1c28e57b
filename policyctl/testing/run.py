"""Cases to their results: each is asked, and what was expected is held against what the answer says."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import assert_never

from policyctl.diagnostics import Place
from policyctl.errors import PolicyctlError
from policyctl.model.policy import Policy
from policyctl.testing.answer import answer
from policyctl.testing.answered import Answered
from policyctl.testing.case import Among, Begins, Case, Exactly, Figure, Seen, Text, Wanted

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
    try:
        answered = answer(policy, case)
    except PolicyctlError as problem:
        said = f"{problem}; {problem.help}" if problem.help else str(problem)
        return CaseResult(case=case, differences=(), problem=said, answered=None)
    differences = tuple(
        Difference(field=one.field, wanted=one.wanted, seen=seen, place=one.place)
        for one in case.expected
        if not _agrees(one.wanted, seen := answered.facts.get(one.field))
    )
    return CaseResult(case=case, differences=differences, problem=None, answered=answered)


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
