"""Findings as JUnit XML: a test case for each file; errors fail it, warnings and notes are only its output."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from xml.sax.saxutils import escape, quoteattr

from policyctl.diagnostics import Finding, Report, Severity
from policyctl.render.terminal import visible

__all__ = ["render"]


def render(report: Report) -> str:
    """Write one suite whose cases are the files, in order of their names; no times, so equal input gives equal text."""
    by_file: dict[str, list[Finding]] = defaultdict(list)
    for one in report.findings:
        by_file[one.place.file].append(one)
    names = sorted({*report.sources, *by_file})
    failed = {one.place.file for one in report.findings if one.severity is Severity.ERROR}
    head = f'tests="{len(names)}" failures="{len(failed)}" errors="0" skipped="0"'
    return "".join(
        [
            '<?xml version="1.0" encoding="UTF-8"?>\n',
            f'<testsuites name="policyctl validate" {head}>\n',
            f'  <testsuite name="policyctl validate" {head}>\n',
            *(_case(name, by_file.get(name, [])) for name in names),
            "  </testsuite>\n",
            "</testsuites>\n",
        ]
    )


def _case(name: str, findings: list[Finding]) -> str:
    errors = [one for one in findings if one.severity is Severity.ERROR]
    others = [one for one in findings if one.severity is not Severity.ERROR]
    head = f'    <testcase name={_attribute(name)} classname="policyctl.validate"'
    if not findings:
        return f"{head}/>\n"
    parts = [f"{head}>\n"]
    if errors:
        told = errors[0].message if len(errors) == 1 else f"{len(errors)} errors"
        kinds = ",".join(sorted({one.code for one in errors}))
        parts.append(
            f"      <failure type={_attribute(kinds)} message={_attribute(told)}>{_text(errors)}</failure>\n"
        )
    if others:
        parts.append(f"      <system-out>{_text(others)}</system-out>\n")
    return "".join([*parts, "    </testcase>\n"])


def _text(findings: Iterable[Finding]) -> str:
    # XML 1.0 cannot write most control characters at all, not even as a reference: they are shown as escapes.
    return escape("\n".join(visible(line) for one in findings for line in _lines(one)))


def _lines(found: Finding) -> list[str]:
    lines = [f"{found.place}: {found.severity.value} {found.code}: {found.message}"]
    lines += [f"  {other.place}: {other.message}" for other in found.related]
    if found.help:
        first, *rest = found.help.split("\n")
        lines += [f"  help: {first}", *(f"  {line}" for line in rest)]
    return lines


def _attribute(text: str) -> str:
    return quoteattr(visible(text))
