"""What became of the gates of Governance, for people: one line for each, then what it comes to."""

from __future__ import annotations

from collections.abc import Sequence

from policyctl.govern.gates import Gate, GateOutcome
from policyctl.render.names_text import counted
from policyctl.render.terminal import painted, visible

__all__ = ["render", "state", "told"]


def render(gates: Sequence[Gate], *, colour: bool) -> str:
    """Write the gates in the order of Governance."""
    if not gates:
        return "the base has no gates\n"
    lines = [f"{painted(state(one), _ink(one), on=colour)} {visible(told(one))}" for one in gates]
    shut = sum(one.closed for one in gates)
    return "\n".join([*lines, f"{counted(len(gates), 'gate')}, {shut} closed"]) + "\n"


def state(one: Gate) -> str:
    """Say in a word or two what became of a gate, with its level where that matters."""
    match one.outcome:
        case GateOutcome.OPEN:
            return "open"
        case GateOutcome.UNMEASURED:
            return "not measured"
        case GateOutcome.CLOSED | GateOutcome.UNANSWERED:
            return f"closed ({one.level})"


def told(one: Gate) -> str:
    """Say which gate it is, what Governance says of it where it is closed, and why it has no answer."""
    parts = [one.name]
    if one.closed:
        parts.append(one.message)
    if one.why is not None:
        parts.append(one.why if one.outcome is GateOutcome.UNMEASURED else f"no answer: {one.why}")
    return ": ".join(parts)


def _ink(one: Gate) -> str:
    if one.refuses:
        return "red"
    return "green" if one.outcome is GateOutcome.OPEN else "yellow"
