"""Who approves where the owners themselves wrote the change: those who own the account above."""

from __future__ import annotations

import pytest

from policyctl.diff.compare import compare
from policyctl.govern.judge import Judged, judge
from policyctl.govern.requirements import requirements
from policyctl.govern.reviews import ApprovalFile, Review, Said, standing
from tests.diff.policies import BASE, policy

GROUPS = 'leads: ["@dev4", "@dev2"], language-leads: ["@dev1"], ops: ["@root"], teams: ["@lab/team"]'


def base(owner: str = "language-leads", rules: str = "[]") -> str:
    owned = BASE.replace("  account: /language\n", f"  account: /language\n  owner: {owner}\n")
    return owned.replace('leads: ["@lab/leads"]', GROUPS) + f"  approvals: {rules}\n"


def judged(
    text: str,
    author: str,
    *approve: str,
    change: tuple[str, str] = ("pretrain: 50%, data: 50%", "pretrain: 60%, data: 40%"),
    members: dict[str, frozenset[str]] | None = None,
    objects: str = "",
) -> Judged:
    """Return the one requirement of a division of `/language`, with these people's words for it."""
    assert change[0] in text
    sides = policy(text), policy(text.replace(*change))
    (needed,) = requirements(*sides, compare(*sides), author)
    words = [(one, Said.APPROVED) for one in approve] + (
        [(objects, Said.CHANGES_REQUESTED)] if objects else []
    )
    reviews = tuple(
        Review(user=user, said=said, commit="c", submitted="2026-01-01", id=number)
        for number, (user, said) in enumerate(words)
    )
    given = ApprovalFile(author=author, authors=frozenset({author}), reviews=reviews)
    stands = standing(given, {"c": True})
    return judge((needed,), stands, sides[0].governance, members or {}, given.authors)[0]


@pytest.mark.parametrize(
    ("author", "approves", "state", "stand_in"),
    [
        ("dev1", (), "pending", ("leads",)),
        ("dev1", ("dev1",), "pending", ("leads",)),
        ("dev1", ("root",), "pending", ("leads",)),
        ("dev1", ("dev4",), "satisfied", ("leads",)),
        ("dev3", ("dev1",), "satisfied", ()),
        ("dev3", ("dev4",), "pending", ()),
    ],
    ids=[
        "nobody approved",
        "not even so by the author",
        "not by another group",
        "by the owner above",
        "somebody else's change has its owner",
        "whom nobody above replaces",
    ],
)
def test_the_only_lead_of_a_program_may_divide_it_with_those_above(
    author: str, approves: tuple[str, ...], state: str, stand_in: tuple[str, ...]
) -> None:
    found = judged(base(), author, *approves)
    assert (found.state, found.stand_in) == (state, stand_in)


def test_a_team_that_nobody_knows_may_have_enough_people() -> None:
    unknown = judged(base("teams"), "dev1", "dev4")
    assert (unknown.state, unknown.stand_in, unknown.unknown) == ("pending", (), ("@lab/team",))
    alone = judged(base("teams"), "dev1", "dev4", members={"@lab/team": frozenset({"dev1"})})
    assert (alone.state, alone.stand_in) == ("satisfied", ("leads",))


def test_what_a_rule_asks_of_a_group_is_asked_of_nobody_else() -> None:
    found = judged(base(rules="[{name: all, require: [{from: language-leads}]}]"), "dev1", "dev4")
    assert (found.state, found.stand_in) == ("pending", ())


def test_a_rule_may_ask_an_owner_for_more_than_it_has() -> None:
    text = base(rules="[{name: two, require: [{from: owner, count: 2}]}]")
    assert judged(text, "dev3", "dev1").state == "pending"
    assert judged(text, "dev3", "dev1", "dev4").state == "satisfied"


def test_nobody_stands_above_all() -> None:
    found = judged(base(), "dev4", "dev1", change=("default: 4h", "default: 5h"))
    assert (found.requirement.count, found.state, found.stand_in) == (2, "pending", ())


def test_whoever_may_stand_in_may_object() -> None:
    assert judged(base(), "dev1", "dev4", objects="dev2").state == "pending"
