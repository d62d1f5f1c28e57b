"""Laws of the checks of shares, against brute force: every pool at every instant at which anything changes."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from policyctl.check.index import index_policy
from policyctl.check.moves import moved_too_far
from policyctl.check.policy_checks import run_checks
from policyctl.diagnostics import Finding
from policyctl.model.policy import Budget, Period, Policy, PolicyException, ShareGrant
from policyctl.model.tree import ancestors, policy_instants, tree_at
from policyctl.units import format_instant
from tests.check.policies import budget, lending, period, policy

POOLS = ("a100", "h100")
ACCOUNTS = ("/a", "/b", "/a/x", "/a/y", "/b/z", "/c")
parts = st.integers(0, 4).map(lambda number: Fraction(number, 4))
edges = st.one_of(st.none(), st.integers(0, 6))


@st.composite
def periods(draw: st.DrawFn) -> Period:
    start, end = draw(edges), draw(edges)
    if start is not None and end is not None and start >= end:
        start, end = end, start + 1
    return period(start, end)


@st.composite
def budgets(draw: st.DrawFn) -> list[Budget]:
    found = []
    for number in range(draw(st.integers(1, 4))):
        account, children = draw(st.sampled_from([("/", "abc"), ("/a", "xy"), ("/b", "z")]))
        found.append(
            budget(
                account,
                {child: draw(parts) for child in children},
                name=f"budget-{number}",
                during=draw(periods()),
                pool=draw(st.sampled_from([None, None, "h100"])),
            )
        )
    return found


@st.composite
def loans(draw: st.DrawFn) -> list[PolicyException]:
    found = []
    for number in range(draw(st.integers(0, 4))):
        start = draw(st.integers(0, 6))
        source, to = draw(st.permutations(ACCOUNTS))[:2]
        add = Fraction(draw(st.integers(0, 4)), 8)
        found.append(
            lending(f"loan-{number}", (source, to), add, period(start, start + draw(st.integers(1, 3))))
        )
    return found


@st.composite
def policies(draw: st.DrawFn) -> Policy:
    return policy(*draw(budgets()), exceptions=tuple(draw(loans())), pools=POOLS)


def of(code: str, findings: tuple[Finding, ...]) -> list[Finding]:
    return [one for one in findings if one.code == code]


@settings(deadline=None)
@given(policies())
def test_two_divisions_are_found_exactly_where_two_are_in_force(some: Policy) -> None:
    instants = (-1, *policy_instants(some))
    twice = {
        (one.account, one.pool)
        for one, other in combinations(some.budgets, 2)
        if (one.account, one.pool) == (other.account, other.pool)
        and any(one.period.in_force(at) and other.period.in_force(at) for at in instants)
    }
    assert bool(twice) == bool(of("A001", run_checks(some, now=None)))


@settings(deadline=None)
@given(policies())
def test_a_budget_is_over_exactly_if_its_shares_are(some: Policy) -> None:
    over = {one.name: sum(share.share for share in one.shares) - 1 for one in some.budgets}
    found = {
        one.subject.removeprefix("Budget "): one.message
        for one in of("A004", run_checks(some, now=None))
        if one.subject.startswith("Budget")
    }
    assert set(found) == {name for name, excess in over.items() if excess > 0}
    for name, message in found.items():
        assert f"over by {(over[name] * 100).numerator}%" in message, "quarters are whole percentages"


@settings(deadline=None)
@given(policies())
def test_a_gap_is_found_exactly_where_an_account_is_not_divided_between_two_times_at_which_it_is(
    some: Policy,
) -> None:
    instants = (-1, *policy_instants(some))
    expected = set()
    for account in {one.account for one in some.budgets}:
        for pool in POOLS:
            dividing = [one for one in some.budgets if one.account == account and one.pool in {None, pool}]
            states = [any(one.period.in_force(at) for one in dividing) for at in sorted(instants)]
            if (
                True in states
                and False in states[states.index(True) : len(states) - states[::-1].index(True)]
            ):
                expected.add(account)
    found = {one.message.split("`")[1] for one in of("A009", run_checks(some, now=None))}
    assert found == expected


def usable(grant: ShareGrant, some: Policy) -> bool:
    index = index_policy(some)
    return (
        grant.to not in ancestors(grant.source)
        and grant.source not in ancestors(grant.to)
        and index.knows(grant.to)
        and index.knows(grant.source)
    )


def lending_only(some: Policy) -> Policy:
    """Leave out the exceptions that other checks refuse already."""
    kept = tuple(
        one for one in some.exceptions if isinstance(one.grant, ShareGrant) and usable(one.grant, some)
    )
    return policy(*some.budgets, exceptions=kept, pools=POOLS)


@settings(deadline=None)
@given(policies())
def test_below_zero_is_found_exactly_if_an_absolute_share_is_negative_at_some_instant(mixed: Policy) -> None:
    some = lending_only(mixed)
    negative = {
        (account.path, at, pool)
        for at in (-1, *policy_instants(some))
        for pool in POOLS
        for account in tree_at(some, pool, at).accounts
        if account.absolute < 0
    }
    found = [one for one in moved_too_far(index_policy(some)) if one.code == "E001"]
    assert bool(found) == bool(negative)
    for one in found:
        account = one.message.split("`")[1]
        assert [at for path, at, _ in negative if path == account and format_instant(at) in one.message]


@settings(deadline=None)
@given(policies())
def test_without_findings_every_division_fits_at_every_instant(mixed: Policy) -> None:
    some = lending_only(mixed)
    if {one.code for one in run_checks(some, now=None)} & {"A001", "A004", "E001"}:
        return
    for at in (-1, *policy_instants(some)):
        for pool in POOLS:
            tree = tree_at(some, pool, at)
            sums = [Fraction(0)] * len(tree.accounts)
            for account in tree.accounts[1:]:
                sums[account.parent] += account.absolute
            for account, total in zip(tree.accounts, sums, strict=True):
                assert 0 <= total <= account.absolute


@settings(deadline=None)
@given(policies(), st.randoms(use_true_random=False))
def test_the_order_of_documents_does_not_matter(some: Policy, rng: Random) -> None:
    budgets, exceptions = list(some.budgets), list(some.exceptions)
    rng.shuffle(budgets)
    rng.shuffle(exceptions)
    other = policy(*budgets, exceptions=tuple(exceptions), pools=POOLS)
    assert run_checks(other, now=None) == run_checks(some, now=None)
