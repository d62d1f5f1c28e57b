"""Findings as SARIF 2.1.0, for code scanning: one run, valid with no results at all."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from policyctl.catalogue import CATALOGUE
from policyctl.diagnostics import Finding, Place, Report, Severity
from policyctl.version import __version__

__all__ = ["render"]

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json"
# A file name that is no UTF-8 reaches us with unpaired surrogates, which no encoding takes.
_UNPAIRED = "backslashreplace"
_MOST = 25_000  # GitHub refuses a run with more results


def render(report: Report, *, root: str = "", pages: Mapping[str, str] | None = None) -> str:
    """Write the report as SARIF; `root` is the policy folder's path in the repository, `pages` code → Markdown."""
    worst_first = [one for level in Severity for one in report.findings if one.severity is level]
    kept = worst_first[:_MOST]
    codes = sorted({one.code for one in kept})
    prints = _fingerprints(kept)
    run = {
        "tool": {
            "driver": {
                "name": "policyctl",
                "version": __version__,
                "rules": [_rule(code, kept, pages or {}) for code in codes],
            }
        },
        "columnKind": "unicodeCodePoints",
        "results": [
            _result(one, codes.index(one.code), mark, root) for one, mark in zip(kept, prints, strict=True)
        ],
    }
    document = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(document, indent=2, ensure_ascii=True) + "\n"


def _rule(code: str, findings: list[Finding], pages: Mapping[str, str]) -> dict[str, Any]:
    known = CATALOGUE.get(code)
    title = known.title if known else code
    severity = known.severity if known else next(one.severity for one in findings if one.code == code)
    text = f"{title}. `policyctl rules {code}` explains it with an example."
    return {
        "id": code,
        "shortDescription": {"text": title},
        "help": {"text": text, "markdown": pages[code]} if code in pages else {"text": text},
        "defaultConfiguration": {"level": severity.value},
    }


def _result(found: Finding, rule: int, fingerprint: str, root: str) -> dict[str, Any]:
    text = f"{found.message}\n{found.help}" if found.help else found.message
    result = {
        "ruleId": found.code,
        "ruleIndex": rule,
        "level": found.severity.value,
        "message": {"text": text},
        "locations": [_location(found.place, found.subject, root)],
        "partialFingerprints": {"policyctlFinding/v1": fingerprint},
    }
    if found.related:
        result["relatedLocations"] = [
            {"id": number, "message": {"text": other.message}, **_location(other.place, "", root)}
            for number, other in enumerate(found.related, start=1)
        ]
    return result


def _location(place: Place, subject: str, root: str) -> dict[str, Any]:
    path = f"{root.rstrip('/')}/{place.file}" if root.strip("./") else place.file
    region = {"startLine": place.line, "startColumn": place.column}
    if (place.end_line, place.end_column) > (place.line, place.column):
        region |= {"endLine": place.end_line, "endColumn": place.end_column}
    location: dict[str, Any] = {
        "physicalLocation": {
            "artifactLocation": {"uri": quote(path, safe="/", errors=_UNPAIRED)},
            "region": region,
        }
    }
    if subject or place.path:
        name = " ".join(part for part in (subject, place.path) if part)
        location["logicalLocations"] = [{"fullyQualifiedName": name}]
    return location


def _fingerprints(findings: list[Finding]) -> list[str]:
    """Name each finding by what it is about, not by its line; equal ones are told apart by their order."""
    seen: dict[str, int] = {}
    prints = []
    for one in findings:
        about = "\0".join((one.code, one.subject or one.place.file, one.place.path))
        seen[about] = seen.get(about, 0) + 1
        prints.append(hashlib.sha256(f"{about}\0{seen[about]}".encode(errors=_UNPAIRED)).hexdigest()[:32])
    return prints
