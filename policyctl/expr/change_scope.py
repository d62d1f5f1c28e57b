"""What the rules of Governance may speak of: the names of a change and their fields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["CHANGE_SHAPE", "GATE_SHAPE"]

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

GATE_SHAPE: Mapping[str, Any] = {**CHANGE_SHAPE, "impact": None}
"""The names that a gate may use; the fields of an impact are not checked."""
