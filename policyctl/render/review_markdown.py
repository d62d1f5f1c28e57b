"""Approvals as a section of the comment on a pull request: who must approve, whether they have, and why not."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from policyctl.govern.judge import Judged, Outcome
from policyctl.govern.requirements import DEFAULT
from policyctl.render.diff_markdown import escaped
from policyctl.render.names_text import counted
from policyctl.render.review_text import hints, met, needs

__all__ = ["render"]

_HEADER = "| needs | state | by | because |\n| --- | --- | --- | --- |\n"
_MOST_CHARACTERS = 6_000
_MOST_REASONS = 4


def render(outcome: Outcome) -> str:
    """Write a row for each requirement, then what stands in the way; what would be too long is left out and counted."""
    if not outcome.judged:
        return "\n#### Approvals\n\nBoth policies mean the same: nothing to approve.\n"
    notes = dict.fromkeys(note for one in outcome.judged for note in hints(one))
    rows, more_rows = _fitting([f"| {' | '.join(_row(one))} |\n" for one in outcome.judged])
    told, more_notes = _fitting([f"* {escaped(note)}\n" for note in notes])
    left_out = more_rows + more_notes
    return "".join(
        [
            f"\n#### Approvals: {met(outcome)}\n\n{_HEADER}{rows}",
            f"\n{told}" if told else "",
            f"\n**{counted(left_out, 'line')} left out**; `policyctl review` has all.\n" if left_out else "",
        ]
    )


def _fitting(lines: Sequence[str]) -> tuple[str, int]:
    """Return the lines that fit, the first in any case, and how many do not."""
    ends = list(accumulate(len(one) for one in lines))
    fit = max(1, sum(end <= _MOST_CHARACTERS for end in ends))
    return "".join(lines[:fit]), len(lines[fit:])


def _row(one: Judged) -> tuple[str, str, str, str]:
    rule = one.requirement.rule
    why = (*(() if rule == DEFAULT else (f"rule {rule}",)), *one.requirement.why)
    reasons = [*why[:_MOST_REASONS], *([f"{len(why) - _MOST_REASONS} more"] if why[_MOST_REASONS:] else [])]
    by = ", ".join(f"@{name}" for name in one.approved)
    return escaped(needs(one)), one.state, escaped(by), escaped("; ".join(reasons))
