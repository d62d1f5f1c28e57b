"""Requirements beside approvals: satisfied, pending or stale, and by whom."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from policyctl.govern.requirements import Requirement
from policyctl.govern.reviews import Standing, Verdict
from policyctl.model.owners import ANYONE
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
    """One requirement, and the people who can meet it by what they said; `unknown` are teams whose members are not known.

    `stand_in` are the groups above that may approve as well, since too few of the group itself did not write the change.
    """

    requirement: Requirement
    state: State
    approved: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()
    objected: tuple[str, ...] = ()
    own: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    stand_in: tuple[str, ...] = ()


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
    authors: Collection[str] = (),
) -> tuple[Judged, ...]:
    """Judge each requirement; an objection of somebody who could approve keeps it pending."""
    return tuple(_judged(one, stands, _asked(one, governance, members, authors)) for one in needed)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    people: frozenset[str]
    unknown: tuple[str, ...]
    stand_in: tuple[str, ...]


def _asked(needed: Requirement, governance: Governance, members: Members, authors: Collection[str]) -> _Asked:
    """Return who can meet a requirement: the group, and where its own authors leave too few, those who stand above it."""
    people, unknown = _people((needed.group,), governance, members)
    stand_in: tuple[str, ...] = ()
    for groups in needed.above:
        # Of a team that nobody knows there may be enough.
        if unknown or len(people.difference(authors)) >= needed.count:
            break
        more, unknown = _people(groups, governance, members)
        people, stand_in = people | more, (*stand_in, *groups)
    return _Asked(people=people, unknown=unknown, stand_in=stand_in)


def _people(
    groups: Iterable[str], governance: Governance, members: Members
) -> tuple[frozenset[str], tuple[str, ...]]:
    handles = [handle.lower() for group in groups for handle in governance.groups.get(group, ())]
    people = {handle.removeprefix("@") for handle in handles if "/" not in handle}
    people |= {person for handle in handles for person in members.get(handle, frozenset())}
    unknown = tuple(handle for handle in handles if "/" in handle and not members.get(handle))
    return frozenset(people), unknown


def _judged(needed: Requirement, stands: tuple[Standing, ...], asked: _Asked) -> Judged:
    told: dict[Verdict, list[str]] = {verdict: [] for verdict in Verdict}
    for one in stands:
        if needed.group == ANYONE or one.user in asked.people:
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
        unknown=asked.unknown,
        stand_in=asked.stand_in,
    )
