"""Findings for programs: the JSON of `validate`, whose shape is `schemas/findings.json`."""

from __future__ import annotations

import json
from typing import Any

from policyctl.catalogue import CATALOGUE
from policyctl.diagnostics import Finding, Place, Report, Severity

__all__ = ["render"]


def render(report: Report) -> str:
    """Write the report as one JSON document; ASCII only, so that no terminal is steered by a policy's text."""
    document = {
        "findings": [_finding(one) for one in report.findings],
        "summary": {
            "errors": report.count(Severity.ERROR),
            "warnings": report.count(Severity.WARNING),
            "notes": report.count(Severity.NOTE),
            "files": report.files,
        },
    }
    return json.dumps(document, indent=2, ensure_ascii=True) + "\n"


def _finding(found: Finding) -> dict[str, Any]:
    rule = CATALOGUE.get(found.code)
    return {
        "code": found.code,
        "severity": found.severity.value,
        "message": found.message,
        **_place(found.place),
        "help": found.help,
        "subject": found.subject,
        "title": rule.title if rule else "",
        "related": [{"message": other.message, **_place(other.place)} for other in found.related],
    }


def _place(place: Place) -> dict[str, Any]:
    return {
        "file": place.file,
        "line": place.line,
        "column": place.column,
        "endLine": place.end_line,
        "endColumn": place.end_column,
        "path": place.path,
    }
