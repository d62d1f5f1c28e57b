"""What became of the gates of Governance, as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from policyctl.govern.gates import Gate

__all__ = ["render"]


def render(gates: Sequence[Gate]) -> str:
    """Write a list in the order of Governance."""
    return json.dumps([_gate(one) for one in gates], indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _gate(one: Gate) -> dict[str, Any]:
    return {
        "name": one.name,
        "level": one.level.value,
        "outcome": one.outcome.value,
        "message": one.message,
        "when": one.when,
        "why": one.why,
        "values": {value.path: value.value for value in one.values},
        "file": one.place.file,
        "line": one.place.line,
    }
