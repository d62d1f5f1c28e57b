"""Who must approve what: by owners, and by the rules of the base."""

from __future__ import annotations

import pytest

from policyctl.diff.compare import compare
from policyctl.govern.facts import CHANGE_SHAPE, change_digest, facts
from policyctl.govern.requirements import requirements
from tests.diff.policies import BASE, document, policy

OWNED = (
    BASE.replace("  account: /language\n", "  account: /language\n  owner: language-leads\n")
    .replace(
        '{leads: ["@lab/leads"]}', '{leads: ["@lab/leads"], language-leads: ["@lab/language"], ops: ["@o"]}'
    )
    .replace("account: /robotics, default", "account: /robotics, default")
)
LEND = '{reason: r, ticket: T-1, requestedBy: "@o", starts: "2026-01-01T00:00:00Z", expires: "2026-02-01T00:00:00Z", '


def needed(*replaced: tuple[str, str], added: str = "", base: str = OWNED) -> list[tuple[str, str, int]]:
    head = base
    for before, after in replaced:
        assert before in head
        head = head.replace(before, after)
    sides = policy(base), policy(head + added)
    found = requirements(*sides, compare(*sides), "dev1")
    return [(one.rule, f"{one.account or ''} {one.group}".strip(), one.count) for one in found]


LEADS = ("default", "/ leads", 1)
MANY = ("default", "/ leads", 2)
LANGUAGE = ("default", "/language language-leads", 1)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("language: 60%", "language: 70%", [LEADS]),
        ("pretrain: 50%, data: 50%", "pretrain: 60%, data: 40%", [LANGUAGE]),
        ("default: 4h", "default: 5h", [MANY]),
        ("default: 4h", "default: 3h", [LEADS]),
        ("account: /robotics, default: 2h", "account: /robotics, default: 3h", [MANY]),
        (
            "account: /robotics, default: 2h",
            "account: /robotics, default: 1h",
            [LEADS],
        ),
        ("hysteresis: 5%", "hysteresis: 1%", [MANY]),
        ("length: 10h", "length: 20h", [MANY]),
        ('leads: ["@lab/leads"]', 'leads: ["@dev3"]', [MANY]),
        ("owner: language-leads", "owner: ops", [LEADS]),
        ("name: organization", "name: renamed", []),
    ],
    ids=[
        "enlarge a program",
        "divide a program",
        "loosen the cap of all",
        "tighten the cap of all",
        "loosen a program's own cap",
        "tighten a program's own cap",
        "loosen a brake",
        "another window",
        "another gate",
        "another owner",
        "nothing but names",
    ],
)
def test_without_rules_the_owner_decides(
    before: str, after: str, expected: list[tuple[str, str, int]]
) -> None:
    assert needed((before, after)) == expected


@pytest.mark.parametrize(
    ("grant", "expected"),
    [
        ("share: {to: /robotics, from: /language, add: 10%}", [LEADS]),
        ("share: {to: /language/data, from: /language/pretrain, add: 5%}", [LANGUAGE]),
        ("protection: {account: /language, maxProtected: 9h}", [MANY]),
        ("suspend: {account: /language}", [LANGUAGE]),
        ("freeze: {pool: h100}", [LEADS]),
    ],
    ids=["between programs", "within a program", "longer protection", "suspend oneself", "freeze"],
)
def test_exceptions_are_decided_where_they_give_and_take(
    grant: str, expected: list[tuple[str, str, int]]
) -> None:
    assert needed(added=document("Exception", "one", f"{LEND}{grant}}}")) == expected


