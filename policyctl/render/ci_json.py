"""A whole check as one JSON document: how each stage ended, and its answer as the command of its name writes it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from policyctl.errors import Exit
from policyctl.units import Instant, format_instant

__all__ = ["StageTold", "render"]

_ENDS: Final = {
    Exit.OK: "ok",
    Exit.FINDINGS: "failed",
    Exit.USAGE: "usage",
    Exit.NO_ANSWER: "no_answer",
    Exit.BUNDLE: "bundle_rejected",
    Exit.NOTHING_VERIFIED: "nothing_verified",
    Exit.BUG: "bug",
}
_ANSWERS: Final = ("validate", "test", "diff", "impact", "gates", "review")


@dataclass(frozen=True, slots=True, kw_only=True)
class StageTold:
    """One stage: its answer is JSON, None where there is none; `why` then says so."""

    name: str
    exit: Exit
    answer: str | None
    why: str | None


def render(
    stages: Sequence[StageTold],
    code: Exit,
    *,
    sides: tuple[str, str] | None,
    digests: Mapping[str, str | None],
    now: Instant,
) -> str:
    """Write one object; null for every answer that there is not."""
    answers = {one.name: one.answer for one in stages if one.answer is not None}
    document: dict[str, Any] = {
        "exit_code": int(code),
        "outcome": _ENDS[code],
        "now": format_instant(now),
        "base": None if sides is None else sides[0],
        "head": None if sides is None else sides[1],
        "digests": dict(digests),
        "stages": [
            {"name": one.name, "exit_code": int(one.exit), "outcome": _ENDS[one.exit], "why": one.why}
            for one in stages
        ],
    }
    document |= {name: json.loads(answers[name]) if name in answers else None for name in _ANSWERS}
    return json.dumps(document, indent=1, ensure_ascii=True, allow_nan=False) + "\n"
