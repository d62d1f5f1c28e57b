"""Codes, pages and cases belong to each other one to one, and what a page shows is true."""

from __future__ import annotations

import re

import pytest

from policyctl.catalogue import CATALOGUE
from policyctl.check.policy_checks import CHECKS, DATED_CHECKS
from policyctl.diagnostics import Severity
from tests.casebook import PAGES, ROOT, case_codes, compiled

HEADINGS = ["What it means", "Example", "Mend it", "Why"]
# A state file and a job log are no policy: their cases are in tests/adapters.
ELSEWHERE = {"J", "L"}
POLICY_CODES = sorted(code for code in CATALOGUE if code[0] not in ELSEWHERE)
# The page is about a document that is missing, so nothing is added to its example.
ALONE = {"S014"}


def page(code: str) -> str:
    return (PAGES / f"{code}.md").read_text(encoding="utf-8")


def section(code: str, heading: str) -> str:
    found = re.search(rf"^## {heading}\n(.*?)(?=^## |\Z)", page(code), flags=re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


def block(code: str, heading: str) -> str:
    found = re.search(r"^```yaml\n(.*?)^```$", section(code, heading), flags=re.MULTILINE | re.DOTALL)
    assert found is not None, f"{code}: no yaml under {heading}"
    return found[1]


def test_every_code_has_a_page_and_every_page_a_code() -> None:
    assert sorted(path.stem for path in PAGES.glob("*.md")) == sorted(CATALOGUE)


def test_every_policy_code_has_cases_and_all_cases_a_code() -> None:
    assert case_codes() == POLICY_CODES


@pytest.mark.parametrize("code", sorted(CATALOGUE))
def test_a_page_has_exactly_the_headings(code: str) -> None:
    lines = re.sub(r"^```.*?^```$", "", page(code), flags=re.MULTILINE | re.DOTALL).splitlines()
    headings = [line for line in lines if line.startswith("#")]
    assert headings == [f"# {code}: {CATALOGUE[code].title}", *(f"## {one}" for one in HEADINGS)]
    assert all(section(code, one).strip() for one in HEADINGS)


@pytest.mark.parametrize("code", POLICY_CODES)
def test_the_example_of_a_page_gives_the_finding(code: str) -> None:
    report = compiled({"policy.yaml": block(code, "Example")}, base=None if code in ALONE else "lab").report
    assert code in {one.code for one in report.findings}


@pytest.mark.parametrize("code", POLICY_CODES)
def test_the_mended_example_of_a_page_is_without_errors(code: str) -> None:
    report = compiled({"policy.yaml": block(code, "Mend it")}, base=None if code in ALONE else "lab").report
    left = [f"{one.place} {one.code} {one.message}" for one in report.findings]
    assert not [one for one in report.findings if one.code == code or one.severity is Severity.ERROR], left


def test_every_check_of_the_table_finds_codes_of_the_catalogue() -> None:
    found = [code for codes, _ in (*CHECKS, *DATED_CHECKS) for code in codes.split()]
    assert set(found) == {code for code in CATALOGUE if code[0] in "AEPW"}


def test_titles_are_lower_case_without_a_full_stop_and_told_apart() -> None:
    titles = [rule.title for rule in CATALOGUE.values()]
    assert len(set(titles)) == len(titles)
    for title in titles:
        assert not title.endswith("."), title


def test_no_code_is_made_outside_of_the_catalogue() -> None:
    made = re.compile(r'"([YSACEPWJLK]\d{3})"')
    used = {
        code
        for path in (ROOT / "policyctl").rglob("*.py")
        if path.name != "catalogue.py"
        for code in made.findall(path.read_text(encoding="utf-8"))
    }
    assert used <= set(CATALOGUE)