def governed(rules: str) -> str:
    return f"{OWNED}  approvals: {rules}\n"


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ("[{name: all, require: [{from: ops}]}]", [("all", "ops", 1)]),
        ("[{name: big, when: change.moved > 0.5, require: [{from: ops}]}]", [LEADS]),
        ("[{name: all, unless: change.loosens, require: [{from: ops}]}]", [LEADS]),
        (
            "[{name: all, require: [{from: owner, count: 3}, {from: ops, count: 2}]}]",
            [("all", "/ leads", 3), ("all", "ops", 2)],
        ),
        ("[{name: odd, when: 'change.shares[99].inherited', require: [{from: ops}]}]", [("odd", "ops", 1)]),
        (
            "[{name: odd, unless: 'change.shares[99].inherited', require: [{from: ops}]}]",
            [("odd", "ops", 1)],
        ),
        ("[{name: never, when: false, require: [{from: ops}]}]", [LEADS]),
    ],
    ids=["every change", "no match", "spared", "owner and group", "broken when", "broken unless", "never"],
)
def test_rules_that_match_replace_the_default(rules: str, expected: list[tuple[str, str, int]]) -> None:
    assert needed(("language: 60%", "language: 70%"), base=governed(rules)) == expected


def test_the_rules_of_the_base_hold_against_a_change_of_the_rules() -> None:
    base = governed("[{name: all, require: [{from: leads, count: 2}]}]")
    head = ("from: leads, count: 2", "from: ops")
    assert needed(head, base=base) == [("all", "leads", 2)]


def test_nobody_is_never_asked() -> None:
    bare = BASE[: BASE.index("---\napiVersion: policyctl/v1\nkind: Governance")].replace(
        "  owner: leads\n", ""
    )
    assert needed(("language: 60%", "language: 70%"), base=bare) == [("default", "/ anyone", 1)]


def test_facts_have_exactly_the_names_that_rules_may_use() -> None:
    base, head = policy(BASE), policy(BASE.replace("language: 60%", "language: 70%").replace("10h", "20h"))
    seen = facts(base, head, compare(base, head), "dev1")
    shape = CHANGE_SHAPE["change"]
    assert set(seen) == set(shape)
    assert [set(seen[name][0]) for name in ("rights", "shares", "settings")] == [
        set(shape[name][0]) for name in ("rights", "shares", "settings")
    ]
    assert (seen["moved"], seen["kinds"]) == (pytest.approx(0.1), ["Accounting", "Budget"])


def digest(*replaced: tuple[str, str], base: str = BASE) -> str:
    head = base
    for before, after in replaced:
        assert before in head
        head = head.replace(before, after)
    sides = policy(base), policy(head)
    return change_digest(*sides, compare(*sides))


def test_the_digest_is_not_that_of_how_a_rule_is_spaced() -> None:
    guard = digest(("victim.gpus > 8", "victim.gpus > 4"))
    assert guard == digest(("victim.gpus > 8", "victim.gpus  >  4"))
    assert guard != digest(("victim.gpus > 8", "victim.gpus > 5"))
    cap = digest(("job.gpus >= 64", "job.gpus >= 32"))
    assert cap == digest(("job.gpus >= 64", "(job.gpus >= 32)"))
    assert cap != digest(("job.gpus >= 64", "job.gpus >= 31"))


def test_the_digest_is_that_of_the_meaning() -> None:
    one = digest(("language: 60%", "language: 70%"))
    assert one == digest(("language: 60%", "language: 7/10"), ("name: organization", "name: other"))
    assert one != digest(("language: 60%", "language: 71%"))


IDLE = OWNED.replace("language: 60%", "language: 0%")
DIVIDED = ("pretrain: 50%, data: 50%", "pretrain: 99%, data: 1%")


def test_an_account_without_a_share_is_not_divided_behind_its_owners_back() -> None:
    assert needed(DIVIDED, base=IDLE) == [LANGUAGE]
    assert digest(DIVIDED, base=IDLE) != digest(("pretrain: 50%", "pretrain: 49%"), base=IDLE)


def test_a_rule_for_exceptions_alone_does_not_carry_a_budget_along() -> None:
    rule = governed("[{name: quick, when: 'change.kinds == [\"Exception\"]', require: [{from: ops}]}]")
    freeze = document("Exception", "one", f"{LEND}freeze: {{pool: h100}}}}")
    assert needed(added=freeze, base=rule) == [("quick", "ops", 1)]
    assert needed(("language: 60%", "language: 61%"), added=freeze, base=rule) == [LEADS]
