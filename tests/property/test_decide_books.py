"""Shares, classes, protection and usage: the columns agree with the slow oracle on every account, user and job."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given, settings

from policyctl.decide.situation import PoolSituation, Situation
from tests.oracle.books import Books, open_books
from tests.oracle.shares import shares_at
from tests.property.strategies import EXAMPLES, NOW, World, worlds


def both(world: World, pool: str) -> tuple[PoolSituation, Books]:
    fast = Situation(policy=world.policy, state=world.state, now=NOW).pool(pool)
    return fast, open_books(world.policy, world.state, NOW, pool)


def amounts(fast: PoolSituation) -> dict[tuple[str, str | None], tuple[Fraction, Fraction, Fraction]]:
    """Return (charged, committed, opportunistic) of every node in thousandths of a GPU times seconds times rate."""
    book = fast.book
    rows = zip(book.charged.tolist(), book.committed.tolist(), book.opportunistic.tolist(), strict=True)
    unit = fast.rates.per_unit
    return {
        (node.path, node.user): (Fraction(one, unit), Fraction(two, unit), Fraction(three, unit))
        for node, (one, two, three) in zip(book.nodes, rows, strict=True)
    }


@given(worlds())
@settings(max_examples=2 * EXAMPLES, deadline=None)
def test_every_share_is_what_budgets_and_exceptions_say(world: World) -> None:
    for pool in ("p", "q"):
        tree = Situation(policy=world.policy, state=world.state, now=NOW).pool(pool).tree
        slow = shares_at(world.policy, pool, NOW)
        assert {a.path: (a.share, a.absolute, a.leaf) for a in tree.accounts} == {
            path: (one.share, one.absolute, one.leaf) for path, one in slow.items()
        }


@given(worlds())
@settings(max_examples=2 * EXAMPLES, deadline=None)
def test_every_node_has_the_share_and_the_usage_of_the_oracle(world: World) -> None:
    fast, slow = both(world, "p")
    shares = {(node.path, node.user): (node.share, node.absolute) for node in fast.book.nodes}
    assert shares == {key: (slow.share[key], slow.absolute[key]) for key in slow.share}
    assert amounts(fast) == {
        key: (bill.charged, bill.committed, bill.opportunistic) for key, bill in slow.bill.items()
    }


@given(worlds(decay=True))
@settings(max_examples=2 * EXAMPLES, deadline=None)
def test_with_a_half_life_usage_is_the_integral_up_to_rounding(world: World) -> None:
    fast, slow = both(world, "p")
    for key, found in amounts(fast).items():
        bill = slow.bill[key]
        for one, other in zip(found, (bill.charged, bill.committed, bill.opportunistic), strict=True):
            assert abs(one - other) < Fraction(1, 10), key


@given(worlds())
@settings(max_examples=2 * EXAMPLES, deadline=None)
def test_every_job_has_the_class_the_reasons_and_the_protection_of_the_oracle(world: World) -> None:
    fast, slow = both(world, "p")
    for table, classes in ((fast.pending, fast.waiting), (fast.running, fast.held)):
        for row, identity in enumerate(table.ids):
            verdict = slow.verdict[identity]
            assert classes.reasons(row) == verdict.reasons, identity
            assert int(classes.seconds[row]) == verdict.protected, identity


@given(worlds())
@settings(max_examples=2 * EXAMPLES, deadline=None)
def test_an_account_has_used_what_its_children_have_used(world: World) -> None:
    fast, _ = both(world, "p")
    book = fast.book
    for column in (book.charged, book.committed, book.opportunistic):
        below = [0] * len(book.nodes)
        for number, node in enumerate(book.nodes):
            if node.parent >= 0:
                below[node.parent] += int(column[number])
        for number, node in enumerate(book.nodes):
            if any(other.parent == number for other in book.nodes):
                assert below[number] == int(column[number]), node.label
