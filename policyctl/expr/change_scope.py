"""What the rules of Governance may speak of: the names of a change and of its impact, and their fields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["CHANGE_SHAPE", "GATE_SHAPE", "IMPACT_FIGURES", "IMPACT_SHAPE", "without_author"]

CHANGE_SHAPE: Mapping[str, Any] = {
    "change": {
        "author": None,
        "loosens": None,
        "tightens": None,
        "moved": None,
        "kinds": None,
        "accounts": None,
        "rights": [{"account": None, "kind": None, "direction": None, "loosens": None}],
        "shares": [
            dict.fromkeys(("account", "pool", "before", "after", "gpus_before", "gpus_after", "inherited"))
        ],
        "settings": [dict.fromkeys(("subject", "field", "before", "after"))],
        "exceptions": [dict.fromkeys(("name", "what", "grant", "days"))],
    }
}
"""The names that a rule may use; a list of one shape stands for many."""

IMPACT_FIGURES = ("delivery", "wait", "preemptions", "lost", "protection")
"""What is measured of a program; each is there as `_before`, `_after` and `_change`."""
_PROGRAM = dict.fromkeys(
    ("account", *(f"{name}_{side}" for name in IMPACT_FIGURES for side in ("before", "after", "change")))
)
IMPACT_SHAPE: Mapping[str, Any] = {
    "impact": {"visible": None, "seeds": None, "jobs": None, "overall": _PROGRAM, "programs": [_PROGRAM]}
}
"""The names that only a gate may use."""

GATE_SHAPE: Mapping[str, Any] = {**CHANGE_SHAPE, **IMPACT_SHAPE}
"""The names that a gate may use."""


def without_author(shape: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a shape as it is where nobody knows who made the change."""
    change = {name: field for name, field in shape["change"].items() if name != "author"}
    return {**shape, "change": change}
