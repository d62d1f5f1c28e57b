"""Documents that cannot be read as tests: each mistake is one finding, at its place, with the way out."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from policyctl.adapters.policy_test_expect import FIELDS
from policyctl.load.keywords import KEYWORDS
from policyctl.render.reasons_text import SENTENCES
from policyctl.testing.case import Authorize, QuoteKnown, QuoteNew
from policyctl.units import parse_instant
from tests.policy_tests.suite import HEAD, NOW, ROOT, read

ASK = "quote: {account: /language, user: u, pool: h100, gpus: 8, min_runtime: 2h}"
FINE = f"    - name: fine\n      {ASK}\n      expect: {{class: funded}}\n"


def case(ask: str, expect: str = "{class: funded}", more: str = "") -> str:
    return f"{HEAD}    - name: one\n{more}      {ask}\n      expect: {expect}\n"


def job(text: str) -> str:
    return (
        "      state:\n        jobs:\n"
        f'          - {{id: "71", account: /language, user: u, pool: h100, {text}, submit: "{NOW}"}}\n'
    )


BAD = {
    # what is wrong: text, code, line, a word of the message or of the way out
    "another kind": (
        HEAD.replace("PolicyTest", "PolicyTests") + FINE,
        "S002",
        2,
        "did you mean `PolicyTest`?",
    ),
    "no question": (case("now: 2026-09-01T12:00:00Z"), "S011", 7, "`rank`"),
    "two questions": (case(f"{ASK}\n      plan: {{job: a}}"), "S011", 9, "exclude each other"),
    "a misspelt question": (case("qoute: {job: a}"), "S003", 8, "did you mean `quote`?"),
    "nothing expected": (case(ASK, "{}"), "S010", 9, "expect"),
    "a misspelt expectation": (case(ASK, "{protectd: 2h}"), "S003", 9, "did you mean `protected`?"),
    "an expectation of another question": (
        case(ASK, "{outcome: granted}"),
        "S011",
        9,
        "an answer of `quote` has no",
    ),
    "a class that is none": (case(ASK, "{class: fundd}"), "S006", 9, "write `funded`, `opportunistic`"),
    "a duration without a unit": (case(ASK, "{protected: 2}"), "S008", 9, "2"),
    "an instant that is no instant": (
        case("explain: {job: a}", "{protectedUntil: 2026-09-01}"),
        "S008",
        9,
        "2026-09-01T00:00:00Z",
    ),
    "a figure that is no number": (
        case("usage: {pool: h100}", "{accounts: {/language: {owed: much}}}"),
        "S008",
        9,
        "much",
    ),
    "a pool that is not there": (case("rank: {pool: h200}", "{order: [a]}"), "A006", 8, "`h100`"),
    "one name for two cases": (HEAD + FINE + FINE, "S017", 10, "names two cases"),
    "a job with a misspelt field": (case(ASK, more=job("gpu: 8")), "J001", 10, "did you mean `gpus`?"),
    "a job without its GPUs": (case(ASK, more=job("nodes: 1")), "J002", 10, "gpus"),
    "a job in a pool that is not there": (
        case(ASK, more=job("gpus: 8").replace("h100", "h200")),
        "J006",
        10,
        "h200",
    ),
    "an id that is a number": (case(ASK, more=job("gpus: 8").replace('"71"', "71")), "J003", 10, '"71"'),
    "a submission with a typing error": (case(ASK.replace("user", "usr")), "J001", 8, "did you mean `user`?"),
    "a submission that lacks a field": (
        case("quote: {account: /language, user: u, pool: h100}"),
        "J002",
        8,
        "gpus",
    ),
    "a quote of a number": (case("quote: {job: 71}"), "J003", 8, '"71"'),
    "a quote of a job with fields": (case(ASK.replace("{", "{job: a, ")), "S011", 8, "excludes the fields"),
    "reasons that ask for none": (case(ASK, "{reasons: []}"), "S010", 9, "reasons"),
    "an order that asks for none": (case("rank: {pool: h100}", "{order: []}"), "S010", 9, "order"),
    "no reason for a job": (case("plan: {job: a}", "{why: {b: []}}"), "S010", 9, "b"),
    "a misspelt reason": (case(ASK, "{reasons: [funded, guards:x]}"), "S006", 9, "did you mean `guard`?"),
    "a misspelt reason for a job": (
        case("plan: {job: a}", "{why: {b: [still-behind]}}"),
        "S006",
        9,
        "did you mean `still_behind`?",
    ),
    "no instant": (case(ASK).replace(f'  now: "{NOW}"\n', ""), "S004", 6, "add `now`"),
    "state and state file": (
        case(ASK, more="      stateFile: a.json\n" + job("gpus: 8")),
        "S011",
        8,
        "exclude each other",
    ),
    "an alias": (case(ASK, "*other"), "Y", 9, "alias"),
}


@pytest.mark.parametrize(("text", "code", "line", "says"), BAD.values(), ids=BAD)
def test_a_mistake_is_found_at_its_line(text: str, code: str, line: int, says: str) -> None:
    cases, findings = read(text)
    assert cases == []
    told = [one for one in findings if one.code.startswith(code)]
    assert [one.place.line for one in told] == [line], findings
    assert says in f"{told[0].message} {told[0].help}"


def test_two_documents_of_one_name_are_told_apart() -> None:
    _, findings = read(f"{HEAD}{FINE}---\n{HEAD}{FINE}")
    assert [(one.code, one.place.line) for one in findings] == [("S012", 13)]


def test_a_case_takes_what_the_document_says_unless_it_says_its_own() -> None:
    text = case(ASK, more='      now: "2026-09-02T00:00:00Z"\n') + FINE
    (own, shared), findings = read(text)
    assert not findings
    assert (own.now, shared.now) == (parse_instant("2026-09-02T00:00:00Z"), parse_instant(NOW))
    assert isinstance(own.question, QuoteNew)
    assert own.question.job.submit == own.now


def test_a_state_without_a_time_is_of_the_instant_of_the_question() -> None:
    (one,), findings = read(case('quote: {job: "71"}', more=job("gpus: 0.5")))
    assert not findings
    assert one.state.time == one.now
    assert one.state.jobs[0].gpus == 500
    assert one.question == QuoteKnown(job="71")


def test_victims_are_read_in_the_order_of_the_text() -> None:
    (one,), _ = read(case("authorize: {job: a, victims: [c, b]}", "{outcome: refused, victims: []}"))
    assert one.question == Authorize(job="a", victims=("c", "b"))


SCHEMA: dict[str, Any] = json.loads((ROOT / "schemas/test.json").read_text())
CASE = SCHEMA["properties"]["spec"]["properties"]["cases"]["items"]


def subschemas(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield schema
    for name, inner in schema.get("properties", {}).items():
        if name not in (
            "state",
            "quote",
        ):  # records have a reader of their own, which the schema only describes
            yield from subschemas(inner)
    for keyword in ("items", "additionalProperties"):
        if isinstance(schema.get(keyword), dict):
            yield from subschemas(schema[keyword])


def test_the_schema_and_the_tables_know_the_same_questions_and_fields() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    assert {one["required"][0] for one in CASE["oneOf"]} == set(FIELDS)
    assert set(CASE["properties"]["expect"]["properties"]) == {
        name for table in FIELDS.values() for name in table
    }


def test_the_page_lists_every_code_of_a_reason() -> None:
    page = (ROOT / "docs/testing.md").read_text()
    listed = re.findall(
        r"^\| `(\w+)` \| [A-Za-z]", page.partition("## Codes of reasons")[2], flags=re.MULTILINE
    )
    assert sorted(listed) == sorted(SENTENCES)


def test_every_keyword_of_the_schema_is_one_that_findings_are_made_of() -> None:
    words = {"$ref", "title", "description", "examples", "default", "properties", "items", "propertyNames"}
    for schema in subschemas(SCHEMA["properties"]["spec"]):
        assert set(schema) <= set(KEYWORDS) | words
        assert schema.get("title")
        assert schema["description"][-1] in ".?"
        assert schema.get("examples")
