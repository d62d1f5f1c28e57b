"""Approvals on a comparison's page: what the base asks, of whom, and how each stands where that was judged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from policyctl.govern.judge import Judged, Outcome, State
from policyctl.govern.requirements import Requirement
from policyctl.render.charts.drawing import shortened
from policyctl.render.diff_html_cells import Cell, Listing, listing, text
from policyctl.render.review_text import hints, met, needs

__all__ = ["Approvals", "ToldApprovals", "told"]

_MOST_GROUPS = 8
_UNKNOWN = "nobody's rules are known, as the base could not be read as a whole"


@dataclass(frozen=True, slots=True, kw_only=True)
class Approvals:
    """What the base requires of an author, None where nobody is named; `needed` None where its rules are unknown.

    `outcome` is how the requirements stand, None where no approvals were given to judge.
    """

    needed: tuple[Requirement, ...] | None
    author: str | None = None
    outcome: Outcome | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldApprovals:
    """The section: what it comes to, the sentence above the table, and the table, None where there is none."""

    short: str
    about: str
    table: Listing | None = None


def told(one: Approvals) -> ToldApprovals:
    """Return the section; backticks in its sentences are ours, around names."""
    if one.outcome is not None and one.outcome.judged:
        return _judged(one.outcome)
    if one.needed is None:
        way_out = "such a change is merged by whoever administers the repository"
        return ToldApprovals(short=_UNKNOWN, about=f"{_UNKNOWN[0].upper()}{_UNKNOWN[1:]}: {way_out}.")
    if not one.needed or one.outcome is not None:
        about = "Nothing changes its meaning, so there is nothing to approve."
        return ToldApprovals(short="none is needed", about=about)
    whom = "an author who is not known here" if one.author is None else _named(one.author)
    return ToldApprovals(
        short=_short(one.needed),
        about=f"What the rules of the base ask of {whom}. `policyctl review` says which of them are there.",
        table=_table(one.needed),
    )


def _judged(outcome: Outcome) -> ToldApprovals:
    return ToldApprovals(
        short=met(outcome),
        about=f"What the rules of the base ask of {_named(outcome.author)}: {met(outcome)}.",
        table=listing(
            ("who", "state", "by", "owner of", "rule", "because"), (_row(one) for one in outcome.judged)
        ),
    )


def _named(author: str) -> str:
    return f"`@{shortened(author)}`"


def _row(one: Judged) -> tuple[Cell, ...]:
    kind = "" if one.state is State.SATISFIED else str(one.state)
    return (
        text(needs(one)),
        text(one.state, kind=kind),
        text(*([f"@{name}" for name in one.approved] or ["–"])),
        text(one.requirement.account or "–"),
        text(one.requirement.rule),
        text(*_why(one.requirement), *hints(one), quoting=True),
    )


def _table(needed: Sequence[Requirement]) -> Listing:
    return listing(
        ("who", "owner of", "rule", "because"),
        (
            (
                text(f"{one.count} of {one.group}"),
                text(one.account or "–"),
                text(one.rule),
                text(*_why(one), quoting=True),
            )
            for one in needed
        ),
    )


def _why(one: Requirement) -> tuple[str, ...]:
    return one.why or ("the rule applies",)


def _short(needed: Sequence[Requirement]) -> str:
    most: dict[str, int] = {}
    for one in needed:
        most[one.group] = max(one.count, most.get(one.group, 0))
    said = [f"{count} of `{shortened(group)}`" for group, count in most.items()]
    more = [f"and {len(said) - _MOST_GROUPS:,} more"] if said[_MOST_GROUPS:] else []
    return ", ".join([*said[:_MOST_GROUPS], *more])
