"""What the gates of Governance see of an impact: `impact`, as plain JSON values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from policyctl.model.impact import FigureKind, Impact, ProgramImpact
from policyctl.model.measures import ALL

__all__ = ["IMPACT_SHAPE", "impact_facts"]

_FIELDS: Final = {
    "delivery": (FigureKind.DELIVERY, None, 1.0),
    "wait": (FigureKind.WAIT, ALL, 0.0),
    "preemptions": (FigureKind.PREEMPTIONS, None, 0.0),
    "lost": (FigureKind.LOST, None, 0.0),
    "protection": (FigureKind.PROTECTION, None, 0.0),
}
_PROGRAM: Final = dict.fromkeys(
    ("account", *(f"{name}_{side}" for name in _FIELDS for side in ("before", "after", "change")))
)
IMPACT_SHAPE: Mapping[str, Any] = {
    "impact": {"visible": None, "seeds": None, "jobs": None, "overall": _PROGRAM, "programs": [_PROGRAM]}
}
"""The names that a gate may use; a list of one shape stands for many."""


def impact_facts(found: Impact) -> dict[str, Any]:
    """Return the `impact` of the gates: means over the seeds.

    Delivery is 1 for a program that is owed nothing, and the wait of one without jobs is 0, on both sides.
    """
    overall, *programs = (_program(one) for one in found.programs)
    return {
        "visible": found.visible,
        "seeds": len(found.seeds),
        "jobs": found.jobs,
        "overall": overall,
        "programs": programs,
    }


def _program(one: ProgramImpact) -> dict[str, Any]:
    told: dict[str, Any] = {"account": one.account}
    for name, (kind, size, absent) in _FIELDS.items():
        figure = one.figure(kind, size)
        before, after = (absent, absent) if figure is None else (figure.before, figure.after)
        told |= {f"{name}_before": before, f"{name}_after": after, f"{name}_change": after - before}
    return told
