"""How a rehearsal went: each expectation as it is written, whether it held, and where it did not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields
from fractions import Fraction

from policyctl.render.terminal import visible
from policyctl.sim.scenarios.expectations import Expectation
from policyctl.sim.scenarios.miss import Miss, Verdict
from policyctl.units import format_duration, format_instant, format_percent

__all__ = ["render"]

_SHOWN = 5
_LENGTHS = frozenset({"within", "length", "since", "until"})
_SPELT = {"since": "from", "at_least": "atLeast", "at_most": "atMost"}


def render(name: str, seed: int, verdicts: Sequence[Verdict]) -> str:
    """Write one line for the scenario and one for each expectation, with the first few misses below it."""
    held = sum(one.held for one in verdicts)
    lines = [f"{visible(name)} (seed {seed}): {held} of {len(verdicts)} expectations held"]
    for one in verdicts:
        lines.append(f"  {'held  ' if one.held else 'missed'} {_written(one.expectation)}")
        lines += [f"         {line}" for line in _misses(one.misses)]
    return "\n".join(lines) + "\n"


def _written(wanted: Expectation) -> str:
    kind = type(wanted).__name__
    said = [
        f"{_SPELT.get(field.name, field.name)}: {_value(field.name, value)}"
        for field in fields(wanted)
        if (value := getattr(wanted, field.name)) is not None
    ]
    return f"{kind[:1].lower()}{kind[1:]} {', '.join(said)}"


def _value(name: str, value: object) -> str:
    if isinstance(value, Fraction):
        return format_percent(value)
    if isinstance(value, int) and name in _LENGTHS:
        return format_duration(value)
    return visible(str(value))


def _misses(misses: Sequence[Miss]) -> Iterator[str]:
    for one in misses[:_SHOWN]:
        yield f"`{visible(one.subject)}`: {_missed(one)}"
    if len(misses) > _SHOWN:
        yield f"and {len(misses) - _SHOWN:,} more"


def _missed(miss: Miss) -> str:
    if miss.unit == "jobs":
        return "no job of that name was submitted"
    seen = "never" if miss.seen is None else _number(miss.seen, miss.unit)
    return f"{seen}, where {_number(miss.bound, miss.unit)} was the bound"


def _number(value: int | Fraction, unit: str) -> str:
    if unit == "part":
        return format_percent(Fraction(value))
    if unit == "seconds":
        return format_duration(int(value))
    if unit == "instant":
        return format_instant(int(value))
    return f"{value} times" if value != 1 else "once"
