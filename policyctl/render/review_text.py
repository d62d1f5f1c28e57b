"""Approvals for people: a table of what is required, then what stands in the way."""

from __future__ import annotations

from collections.abc import Iterator

from policyctl.govern.judge import Judged, Outcome, State
from policyctl.render.names_text import counted
from policyctl.render.table_text import table, wrapped
from policyctl.render.terminal import visible

__all__ = ["hints", "met", "needs", "render"]


def render(outcome: Outcome, *, columns: int | None = None) -> str:
    """Write one row for each requirement, with who gave it, and one line for each thing to know about it."""
    lines = [
        f"base    {visible(outcome.base)}",
        f"head    {visible(outcome.head)}",
        f"author  @{visible(outcome.author)}",
        f"change  {outcome.digest[:19]}",
        "",
    ]
    if not outcome.judged:
        return "\n".join([*lines, "both policies mean the same: nothing to approve"]) + "\n"
    lines += table(("rule", "account", "needs", "state", "by"), [_row(one) for one in outcome.judged])
    notes = list(dict.fromkeys(note for one in outcome.judged for note in _notes(one)))
    lines += ["", *(line for note in notes for line in wrapped(visible(note), columns))] if notes else []
    return "\n".join([*lines, "", met(outcome)]) + "\n"


def _row(one: Judged) -> list[str]:
    needed = one.requirement
    return [
        needed.rule,
        needed.account or "",
        needs(one),
        one.state,
        ", ".join(f"@{name}" for name in one.approved),
    ]


def _notes(one: Judged) -> Iterator[str]:
    for why in one.requirement.why:
        yield f"{one.requirement.group}: {why}"
    yield from hints(one)


def needs(one: Judged) -> str:
    """Say how many people of which groups must approve."""
    return f"{one.requirement.count} of {' or '.join((one.requirement.group, *one.stand_in))}"


def met(outcome: Outcome) -> str:
    """Say how many requirements are satisfied."""
    satisfied = sum(one.state is State.SATISFIED for one in outcome.judged)
    return f"{satisfied} of {counted(len(outcome.judged), 'requirement')} satisfied"


def hints(one: Judged) -> Iterator[str]:
    """Say who may approve in whose place, and why words that were given do not count."""
    group = one.requirement.group
    if one.stand_in:
        others = " and ".join(one.stand_in)
        yield f"{group}: too few of them did not write the change, so {others} may approve in their place"
    if one.state is State.SATISFIED:
        return
    for name in one.stale:
        yield f"{group}: @{name} approved another meaning of the change"
    for name in one.objected:
        yield f"{group}: @{name} requested changes"
    for name in one.own:
        yield f"{group}: @{name} wrote a part of the change"
    for team in one.unknown:
        yield f"{group}: who is in {team} is not known, see --members"
