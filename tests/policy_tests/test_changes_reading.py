"""Cases about a change that cannot be read: each mistake is one finding, at its place in the test, with the way out."""

from __future__ import annotations

import pytest

from policyctl.diagnostics import Finding
from tests.policy_tests.governed import GOVERNED, MOVE, case, text_of
from tests.policy_tests.suite import policy_of, read

BAD = {
    # what is wrong: change, what is expected, code, place, a word of the message or of the way out
    "a kind with a typing error": (
        "Budgt/organization: {owner: a}",
        "",
        "S006",
        "10:11",
        "did you mean `Budget/organization`?",
    ),
    "no kind at all": ("x: {owner: a}", "", "S006", "10:11", "write `KIND/NAME`"),
    "a budget without a name": ("Budget: {owner: a}", "", "S006", "10:11", "name `Budget/organization`"),
    "a document with a typing error": (
        "Budget/organisation: {shares: {language: 1%}}",
        "",
        "S006",
        "10:11",
        "did you mean `Budget/organization`?",
    ),
    "a document to take away that is not there": (
        "Budget/organisation: null",
        "",
        "S006",
        "10:11",
        "did you mean `Budget/organization`?",
    ),
    "a field to take away that is not there": (
        "Budget/organization: {shares: {langauge: null}}",
        "",
        "S003",
        "10:42",
        "did you mean `language`?",
    ),
    "a new document that lacks a field": ("Preemption: {perJob: {max: 1}}", "", "S004", "10:24", "`within`"),
    "a list for a document": ("Budget/organization: [1]", "", "S006", "10:11", "no mapping of fields"),
    "an unknown field": (
        "Budget/organization: {reviewBye: x}",
        "",
        "S003",
        "10:33",
        "did you mean `reviewBy`?",
    ),
    "a share that is none": ("Budget/organization: {shares: {language: x}}", "", "S008", "10:52", "`x`"),
    "more than the whole": (
        "Budget/organization: {shares: {language: 90%}}",
        "",
        "A004",
        "10:42",
        "over 100%",
    ),
    "a group that is not there": (
        "Budget/organization: {owner: leadershp}",
        "",
        "A007",
        "10:40",
        "did you mean `leadership`?",
    ),
    "a rule with a typing error": (
        "ProtectionCap/cap: {rules: [{name: a, when: job.gpu > 1.0, maxProtected: 1h}]}",
        "",
        "C005",
        "10:59",
        "did you mean `job.gpus`?",
    ),
    "what breaks another document": (
        "Governance: null",
        "",
        "A007",
        "9:9",
        "(at policies/policy.yaml:",
    ),
    "an approval rule with a typing error": (
        MOVE,
        "{rules: {large-move: applies}}",
        "S006",
        "11:24",
        "did you mean `large-moves`?",
    ),
    "a gate with a typing error": (
        MOVE,
        "{gates: {small-step: open}}",
        "S006",
        "11:24",
        "did you mean `small-steps`?",
    ),
    "a group with a typing error": (
        MOVE,
        "{requires: {leadrship: 1}}",
        "S006",
        "11:27",
        "did you mean `leadership`?",
    ),
    "a code that is none": (MOVE, "{refused: [E999]}", "S006", "11:26", "no policy is refused with `E999`"),
    "a code of a warning": (MOVE, "{refused: [E009]}", "S006", "11:26", "no policy is refused with `E009`"),
    "an outcome that is none": (MOVE, "{gates: {small-steps: shut}}", "S006", "11:37", "`open`"),
    "a name that is none": (MOVE, "{rules: {Large!: applies}}", "S009", "11:24", "Large!"),
    "nobody that is asked": (MOVE, "{requires: {leadership: 0}}", "S007", "11:39", "1"),
    "an expectation of another question": (
        MOVE,
        "{class: funded}",
        "S011",
        "11:23",
        "an answer of `review` has no `class`",
    ),
}


@pytest.mark.parametrize(("change", "expect", "code", "place", "says"), BAD.values(), ids=BAD)
def test_a_mistake_is_found_at_its_place(change: str, expect: str, code: str, place: str, says: str) -> None:
    cases, findings = read(case(change, expect or "{requires: {}}"), policy_of(GOVERNED), text_of())
    assert cases == []
    assert [(one.code, f"{one.place.line}:{one.place.column}") for one in findings] == [(code, place)]
    assert says in f"{findings[0].message} {findings[0].help}"


def impact_findings(text: str) -> list[Finding]:
    return read(case(MOVE, more=f"        impact: {text}\n"), policy_of(GOVERNED), text_of())[1]


@pytest.mark.parametrize(
    ("text", "code", "says"),
    [
        ("{programs: {/robots: {lost: {before: 1, after: 2}}}}", "A005", "did you mean `/robotics`?"),
        ("{programs: {/x: {lost: {before: 1, after: 2}}}}", "A005", "`/robotics`"),
        ("{programs: {/robotics: {loss: {before: 1, after: 2}}}}", "S003", "did you mean `lost`?"),
        ("{programs: {/robotics: {wait: {before: 1, after: 2m}}}}", "S008", "`1m`"),
        ("{programs: {/robotics: {delivery: {before: 90%}}}}", "S004", "`after`"),
        ("{programs: {/robotics: {delivery: {before: 90%, after: -1}}}}", "S008", "-1"),
        ("{jobs: 3}", "S004", "`programs`"),
    ],
)
def test_an_impact_that_cannot_be_read(text: str, code: str, says: str) -> None:
    (found,) = impact_findings(text)
    assert (found.code, found.place.line) == (code, 11)
    assert says in f"{found.message} {found.help}"
