"""Which gates of the base a change runs into: conditions over the change that Governance names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from policyctl.diagnostics import Place, Severity
from policyctl.expr.change_rule import NoTruth, check_change_rule, holds
from policyctl.expr.change_scope import CHANGE_SHAPE, GATE_SHAPE, without_author
from policyctl.expr.change_values import SeenValue, values_read
from policyctl.model.policy import Governance, Policy, place_of

__all__ = ["Gate", "GateOutcome", "Unmeasured", "gates"]


class GateOutcome(StrEnum):
    """What became of a gate.

    `unanswered` has no truth and counts as closed. The others are not judged: `unmeasured` needs an impact that nobody
    asked for, `authorless` an author whom nobody names, `unjudged` an impact that could not be computed.
    """

    OPEN = "open"
    CLOSED = "closed"
    UNANSWERED = "unanswered"
    UNMEASURED = "unmeasured"
    AUTHORLESS = "authorless"
    UNJUDGED = "unjudged"


@dataclass(frozen=True, slots=True, kw_only=True)
class Unmeasured:
    """That the impact was to be measured and could not be, and why."""

    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """One gate and what became of it.

    `message` is what Governance says about it, `when` its condition and `place` where that is written, `why` says why
    it has no answer, and `values` are what the condition read of this change.
    """

    name: str
    level: Severity
    outcome: GateOutcome
    message: str
    when: str
    place: Place
    why: str | None = None
    values: tuple[SeenValue, ...] = ()

    @property
    def closed(self) -> bool:
        """Say whether the change does not pass here, or passes only with a warning."""
        return self.outcome in {GateOutcome.CLOSED, GateOutcome.UNANSWERED}

    @property
    def refuses(self) -> bool:
        """Say whether the change does not pass here."""
        return self.closed and self.level is Severity.ERROR

    @property
    def unknown(self) -> bool:
        """Say whether the gate would refuse by what nobody gave: a workload, or who the author is."""
        left_out = self.outcome in {GateOutcome.UNMEASURED, GateOutcome.AUTHORLESS}
        return left_out and self.level is Severity.ERROR


def gates(
    base: Policy, change: Mapping[str, Any], impact: Mapping[str, Any] | Unmeasured | None = None
) -> tuple[Gate, ...]:
    """Return what became of each gate of the base side, in its order; `change` and `impact` are made by the `facts` of `govern` and `impact`.

    A gate without an answer counts as closed, so that a mistake never opens it. One that speaks of the impact, or of an
    author who is not there, is not judged without one, which is never the same as open.
    """
    seen = _Seen(change, impact)
    written = base.governance
    return tuple(_judged(written, number, seen) for number in range(len(written.gates)))


class _Seen:
    """What is known of a change, and by which outcome a rule ends that speaks of anything else."""

    def __init__(self, change: Mapping[str, Any], impact: Mapping[str, Any] | Unmeasured | None) -> None:
        self.known = {"change": change}
        self._unknown: list[tuple[Mapping[str, Any], GateOutcome, str]] = []
        if isinstance(impact, Unmeasured):
            why = f"the impact on jobs could not be computed: {impact.why}"
            self._unknown.append((CHANGE_SHAPE, GateOutcome.UNJUDGED, why))
        elif impact is None:
            why = "it speaks of the impact on jobs, which is not measured"
            self._unknown.append((CHANGE_SHAPE, GateOutcome.UNMEASURED, why))
        else:
            self.known["impact"] = impact
        if "author" not in change:
            why = "it speaks of the author, whom nobody names here"
            self._unknown.append((without_author(GATE_SHAPE), GateOutcome.AUTHORLESS, why))

    def missing(self, when: str) -> tuple[GateOutcome, str] | None:
        """Return why a rule is not judged that has no other problem than that something is not known."""
        if check_change_rule(when, GATE_SHAPE):
            return None
        for shape, outcome, why in self._unknown:
            if check_change_rule(when, shape):
                return outcome, why
        return None


def _judged(governance: Governance, number: int, seen: _Seen) -> Gate:
    written = governance.gates[number]
    when = written["when"]
    outcome, why = _outcome(when, seen)
    values: tuple[SeenValue, ...] = ()
    if outcome in {GateOutcome.OPEN, GateOutcome.CLOSED} and isinstance(when, str):
        values = values_read(when, seen.known, GATE_SHAPE)
    text = str(when).lower() if isinstance(when, bool) else str(when)
    return Gate(
        name=str(written["name"]),
        level=Severity(written["level"]),
        outcome=outcome,
        message=str(written.get("message", text)),
        when=text,
        place=place_of(governance, f"gates.{number}.when"),
        why=why,
        values=values,
    )


def _outcome(when: object, seen: _Seen) -> tuple[GateOutcome, str | None]:
    if isinstance(when, bool):
        return (GateOutcome.CLOSED if when else GateOutcome.OPEN), None
    source = str(when)
    if (unknown := seen.missing(source)) is not None:
        return unknown
    try:
        closed = holds(source, seen.known, GATE_SHAPE)
    except NoTruth as problem:
        return GateOutcome.UNANSWERED, str(problem)
    return (GateOutcome.CLOSED if closed else GateOutcome.OPEN), None
