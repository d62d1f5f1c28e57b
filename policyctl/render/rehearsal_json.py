"""How rehearsals went, as JSON: every expectation with what it was held to and where it was missed."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import fields
from fractions import Fraction
from typing import Any

from policyctl.sim.scenarios.miss import Verdict
from policyctl.sim.scenarios.rehearse import Rehearsal

__all__ = ["render"]


def render(rehearsals: Iterable[tuple[Rehearsal, str]]) -> str:
    """Write rehearsals, each with the digest of its policy; times in seconds, parts as exact rationals."""
    found = [
        {
            "scenario": one.scenario.name,
            "seed": one.seed,
            "policy": digest,
            "held": one.held,
            "expectations": [_verdict(verdict) for verdict in one.verdicts],
        }
        for one, digest in rehearsals
    ]
    return json.dumps({"rehearsals": found}, ensure_ascii=False) + "\n"


def _verdict(verdict: Verdict) -> dict[str, Any]:
    wanted = verdict.expectation
    kind = type(wanted).__name__
    return {
        "kind": kind[:1].lower() + kind[1:],
        "wanted": {field.name: _plain(getattr(wanted, field.name)) for field in fields(wanted)},
        "held": verdict.held,
        "jobs": verdict.jobs,
        "misses": [
            {
                "subject": miss.subject,
                "seen": _plain(miss.seen),
                "bound": _plain(miss.bound),
                "unit": miss.unit,
            }
            for miss in verdict.misses
        ],
    }


def _plain(value: object) -> object:
    return str(value) if isinstance(value, Fraction) else value
