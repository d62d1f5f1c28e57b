"""The table of checks as a whole: order, clock and size change what they must, and nothing else."""

from __future__ import annotations

import cProfile
import pstats
from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from policyctl.check.policy_checks import DATED_CHECKS, run_checks
from policyctl.load.policy_text import read_policy
from policyctl.model.policy import Policy
from policyctl.units import Instant, parse_instant
from tests.casebook import NOW, Case, case_codes, cases, schemas, texts
from tests.check.policies import budget, lending, period, policy

Item = TypeVar("Item")
DATED = {codes for codes, _ in DATED_CHECKS}


def with_base(case: Case) -> Policy:
    files = {path: text.encode() for path, text in texts(case.files, base=case.base).items()}
    read = read_policy(files, schemas()).policy
    assert read is not None
    return read


POLICIES = [
    (f"{code}: {case.name}", with_base(case))
    for code in case_codes()
    if code[0] in "AEPW"
    for case in cases(code)
]


def shuffled(items: tuple[Item, ...], rng: Random) -> tuple[Item, ...]:
    return tuple(rng.sample(items, len(items)))


@settings(deadline=None)
@given(st.sampled_from(POLICIES), st.randoms(use_true_random=False))
def test_the_order_of_documents_does_not_matter(some: tuple[str, Policy], rng: Random) -> None:
    _, one = some
    other = replace(
        one,
        budgets=shuffled(one.budgets, rng),
        caps=shuffled(one.caps, rng),
        exceptions=shuffled(one.exceptions, rng),
        pools=shuffled(one.pools, rng),
    )
    now = parse_instant(NOW)
    assert run_checks(other, now=now) == run_checks(one, now=now)


@pytest.mark.parametrize(("_", "some"), POLICIES, ids=[name for name, _ in POLICIES])
def test_only_the_dated_checks_depend_on_the_clock(_: str, some: Policy) -> None:
    without = run_checks(some, now=None)
    assert not {one.code for one in without} & DATED
    for now in ("2000-01-01T00:00:00Z", "2026-10-01T00:00:00Z", "2100-01-01T00:00:00Z"):
        found = run_checks(some, now=parse_instant(now))
        assert tuple(one for one in found if one.code not in DATED) == without


@pytest.mark.parametrize(("_", "some"), POLICIES, ids=[name for name, _ in POLICIES])
def test_messages_follow_the_guide(_: str, some: Policy) -> None:
    for one in run_checks(some, now=parse_instant(NOW)):
        assert one.message[0] in "`0123456789" or one.message[0].islower(), one.message
        assert not one.message.endswith((".", "!")), one.message
        assert "\n" not in one.message
        assert one.message.count("`") % 2 == 0, one.message
        assert one.help, one.message
        assert one.subject or one.code == "A013"
        assert one.place.path or one.place.file == "(default)" or one.place.line > 1


def large(programs: int) -> Policy:
    """Build a policy of eleven accounts a program, with a loan for every tenth pair of programs."""
    root = budget("/", {f"p{number:05d}": Fraction(1, programs) for number in range(programs)})
    inner = [
        budget(f"/p{number:05d}", {f"c{child}": Fraction(1, 10) for child in range(10)})
        for number in range(programs)
    ]
    loans = [
        lending(
            f"loan-{number}",
            (f"/p{number:05d}/c1", f"/p{number + 1:05d}/c2"),
            Fraction(1, programs * 20),
            period(number * 10, number * 10 + 10),
        )
        for number in range(0, min(programs, 400), 20)
    ]
    return policy(root, *inner, exceptions=tuple(loans), pools=("a100", "h100"))


def calls(some: Policy) -> int:
    """Count the calls of functions that checking takes: a measure of work that no other load disturbs."""
    profile = cProfile.Profile()
    found = profile.runcall(run_checks, some, now=Instant(0))
    assert {one.code for one in found} == {"E009", "P005"}
    total: int = pstats.Stats(profile).total_calls  # type: ignore[attr-defined]
    return total


def test_twice_the_files_take_about_twice_the_work() -> None:
    assert calls(large(800)) <= 2.2 * calls(large(400))


def test_many_misspelt_accounts_are_still_answered() -> None:
    programs = 400
    root = budget("/", {f"program{number}": Fraction(1, programs) for number in range(programs)})
    wrong = [budget(f"/progam{number}", {"x": Fraction(1)}) for number in range(programs)]
    found = [one for one in run_checks(policy(root, *wrong), now=None) if one.code == "A002"]
    assert len(found) == programs
    assert (
        found[7].help == f"did you mean `/program{found[7].message.split('`')[1].removeprefix('/progam')}`?"
    )
