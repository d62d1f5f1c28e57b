"""Every finding code against its cases: policies that must give it, at this place and in these words, or must not."""

from __future__ import annotations

from typing import Any

import pytest

from policyctl.diagnostics import Finding
from tests.casebook import Case, case_codes, cases, compiled

ALL = [case for code in case_codes() for case in cases(code)]


def shown(found: Finding, wanted: dict[str, Any]) -> dict[str, Any]:
    """Return what a finding says about the keys that a case asks for."""
    place = found.place
    says: dict[str, Any] = {
        "code": found.code,
        "severity": found.severity.value,
        "file": place.file,
        "line": place.line,
        "column": place.column,
        "end_column": place.end_column,
        "path": place.path,
        "message": found.message,
        "subject": found.subject,
        "help": found.help or "",
        "related": [str(other.place) for other in found.related],
    }
    kept = {key: says[key] for key in wanted}
    if "help" in wanted and wanted["help"] in says["help"]:
        kept["help"] = wanted["help"]
    return kept


@pytest.mark.parametrize("case", ALL, ids=lambda case: f"{case.code}: {case.name}")
def test_case(case: Case) -> None:
    report = compiled(case.files, base=case.base, now=case.now).report
    found = [one for one in report.findings if one.code == case.code]
    assert len(found) == len(case.expect), "\n".join(
        f"{one.place} {one.code} {one.message}" for one in report.findings
    )
    for one, wanted in zip(found, case.expect, strict=True):
        assert shown(one, dict(wanted)) == wanted
    allowed = {case.code, *case.also} if case.expect else set(case.also)
    errors = [f"{one.place} {one.code} {one.message}" for one in report.findings if one.severity == "error"]
    if not case.expect:
        assert not [text for text in errors if text.split()[1] not in allowed]


@pytest.mark.parametrize("code", case_codes())
def test_names_are_given_once(code: str) -> None:
    names = [case.name for case in cases(code)]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("code", case_codes())
def test_a_code_has_a_case_that_fails_and_one_that_passes(code: str) -> None:
    assert {bool(case.expect) for case in cases(code)} == {True, False}


def test_the_runner_notices_a_finding_that_is_missing_and_one_too_many() -> None:
    plain = Case(code="S003", name="no such field", files={"a.yaml": "nonsense: 1\n"}, expect=())
    with pytest.raises(AssertionError):
        test_case(plain)
    wanted: dict[str, Any] = {"line": 1}
    with pytest.raises(AssertionError):
        test_case(Case(code="A001", name="none there", files={}, base="lab", expect=(wanted,)))
