"""Exceptions as JSON: the shape that programs rely on."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from policyctl.agenda.effect import Effect
from policyctl.agenda.exceptions import Phase, Review
from policyctl.render.grant_text import grant_text
from policyctl.units import Instant, format_instant

__all__ = ["render"]


def render(reviews: Sequence[Review], effects: Mapping[str, Effect], *, now: Instant, meaning: str) -> str:
    """Return all exceptions; `effect` is null for one whose decisions were not compared."""
    answer = {
        "bundle": meaning,
        "now": format_instant(now),
        "exceptions": [_one(one, effects.get(one.exception.name)) for one in reviews],
    }
    return json.dumps(answer, ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def _one(one: Review, effect: Effect | None) -> dict[str, Any]:
    said = one.exception
    return {
        "name": said.name,
        "phase": one.phase.value,
        "expiring": one.expiring,
        "starts": None if said.period.start is None else format_instant(said.period.start),
        "expires": None if said.period.end is None else format_instant(said.period.end),
        "grants": grant_text(said.grant),
        "reason": said.reason,
        "ticket": said.ticket,
        "requested_by": said.requested_by,
        "file": said.place.file,
        "line": said.place.line,
        "unused": None if effect is None or one.phase is not Phase.ACTIVE else effect.kind is None,
        "effect": None
        if effect is None or effect.kind is None
        else {"kind": effect.kind, "jobs": list(effect.jobs)},
        "redundant_to": one.redundant,
        "overlaps": list(one.overlaps),
        "renewals": one.renewals,
        "renewed_too_often": one.too_often,
    }
