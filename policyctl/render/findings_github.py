"""Findings as GitHub workflow commands, so that each is shown at its line of a pull request.

GitHub keeps ten annotations of each level for a step and drops the rest without a word; so at most ten are written,
and one more line says how many are not shown.
"""

from __future__ import annotations

from policyctl.catalogue import CATALOGUE
from policyctl.diagnostics import Finding, Report, Severity
from policyctl.render.findings_text import tally
from policyctl.render.terminal import visible
from policyctl.render.workflow_command import workflow_command

__all__ = ["render"]

_COMMAND = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}
_CAP = 10


def render(report: Report, *, root: str = "") -> str:
    """Write one command a finding, errors first; `root` is the policy folder's path in the repository."""
    lines: list[str] = []
    left: list[str] = []
    by_level = {level: [one for one in report.findings if one.severity is level] for level in Severity}
    overflow = any(len(found) > _CAP for found in by_level.values())
    for level, found in by_level.items():
        # The line that counts the rest is a notice too, and takes one of the notices' places.
        cap = _CAP - 1 if overflow and level is Severity.NOTE else _CAP
        lines += [_command(one, root) for one in found[:cap]]
        if len(found) > cap:
            number = len(found) - cap
            left.append(f"{number} more {level.value}{'' if number == 1 else 's'}")
    if left:
        text = f"{', '.join(left)} not shown here ({tally(report)})"
        lines.append(workflow_command("notice", text, {"title": "policyctl"}))
    return "".join(f"{line}\n" for line in lines)


def _command(found: Finding, root: str) -> str:
    place = found.place
    rule = CATALOGUE.get(found.code)
    at = {
        "file": visible(f"{root.rstrip('/')}/{place.file}" if root.strip("./") else place.file),
        "line": str(place.line),
        "endLine": str(place.end_line),
    }
    if place.end_line == place.line:  # GitHub refuses columns on a span of several lines
        at |= {"col": str(place.column), "endColumn": str(max(place.end_column - 1, place.column))}
    at["title"] = f"{found.code}: {rule.title}" if rule else found.code
    return workflow_command(_COMMAND[found.severity], _text(found), at)


def _text(found: Finding) -> str:
    lines = [found.message]
    lines += [f"{other.place}: {other.message}" for other in found.related]
    lines += [f"help: {found.help}"] if found.help else []
    return "\n".join(visible(line) for text in lines for line in text.split("\n"))
