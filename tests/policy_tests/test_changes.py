"""Cases about a change of the policy: what is laid over what, what it needs, and every mistake at its place."""

from __future__ import annotations

import pytest

from policyctl.adapters.policy_test_change import PolicyText, policy_text
from policyctl.adapters.policy_test_impact import FIGURES
from policyctl.diagnostics import Finding
from policyctl.errors import PolicyctlError
from policyctl.expr.change_scope import IMPACT_FIGURES
from policyctl.model.policy import Policy
from policyctl.testing.answer import answer
from policyctl.testing.case import Review
from policyctl.testing.coverage import coverage
from policyctl.testing.run import run_case
from policyctl.workspace.shipped import schemas
from tests.cli.program import POLICY
from tests.policy_tests.suite import HEAD, policy_of, read

GOVERNED = (
    POLICY
    + """\
  approvals:
    - name: large-moves
      when: change.moved > 0.05
      unless: change.author == "root"
      require: [{from: leadership, count: 2}]
    - {name: odd, when: 'change.shares[0].inherited', require: [{from: owner}, {from: leadership, count: 3}]}
  gates:
    - {name: small-steps, when: change.moved > 0.2, level: error}
    - {name: few-losers, when: 'impact.programs.exists(one, one.delivery_change < -0.05)', level: warning}
    - {name: by-hand, when: 'change.author == "bot"', level: error}
"""
)
DEPARTED = """\
---
apiVersion: policyctl/v1
kind: Exception
metadata: {name: lend}
spec:
  reason: for a test
  ticket: OPS-1
  requestedBy: "@lab/leadership"
  starts: "2026-08-31T00:00:00Z"
  expires: "2026-09-10T00:00:00Z"
  share: {to: /language, from: /robotics, add: 1%}
"""
MOVE = "Budget/organization: {shares: {language: 70%, robotics: 15%}}"


def text_of(policy: str = GOVERNED) -> PolicyText:
    text = policy_text({"policy.yaml": policy.encode()}, schemas(), "policies")
    assert text is not None
    return text


def case(change: str, expect: str = "{requires: {leadership: 1}}", more: str = "") -> str:
    return f"{HEAD}    - name: it\n      review:\n        change:\n          {change}\n{more}      expect: {expect}\n"


def review(change: str, more: str = "", policy: str = GOVERNED) -> tuple[Policy, Review]:
    (one,), findings = read(case(change, more=more), policy_of(policy), text_of(policy))
    assert not findings
    assert isinstance(one.question, Review)
    return policy_of(policy), one.question


def head(change: str, policy: str = GOVERNED) -> Policy:
    found = review(change, policy=policy)[1].head
    assert found is not None
    return found


def test_fields_are_merged_and_the_rest_stays() -> None:
    policy = head("Budget/organization: {shares: {language: 50%, vision: 2%}}")
    (budget,) = policy.budgets
    assert budget.owner == "leadership"
    shares = {share.name: str(share.share) for share in budget.shares}
    assert shares == {"language": "1/2", "robotics": "1/4", "vision": "1/50"}


def test_null_takes_a_field_or_a_document_away() -> None:
    policy = head(
        "{Budget/organization: {owner: null, shares: {robotics: null}}, Exception/lend: null}",
        GOVERNED.replace("---\n", DEPARTED + "---\n", 1),
    )
    assert [share.name for share in policy.budgets[0].shares] == ["language"]
    assert policy.budgets[0].owner is None
    assert policy.exceptions == ()


def test_lists_are_replaced() -> None:
    policy = head("ProtectionCap/cap: {rules: [{name: all, when: job.gpus > 0.0, maxProtected: 1h}]}")
    assert [rule.name for rule in policy.caps[0].rules] == ["all"]
    assert policy.caps[0].default == 4 * 3600


@pytest.mark.parametrize("key", ["Accounting", "Accounting/accounting"])
def test_a_kind_that_stands_once_needs_no_name(key: str) -> None:
    policy = head(f"{key}: {{window: {{length: 21d}}}}")
    assert policy.accounting.window != policy_of(GOVERNED).accounting.window
    assert policy.accounting.name == "accounting"


@pytest.mark.parametrize("key", ["Preemption", "Preemption/brakes"])
def test_a_document_that_is_not_there_is_new(key: str) -> None:
    assert head(f"{key}: {{hysteresis: 5%}}").preemption.hysteresis > 0


def facts(change: str, more: str = "") -> dict[str, object]:
    """Return the facts that a case about a change can expect."""
    (one,), findings = read(case(change, more=more), policy_of(GOVERNED), text_of())
    assert not findings
    return dict(answer(policy_of(GOVERNED), one).facts)


