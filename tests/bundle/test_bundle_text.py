"""`bundle show` for people: every grant in words, and no text of a policy that steers the terminal."""

from __future__ import annotations

import dataclasses
from fractions import Fraction

import pytest

from policyctl.bundle.decode import decode
from policyctl.bundle.encode import encode
from policyctl.model.policy import (
    CalendarWindow,
    Freeze,
    Grant,
    PerJobLimit,
    Policy,
    ProtectionGrant,
    ShareGrant,
    Suspension,
)
from policyctl.render.bundle_json import render as as_json
from policyctl.render.bundle_text import render
from policyctl.units import Seconds
from tests.bundle.policies import EXAMPLE, ORIGIN, with_rules


def shown(policy: Policy) -> str:
    return render(decode(encode(policy, ORIGIN)))


def section(text: str, title: str) -> list[str]:
    """Return the lines below a title, without their indent."""
    (found,) = [part for part in text.rstrip("\n").split("\n\n") if part.startswith(f"{title}\n")]
    return [line.removeprefix("  ") for line in found.split("\n")[1:]]


def test_shares_are_a_tree_with_periods_pools_and_what_is_left() -> None:
    assert section(shown(EXAMPLE), "shares") == [
        "/",
        "  (from 2026-07-01T00:00:00Z until 2027-01-01T00:00:00Z)",
        "  language  60%",
        "    (pool h100)",
        "    pretrain  100%",
        "  robotics  ~33.33%",
        "  unassigned ~6.67%",
    ]


def test_an_account_that_no_budget_reaches_is_shown_all_the_same() -> None:
    orphan = dataclasses.replace(EXAMPLE.budgets[1], account="/vision/maps")
    assert section(shown(dataclasses.replace(EXAMPLE, budgets=(orphan,))), "shares")[0] == "/vision/maps"


@pytest.mark.parametrize(
    ("grant", "words"),
    [
        (ShareGrant(to="/a", source="/b", add=Fraction(1, 10)), "10% of the cluster from /b to /a"),
        (ProtectionGrant(account="/a", max_protected=Seconds(7200)), "protection up to 2h for /a"),
        (ProtectionGrant(job="7", max_protected=Seconds(7200)), "protection up to 2h for job 7"),
        (Suspension(account="/a"), "no new protection for /a"),
        (Freeze(pool="h100"), "no preemption in h100"),
    ],
    ids=["share", "protection of an account", "protection of a job", "suspend", "freeze"],
)
def test_each_grant_in_words(grant: Grant, words: str) -> None:
    one = dataclasses.replace(EXAMPLE.exceptions[0], grant=grant)
    assert section(shown(dataclasses.replace(EXAMPLE, exceptions=(one,))), "exceptions") == [
        "deadline  from 2026-09-01T00:00:00Z until 2026-09-15T00:00:00Z  (exceptions/deadline.yaml:1)",
        f"  {words}",
        "  camera-ready deadline; robotics agreed to lend (OPS-123, asked for by @lab/language-leads)",
    ]


def test_rules_and_guards_stand_with_their_text() -> None:
    text = shown(with_rules(EXAMPLE))
    assert section(text, "protection caps")[1] == '  a: at most 1h when job.kind == "interactive"'
    assert section(text, "preemption")[2] == 'deny a: when victim.kind == "interactive" (live sessions)'


def test_every_limit_that_is_set_is_shown() -> None:
    accounting = dataclasses.replace(
        EXAMPLE.accounting,
        window=CalendarWindow(unit="month", timezone="America/Los_Angeles"),
        overdraft=Fraction(1, 4),
        credit_limit=Seconds(172_800),
    )
    preemption = dataclasses.replace(
        EXAMPLE.preemption,
        per_job=PerJobLimit(max=3, within=Seconds(86_400)),
        max_gpu_hours_per_hour=Fraction(64),
    )
    text = shown(dataclasses.replace(EXAMPLE, accounting=accounting, preemption=preemption))
    assert "window      the calendar month in America/Los_Angeles" in section(text, "accounting")
    assert "overdraft   25%" in section(text, "accounting")
    assert "credit      at most 2d of an account's entitlement" in section(text, "accounting")
    assert "per job     at most 3 in 1d" in section(text, "preemption")
    assert "per pool    at most 64 GPU-hours per hour" in section(text, "preemption")


def test_text_of_a_policy_cannot_steer_the_terminal() -> None:
    one = dataclasses.replace(EXAMPLE.exceptions[0], reason="\x1b[2Jgone\n\u202ebackwards")
    bundle = decode(encode(dataclasses.replace(EXAMPLE, exceptions=(one,)), ORIGIN))
    assert r"\x1b[2Jgone\n\u202ebackwards" in render(bundle)
    assert as_json(bundle).isascii()
    assert "\x1b" not in render(bundle) + as_json(bundle)
