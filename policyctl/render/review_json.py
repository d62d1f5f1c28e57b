"""Approvals as JSON."""

from __future__ import annotations

import json
from typing import Any

from policyctl.govern.judge import Judged, Outcome

__all__ = ["render"]


def render(outcome: Outcome) -> str:
    """Write every requirement with the people who spoke for it, by what they said."""
    answer = {
        "base": outcome.base,
        "head": outcome.head,
        "author": outcome.author,
        "change": outcome.digest,
        "satisfied": outcome.satisfied,
        "requirements": [_judged(one) for one in outcome.judged],
    }
    return json.dumps(answer, indent=2, ensure_ascii=False) + "\n"


def _judged(one: Judged) -> dict[str, Any]:
    return {
        "rule": one.requirement.rule,
        "account": one.requirement.account,
        "group": one.requirement.group,
        "count": one.requirement.count,
        "why": list(one.requirement.why),
        "state": one.state,
        "approved": list(one.approved),
        "stale": list(one.stale),
        "objected": list(one.objected),
        "own": list(one.own),
        "unknown_teams": list(one.unknown),
        "stand_in": list(one.stand_in),
    }
