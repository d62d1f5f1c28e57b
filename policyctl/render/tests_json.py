"""How policy tests went, as JSON: every case with what differs, and the coverage where it was asked for."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from policyctl.render.tests_words import expected, got
from policyctl.testing.coverage import Covered
from policyctl.testing.run import CaseResult
from policyctl.units import format_instant

__all__ = ["render"]


def render(results: Sequence[CaseResult], covered: Sequence[Covered] | None, *, policy: str) -> str:
    """Write one object; `policy` is the digest of what the policy means."""
    passed = sum(one.passed for one in results)
    answer = {
        "bundle": policy,
        "passed": passed,
        "failed": len(results) - passed,
        "cases": [_case(one) for one in results],
        "coverage": None if covered is None else [_covered(one) for one in covered],
    }
    return json.dumps(answer, ensure_ascii=False, indent=1) + "\n"


def _case(result: CaseResult) -> dict[str, Any]:
    case = result.case
    return {
        "test": case.test,
        "case": case.name,
        "file": case.place.file,
        "line": case.place.line,
        "now": format_instant(case.now),
        "passed": result.passed,
        "problem": result.problem,
        "differences": [
            {"field": one.field, "expected": expected(one.wanted), "got": got(one), "line": one.place.line}
            for one in result.differences
        ],
    }


def _covered(one: Covered) -> dict[str, Any]:
    return {
        "kind": one.kind,
        "name": one.name,
        "held": one.held,
        "not_held": one.not_held,
        "file": one.place.file,
        "line": one.place.line,
    }
