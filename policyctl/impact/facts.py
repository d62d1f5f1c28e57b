"""What the gates of Governance see of an impact: `impact`, as plain JSON values."""

from __future__ import annotations

from typing import Any, Final

from policyctl.expr.change_scope import IMPACT_FIGURES
from policyctl.model.impact import FigureKind, Impact, ProgramImpact
from policyctl.model.measures import ALL

__all__ = ["impact_facts"]

_FIGURES: Final = {
    "delivery": (FigureKind.DELIVERY, None, 1.0),
    "wait": (FigureKind.WAIT, ALL, 0.0),
    "preemptions": (FigureKind.PREEMPTIONS, None, 0.0),
    "lost": (FigureKind.LOST, None, 0.0),
    "protection": (FigureKind.PROTECTION, None, 0.0),
}
"""Each of `IMPACT_FIGURES`: kind, size of the jobs, and what stands for it where it cannot be said."""


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
    for name in IMPACT_FIGURES:
        kind, size, absent = _FIGURES[name]
        figure = one.figure(kind, size)
        before, after = (absent, absent) if figure is None else (figure.before, figure.after)
        told |= {f"{name}_before": before, f"{name}_after": after, f"{name}_change": after - before}
    return told
