"""A timeline as JSON: the shape that programs rely on."""

from __future__ import annotations

import json
from typing import Any

from policyctl.agenda.timeline import Agenda, Moment
from policyctl.units import format_instant, format_ratio

__all__ = ["render"]


def render(found: Agenda, *, meaning: str) -> str:
    """Return all moments in order of time; shares are exact parts of the whole pool."""
    answer = {
        "bundle": meaning,
        "now": format_instant(found.start),
        "until": format_instant(found.until),
        "moments": [_moment(one) for one in found.moments],
        "clock_rules": [
            {"name": one.name, "file": one.place.file, "line": one.place.line} for one in found.clock_rules
        ],
    }
    return json.dumps(answer, ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def _moment(moment: Moment) -> dict[str, Any]:
    return {
        "at": format_instant(moment.at),
        "causes": [
            {"kind": one.kind, "name": one.name, "file": one.place.file, "line": one.place.line}
            for one in moment.causes
        ],
        "shares": [
            {
                "pool": one.pool,
                "account": one.account,
                "before": format_ratio(one.before),
                "after": format_ratio(one.after),
            }
            for one in moment.shares
        ],
        "protection": [
            {"target": one.target, "before_seconds": one.before, "after_seconds": one.after}
            for one in moment.turns
            if one.kind == "protection"
        ],
        "suspended": [
            {"account": one.target, "after": bool(one.after)}
            for one in moment.turns
            if one.kind == "suspension"
        ],
        "frozen": [
            {"pool": one.target, "after": bool(one.after)} for one in moment.turns if one.kind == "freeze"
        ],
    }
