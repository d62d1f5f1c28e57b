"""Which gates of the base a change runs into: conditions over the change that Governance names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from policyctl.diagnostics import Severity
from policyctl.expr.change_rule import NoTruth, check_change_rule, holds
from policyctl.expr.change_scope import CHANGE_SHAPE, GATE_SHAPE
from policyctl.model.policy import Policy

__all__ = ["Gate", "GateOutcome", "gates"]


class GateOutcome(StrEnum):
    """What became of a gate: `unanswered` has no truth and counts as closed, `unmeasured` needs an impact."""

    OPEN = "open"
    CLOSED = "closed"
    UNANSWERED = "unanswered"
    UNMEASURED = "unmeasured"


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """One gate and what became of it; `message` is what Governance says about it, `why` why it has no answer."""

    name: str
    level: Severity
    outcome: GateOutcome
    message: str
    why: str | None = None

    @property
    def closed(self) -> bool:
        """Say whether the change does not pass here, or passes only with a warning."""
        return self.outcome in {GateOutcome.CLOSED, GateOutcome.UNANSWERED}

    @property
    def refuses(self) -> bool:
        """Say whether the change does not pass here."""
        return self.closed and self.level is Severity.ERROR


def gates(
    base: Policy, change: Mapping[str, Any], impact: Mapping[str, Any] | None = None
) -> tuple[Gate, ...]:
    """Return what became of each gate of the base side, in its order; `change` and `impact` are made by the `facts` of `govern` and `impact`.

    A gate without an answer counts as closed, so that a mistake never opens it. One that speaks of the impact is
    unmeasured without one, which is never the same as open.
    """
    return tuple(_judged(written, change, impact) for written in base.governance.gates)


def _judged(written: Mapping[str, Any], change: Mapping[str, Any], impact: Mapping[str, Any] | None) -> Gate:
    when = written["when"]
    outcome, why = _outcome(when if isinstance(when, bool) else str(when), change, impact)
    return Gate(
        name=str(written["name"]),
        level=Severity(written["level"]),
        outcome=outcome,
        message=str(written.get("message", when)),
        why=why,
    )


def _outcome(
    when: bool | str,  # noqa: FBT001 - as it is written
    change: Mapping[str, Any],
    impact: Mapping[str, Any] | None,
) -> tuple[GateOutcome, str | None]:
    if isinstance(when, bool):
        return (GateOutcome.CLOSED if when else GateOutcome.OPEN), None
    if impact is None and _speaks_of_impact(when):
        return GateOutcome.UNMEASURED, "it speaks of the impact on jobs, which is not measured"
    known = {"change": change} if impact is None else {"change": change, "impact": impact}
    try:
        closed = holds(when, known, GATE_SHAPE)
    except NoTruth as problem:
        return GateOutcome.UNANSWERED, str(problem)
    return (GateOutcome.CLOSED if closed else GateOutcome.OPEN), None


def _speaks_of_impact(when: str) -> bool:
    """Say whether a rule has no other problem than that nothing is known of the impact."""
    return bool(check_change_rule(when, CHANGE_SHAPE)) and not check_change_rule(when, GATE_SHAPE)
