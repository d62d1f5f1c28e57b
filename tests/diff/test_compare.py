"""What differs is said in GPUs and GPU-hours, adds up, and knows that names and places mean nothing."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from policyctl.diff.compare import compare
from policyctl.model.change import Change
from policyctl.units import parse_instant
from tests.diff.policies import BASE, changed, policy
from tests.diff.test_directions import exception

LEND = "share: {to: /language/data, from: /robotics, add: 5%}"


def test_shares_become_gpu_hours_in_a_window() -> None:
    change = changed(("language: 60%", "language: 70%"))
    told = {one.account: (one.gpu_hours_before, one.gpu_hours_after, one.inherited) for one in change.shares}
    assert told == {
        "/language": (600.0, 700.0, False),
        "/language/data": (300.0, 350.0, True),
        "/language/pretrain": (300.0, 350.0, True),
    }


def test_what_was_unassigned_pays() -> None:
    (balance,) = changed(("language: 60%", "language: 70%")).balances
    assert (balance.account, balance.children) == ("/", (("/language", Fraction(10)),))
    assert (balance.unassigned, balance.whole) == (Fraction(-10), Fraction(0))


def test_an_exception_changes_its_own_days_only() -> None:
    change = changed(added=exception("once", LEND))
    start, end = parse_instant("2026-09-01T00:00:00Z"), parse_instant("2026-09-15T00:00:00Z")
    assert {(one.start, one.end) for one in change.shares} == {(start, end)}
    top = next(one for one in change.balances if one.account == "/")
    assert top.children == (("/language", Fraction(5)), ("/robotics", Fraction(-5)))


def test_names_files_order_and_spacing_are_no_change() -> None:
    documents = BASE.split("---\n")
    head = "---\n".join(reversed(documents)).replace("name: organization", "name: other")
    head = head.replace("job.gpus >= 64", "job.gpus  >=  64")
    assert compare(policy(BASE), policy(head)) == Change()


def test_every_field_that_differs_is_named() -> None:
    change = changed(
        ("length: 10h", "length: 20h"),
        ("default: 2h}", "default: 1h}"),
        ("victim.gpus > 8", "victim.gpus > 16"),
        ('["@lab/leads"]', '["@lab/leads", "@lab/more"]'),
    )
    assert [(one.subject, one.field, one.before, one.after) for one in change.settings] == [
        ("Accounting", "window.length", "10h", "20h"),
        ("Governance", "groups.leads", "@lab/leads", "@lab/leads, @lab/more"),
        ("Preemption", "guards.days.when", "victim.gpus > 8", "victim.gpus > 16"),
        ("ProtectionCap /robotics", "default", "2h", "1h"),
    ]


def test_margins_are_told_as_percentages_and_exactly() -> None:
    change = changed(
        ("hysteresis: 5%", "hysteresis: 2.5%"),
        ("spec:\n  window", "spec:\n  funding: {overdraft: 1/3}\n  window"),
    )
    told = {one.field: (one.before, one.after) for one in change.settings}
    assert told == {"hysteresis": ("5%", "2.5%"), "overdraft": (None, "1/3")}


def test_exceptions_are_told_by_what_became_of_them() -> None:
    once = BASE + exception("once", LEND)
    longer = once.replace("2026-09-15", "2026-09-20")
    moved = once.replace("2026-09-01", "2026-08-20")
    renamed = once.replace("{name: once}", "{name: twice}")
    cases = [
        (BASE, once, ["added"]),
        (once, BASE, ["removed"]),
        (once, longer, ["extended"]),
        (longer, once, ["shortened"]),
        (once, moved, ["changed"]),
        (once, renamed, []),
    ]
    for before, after, expected in cases:
        change = compare(policy(before), policy(after))
        assert [one.what for one in change.exceptions] == expected
    gone = compare(policy(once), policy(BASE), now=parse_instant("2026-09-15T00:00:00Z"))
    assert [one.what for one in gone.exceptions] == ["expired"]


shares = st.tuples(*[st.integers(0, 40)] * 4)


def _divided(one: tuple[int, ...]) -> str:
    first, second, third, fourth = one
    return BASE.replace(
        "language: 60%, robotics: 20%", f"language: {first + 1}%, robotics: {second}%"
    ).replace("pretrain: 50%, data: 50%", f"pretrain: {third + 1}%, data: {fourth}%")


@settings(max_examples=40, deadline=None)
@given(shares, shares)
def test_what_is_gained_is_paid(before: tuple[int, ...], after: tuple[int, ...]) -> None:
    change = compare(policy(_divided(before)), policy(_divided(after)))
    for one in change.balances:
        assert sum((moved for _, moved in one.children), one.unassigned) == one.whole
    back = compare(policy(_divided(after)), policy(_divided(before)))
    assert [replace(one, children=()) for one in back.balances] == [
        replace(one, children=(), unassigned=-one.unassigned, whole=-one.whole) for one in change.balances
    ]
    assert (before == after) == change.empty
