"""Requirements beside approvals: satisfied, pending or stale, and by whom."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from policyctl.govern.owners import ANYONE
from policyctl.govern.requirements import Requirement
from policyctl.govern.reviews import Standing, Verdict
from policyctl.model.policy import Governance

__all__ = ["Judged", "Members", "Outcome", "State", "judge"]

Members = Mapping[str, frozenset[str]]
"""Who is in a team, by its handle; all in lower case, without `@` before a person."""


class State(StrEnum):
    """Whether a requirement is met; `stale` would be, if older approvals still counted."""

    SATISFIED = "satisfied"
    PENDING = "pending"
    STALE = "stale"


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """One requirement, and the people of its group by what they said; `unknown` are teams whose members are not known."""

    requirement: Requirement
    state: State
    approved: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()
    objected: tuple[str, ...] = ()
    own: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """All requirements of a change, whose authors do not approve it, and the digest of what it means."""

    base: str
    head: str
    author: str
    digest: str
    judged: tuple[Judged, ...]

    @property
    def satisfied(self) -> bool:
        """Say whether every requirement is met."""
        return all(one.state is State.SATISFIED for one in self.judged)


def judge(
    needed: tuple[Requirement, ...],
    stands: tuple[Standing, ...],
    governance: Governance,
    members: Members,
) -> tuple[Judged, ...]:
    """Judge each requirement; an objection of somebody who could approve keeps it pending."""
    return tuple(_judged(one, stands, governance, members) for one in needed)


def _judged(
    needed: Requirement, stands: tuple[Standing, ...], governance: Governance, members: Members
) -> Judged:
    handles = [handle.lower() for handle in governance.groups.get(needed.group, ())]
    people = {handle.removeprefix("@") for handle in handles if "/" not in handle}
    people |= {person for handle in handles for person in members.get(handle, frozenset())}
    told: dict[Verdict, list[str]] = {verdict: [] for verdict in Verdict}
    for one in stands:
        if needed.group == ANYONE or one.user in people:
            told[one.verdict].append(one.user)
    enough = len(told[Verdict.APPROVES]) >= needed.count
    once = len(told[Verdict.APPROVES]) + len(told[Verdict.STALE]) >= needed.count
    state = State.SATISFIED if enough else State.STALE if once else State.PENDING
    return Judged(
        requirement=needed,
        state=State.PENDING if told[Verdict.OBJECTS] else state,
        approved=tuple(told[Verdict.APPROVES]),
        stale=tuple(told[Verdict.STALE]),
        objected=tuple(told[Verdict.OBJECTS]),
        own=tuple(told[Verdict.OWN]),
        unknown=tuple(handle for handle in handles if "/" in handle and not members.get(handle)),
    )
