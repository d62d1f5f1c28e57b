"""Cases about a change of the policy: what is laid over what, what it needs, and what coverage sees of it."""

from __future__ import annotations

import pytest

from policyctl.adapters.policy_test_impact import FIGURES
from policyctl.errors import PolicyctlError
from policyctl.expr.change_scope import IMPACT_FIGURES
from policyctl.model.policy import Policy
from policyctl.testing.answer import answer
from policyctl.testing.case import Review
from policyctl.testing.coverage import coverage
from policyctl.testing.run import run_case
from tests.cli.program import POLICY
from tests.policy_tests.governed import DEPARTED, GOVERNED, MOVE, case, text_of
from tests.policy_tests.suite import policy_of, read


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


AUTHOR = "        author: dev1\n"
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
    assert found == {"refused": (), "requires": ()}


BEFORE = "        before: {Budget/organization: {shares: {language: 20%, robotics: 20%, bench: 10%}}}\n"


def test_what_stands_before_is_what_the_change_is_compared_with() -> None:
    policy, asked = review("Budget/organization: {shares: {bench: 40%}}", BEFORE)
    assert (asked.base, asked.head) != (None, None)
    assert asked.base != policy
    for change, applies in (("{bench: 14%}", "unmatched"), ("{bench: 16%}", "applies")):
        found = facts(f"Budget/organization: {{shares: {change}}}", AUTHOR + BEFORE)
        assert found["rules.large-moves"] == applies


def test_rules_are_those_that_stand_before() -> None:
    before = (
        "        before: {Governance: {approvals: [{name: mine, require: [{from: leadership, count: 2}]}]}}\n"
    )
    (one,), findings = read(
        case(MOVE, "{rules: {mine: applies}, requires: {leadership: 2}}", before),
        policy_of(GOVERNED),
        text_of(),
    )
    assert not findings
    assert run_case(policy_of(GOVERNED), one).passed


LIMITED = GOVERNED.replace(
    "  approvals:", "  exceptions: {maxDuration: 30d, maxActive: 2, maxRenewals: 1}\n  approvals:"
)


def ends(*days: tuple[str, str]) -> str:
    """Return a change that adds an exception for each stretch of days in September, all of one target."""
    return (
        "{"
        + ", ".join(
            f"Exception/quiet-{number}: {{reason: r, ticket: OPS-1, requestedBy: '@lab/leadership', "
            f"starts: 2026-{start}T00:00:00Z, expires: 2026-{end}T00:00:00Z, freeze: {{pool: h100}}}}"
            for number, (start, end) in enumerate(days)
        )
        + "}"
    )


REFUSED = {
    "too long": (ends(("09-01", "10-02")), "E003"),
    "renewed too often": (ends(("09-01", "09-05"), ("09-05", "09-09"), ("09-09", "09-12")), "E010"),
    "shares above the whole": ("Budget/organization: {shares: {language: 90%}}", "A004"),
}


@pytest.mark.parametrize(("change", "code"), REFUSED.values(), ids=REFUSED)
def test_a_change_that_is_refused_is_expected_by_its_codes(change: str, code: str) -> None:
    policy, text = policy_of(LIMITED), text_of(LIMITED)
    for expect, passes in (
        (f"{{refused: [{code}]}}", True),
        (f"{{refused: [{code}, S008]}}", False),
        ("{refused: [A001]}", False),
    ):
        (one,), findings = read(case(change, expect), policy, text)
        assert not findings
        assert run_case(policy, one).passed is passes, expect


def test_a_change_that_is_not_refused_says_so() -> None:
    (one,), _ = read(
        case(ends(("09-01", "09-05")), "{refused: [E003]}"), policy_of(LIMITED), text_of(LIMITED)
    )
    (difference,) = run_case(policy_of(LIMITED), one).differences
    assert (difference.field, difference.seen) == ("refused", ())


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


def limits(change: str, expect: str = "{requires: {}}") -> dict[str, tuple[int, int | None]]:
    (one,), findings = read(case(change, expect), policy_of(LIMITED), text_of(LIMITED))
    assert not findings
    answered = run_case(policy_of(LIMITED), one).answered
    assert answered is not None
    found = coverage(policy_of(LIMITED), [answered])
    return {
        one.name: (one.held, one.not_held)
        for one in found
        if one.kind == "limit" and (one.held or one.not_held)
    }


def test_coverage_sees_the_limits_on_exceptions() -> None:
    kept = {"maxDuration": (0, 1), "maxActive": (0, 1)}
    assert limits(ends(("09-01", "09-05"))) == kept
    assert limits(ends(("09-01", "09-05"), ("09-06", "09-07"))) == kept, "nothing is renewed"
    assert limits(ends(("09-01", "09-05"), ("09-05", "09-07"))) == {**kept, "maxRenewals": (0, 1)}
    assert limits(ends(("09-01", "10-05")), "{refused: [E003]}") == {"maxDuration": (1, 0)}
    assert limits("Budget/organization: {shares: {language: 90%}}", "{refused: [A004]}") == {}
    assert limits("ProtectionCap/cap: {default: 2h}") == {}, "no exception is new"