AUTHOR = "        author: ada\n"
LOST = "        impact: {programs: {/robotics: {delivery: {before: 100%, after: 90%}}}}\n"


@pytest.mark.parametrize(
    ("change", "more", "wanted"),
    [
        (
            MOVE,
            AUTHOR,
            {
                "requires": ("2 of leadership",),
                "rules.large-moves": "applies",
                "rules.odd": "unmatched",
                "gates.small-steps": "open",
                "gates.few-losers": "unmeasured",
                "gates.by-hand": "open",
            },
        ),
        (
            MOVE,
            '        author: "@Root"\n',
            {"rules.large-moves": "spared", "requires": ("1 of leadership",)},
        ),
        (MOVE, '        author: "@Bot"\n', {"gates.by-hand": "closed"}),
        (MOVE, "", {"gates.by-hand": "authorless", "rules.large-moves": "unanswered"}),
        (
            "Budget/organization: {shares: {language: 0%, robotics: 85%}}",
            AUTHOR,
            {"gates.small-steps": "closed"},
        ),
        (
            "ProtectionCap/cap: {default: 2h}",
            AUTHOR,
            {"rules.odd": "unanswered", "rules.large-moves": "unmatched", "requires": ("3 of leadership",)},
        ),
        (MOVE, AUTHOR + LOST, {"gates.few-losers": "closed"}),
        (MOVE, AUTHOR + LOST.replace("90%", "96%"), {"gates.few-losers": "open"}),
        (MOVE, AUTHOR + LOST.replace("/robotics", "/"), {"gates.few-losers": "open"}),
    ],
    ids=[
        "the rule applies",
        "spared by its author",
        "a gate against an author",
        "nobody is named",
        "a gate is closed",
        "a rule without an answer applies",
        "a program loses",
        "a program loses little",
        "only all together lose",
    ],
)
def test_what_a_change_needs(change: str, more: str, wanted: dict[str, object]) -> None:
    found = facts(change, more)
    assert {name: found.get(name) for name in wanted} == wanted


def test_what_means_nothing_needs_nothing() -> None:
    found = facts("Budget/organization: {shares: {robotics: 25%}}", AUTHOR)
    assert found == {"requires": ()}


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


def test_an_impact_has_every_figure_that_gates_know() -> None:
    assert list(FIGURES) == list(IMPACT_FIGURES)
    _, asked = review(
        MOVE,
        more="        impact: {seeds: 3, jobs: 40, programs: {/: {wait: {before: 1m, after: 2m}}, /robotics: {lost: {before: 1, after: 1}}}}\n",
    )
    assert asked.impact is not None
    assert (len(asked.impact.seeds), asked.impact.jobs, asked.impact.visible) == (3, 40, True)
    assert [one.account for one in asked.impact.programs] == ["/", "/language", "/robotics"]


def test_a_bundle_has_no_answer_for_a_change() -> None:
    (one,), findings = read(case(MOVE), policy_of(GOVERNED))
    assert not findings
    result = run_case(policy_of(GOVERNED), one)
    assert not result.passed
    assert result.problem is not None
    assert "`--policy DIR`" in result.problem
    with pytest.raises(PolicyctlError):
        answer(policy_of(GOVERNED), one)


def seen(change: str, more: str = "", policy: str = GOVERNED) -> dict[str, tuple[int, int | None]]:
    (one,), findings = read(case(change, more=more), policy_of(policy), text_of(policy))
    assert not findings
    answered = run_case(policy_of(policy), one).answered
    assert answered is not None
    found = coverage(policy_of(policy), [answered])
    return {
        f"{one.kind} {one.name}": (one.held, one.not_held)
        for one in found
        if one.kind in {"approval", "unless", "gate"} and (one.held or one.not_held)
    }


def test_coverage_sees_conditions_that_have_an_answer() -> None:
    assert seen(MOVE, AUTHOR + LOST) == {
        "approval large-moves": (1, 0),
        "unless large-moves": (0, 1),
        "approval odd": (0, 1),
        "gate small-steps": (0, 1),
        "gate few-losers": (1, 0),
        "gate by-hand": (0, 1),
    }


def test_coverage_does_not_see_what_has_no_answer_or_is_not_asked() -> None:
    assert seen("ProtectionCap/cap: {default: 2h}") == {
        "approval large-moves": (0, 1),
        "gate small-steps": (0, 1),
    }


def test_what_always_holds_is_not_looked_for_elsewhere() -> None:
    policy = POLICY + (
        "  approvals:\n    - {name: all, require: [{from: leadership}]}\n"
        "  gates:\n    - {name: shut, when: true, level: warning}\n"
    )
    assert seen(MOVE, policy=policy) == {"approval all": (1, None), "gate shut": (1, None)}
