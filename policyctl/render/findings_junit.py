"""Findings as JUnit XML: a test case for each file; errors fail it, warnings and notes are only its output."""

from __future__ import annotations

import re
from xml.sax.saxutils import escape, quoteattr

from policyctl.diagnostics import Finding, Report, Severity

__all__ = ["render"]

# XML 1.0 has no way at all to write these, not even as a reference.
_ILLEGAL = re.compile(r"[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(report: Report) -> str:
    """Write one suite whose cases are the files, in order of their names; no times, so equal input gives equal text."""
    names = sorted(set(report.sources) | {one.place.file for one in report.findings})
    cases = [_case(name, [one for one in report.findings if one.place.file == name]) for name in names]
    failed = {one.place.file for one in report.findings if one.severity is Severity.ERROR}
    head = f'tests="{len(names)}" failures="{len(failed)}" errors="0" skipped="0"'
    return "".join(
        [
            '<?xml version="1.0" encoding="UTF-8"?>\n',
            f'<testsuites name="policyctl validate" {head}>\n',
            f'  <testsuite name="policyctl validate" {head}>\n',
            *cases,
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
        count = f"{len(errors)} error{'' if len(errors) == 1 else 's'}"
        kinds = ",".join(sorted({one.code for one in errors}))
        told = f"{count}: {errors[0].message}" if len(errors) == 1 else count
        body = _data("\n".join(map(_line, errors)))
        parts.append(f"      <failure type={_attribute(kinds)} message={_attribute(told)}>{body}</failure>\n")
    if others:
        parts.append(f"      <system-out>{_data(chr(10).join(map(_line, others)))}</system-out>\n")
    return "".join([*parts, "    </testcase>\n"])


def _line(found: Finding) -> str:
    lines = [f"{found.place}: {found.severity.value} {found.code}: {found.message}"]
    lines += [f"  {other.place}: {other.message}" for other in found.related]
    lines += [f"  help: {found.help}"] if found.help else []
    return "\n".join(lines)


def _data(text: str) -> str:
    return escape(_ILLEGAL.sub("\ufffd", text))


def _attribute(text: str) -> str:
    return quoteattr(_ILLEGAL.sub("\ufffd", text), {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"})
