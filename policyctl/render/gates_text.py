"""What became of the gates of Governance, for people: what each came to and why, then what it comes to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from policyctl.govern.gates import Gate, GateOutcome
from policyctl.render.names_text import counted
from policyctl.render.terminal import painted, visible

__all__ = ["read", "render", "state", "told"]


def render(gates: Sequence[Gate], *, colour: bool) -> str:
    """Write the gates in the order of Governance."""
    if not gates:
        return "the base has no gates\n"
    lines = [line for one in gates for line in _lines(one, colour=colour)]
    shut = sum(one.closed for one in gates)
    return "\n".join([*lines, f"{counted(len(gates), 'gate')}, {shut} closed"]) + "\n"


def _lines(one: Gate, *, colour: bool) -> Iterator[str]:
    yield f"{painted(state(one), _ink(one), on=colour)} {visible(told(one))}"
    if one.outcome is not GateOutcome.OPEN:
        yield f"  {visible(one.place.file_line)}: {visible(one.when)}"
    if one.closed and one.values:
        yield f"  {visible(read(one))}"


def state(one: Gate) -> str:
    """Say in a word or two what became of a gate, with its level where that matters."""
    match one.outcome:
        case GateOutcome.OPEN:
            return "open"
        case GateOutcome.UNMEASURED:
            return "not measured"
        case GateOutcome.AUTHORLESS:
            return "not judged"
        case GateOutcome.UNJUDGED:
            return "not judged (error)"
        case GateOutcome.CLOSED | GateOutcome.UNANSWERED:
            return f"closed ({one.level})"


def told(one: Gate) -> str:
    """Say which gate it is, what Governance says of it where it is closed, and why it has no answer."""
    parts = [one.name]
    if one.closed:
        parts.append(one.message)
    if one.why is not None:
        parts.append(f"no answer: {one.why}" if one.outcome is GateOutcome.UNANSWERED else one.why)
    return ": ".join(parts)


def read(one: Gate) -> str:
    """Say what the condition read: `change.moved = 0.1`."""
    return ", ".join(f"{value.path} = {_value(value.value)}" for value in one.values)


def _value(value: str | float) -> str:
    """Write a value as a rule has it, but without quotes; booleans are lower case."""
    match value:
        case bool():
            return str(value).lower()
        case float():
            return f"{value:.6g}"
        case _:
            return str(value)


def _ink(one: Gate) -> str:
    if one.refuses or one.outcome is GateOutcome.UNJUDGED:
        return "red"
    return "green" if one.outcome is GateOutcome.OPEN else "yellow"
