"""What reviewers said of a change, and which of it still counts: the last word of each, for the meaning they saw."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

__all__ = ["ApprovalFile", "Review", "Said", "Standing", "Verdict", "standing"]


class Said(StrEnum):
    """A word that stands until the next one of the same person; comments say neither."""

    APPROVED = "APPROVED"
    CHANGES_REQUESTED = "CHANGES_REQUESTED"
    DISMISSED = "DISMISSED"


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """One review: who, what, of which commit, and when (as the code host writes it); `id` grows with time."""

    user: str
    said: Said
    commit: str
    submitted: str
    id: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalFile:
    """What the code host says: the reviews, and everybody who wrote a part of the change.

    `head` is the commit that is to be merged, empty if it is not said; `members` are the teams as the change leaves
    them, None if that is not said.
    """

    author: str
    authors: frozenset[str]
    reviews: tuple[Review, ...]
    head: str = ""
    members: Mapping[str, frozenset[str]] | None = None


class Verdict(StrEnum):
    """Whether a person's last word counts: `stale` was said of another meaning, `own` by somebody who wrote it."""

    APPROVES = "approves"
    STALE = "stale"
    OBJECTS = "objects"
    OWN = "own"


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """Where one person stands, by the commit that was seen."""

    user: str
    verdict: Verdict
    commit: str


def standing(given: ApprovalFile, same: Mapping[str, bool]) -> tuple[Standing, ...]:
    """Return where each person stands, by name; `same` says of a commit whether it means the same change."""
    last = {}
    for one in sorted(given.reviews, key=lambda one: (one.submitted, one.id)):
        last[one.user] = one
    return tuple(_stand(last[user], given.authors, same) for user in sorted(last) if _speaks(last[user]))


def _speaks(one: Review) -> bool:
    return one.said is not Said.DISMISSED


def _stand(one: Review, authors: Iterable[str], same: Mapping[str, bool]) -> Standing:
    if one.said is Said.CHANGES_REQUESTED:
        verdict = Verdict.OBJECTS
    elif one.user in authors:
        verdict = Verdict.OWN
    else:
        verdict = Verdict.APPROVES if same.get(one.commit, False) else Verdict.STALE
    return Standing(user=one.user, verdict=verdict, commit=one.commit)
