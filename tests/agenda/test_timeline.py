"""The timeline: every instant at which something changes by itself, and exactly what differs there."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from policyctl.agenda.timeline import Agenda, Moment, agenda
from policyctl.cli.main import policyctl
from policyctl.compile import compile_texts
from policyctl.model.policy import Policy
from policyctl.model.tree import tree_at
from policyctl.units import Instant, format_instant, parse_instant
from policyctl.workspace.shipped import schemas
from tests.agenda.sample import POLICY, exception
from tests.bundle.policies import policies

ROOT = Path(__file__).parents[2]
JUNE = parse_instant("2026-06-01T00:00:00Z")
AUGUST = parse_instant("2026-08-01T00:00:00Z")
LEND = "share: {to: /language, from: /robotics, add: 10%}"


def policy(*exceptions: str) -> Policy:
    compiled = compile_texts({"policy.yaml": (POLICY + "".join(exceptions)).encode()}, schemas(), now=None)
    assert compiled.policy is not None, compiled.report.findings
    return compiled.policy


def told(found: Agenda) -> list[tuple[str, list[str]]]:
    return [
        (format_instant(one.at), [f"{cause.kind} {cause.name}" for cause in one.causes])
        for one in found.moments
    ]


def at(found: Agenda, instant: str) -> Moment:
    return next(one for one in found.moments if one.at == parse_instant(instant))


def test_every_kind_of_change_is_there_in_order() -> None:
    found = agenda(policy(exception("lent", "06-10", "06-20", LEND)), now=JUNE, until=AUGUST)
    assert told(found) == [
        ("2026-06-10T00:00:00Z", ["exception_starts lent"]),
        ("2026-06-15T00:00:00Z", ["review_due spring"]),
        ("2026-06-20T00:00:00Z", ["exception_ends lent"]),
        # Months begin at midnight in Berlin, which is two hours earlier in summer.
        ("2026-06-30T22:00:00Z", ["window_resets accounting"]),
        ("2026-07-01T00:00:00Z", ["budget_ends spring", "budget_starts summer"]),
        ("2026-07-31T22:00:00Z", ["window_resets accounting"]),
    ]
    assert [one.name for one in found.clock_rules] == ["nights"]


def test_both_ends_of_the_question() -> None:
    found = agenda(
        policy(exception("lent", "06-01", "06-20", LEND)),
        now=JUNE,
        until=parse_instant("2026-06-20T00:00:00Z"),
    )
    assert [when for when, _ in told(found)] == ["2026-06-15T00:00:00Z", "2026-06-20T00:00:00Z"]


def test_shares_before_and_after() -> None:
    found = agenda(policy(exception("lent", "06-10", "06-20", LEND)), now=JUNE, until=AUGUST)
    changes = {one.account: (one.before, one.after) for one in at(found, "2026-06-10T00:00:00Z").shares}
    assert changes == {
        "/language": (Fraction(3, 5), Fraction(7, 10)),
        "/robotics": (Fraction(2, 5), Fraction(3, 10)),
    }
    follows = at(found, "2026-07-01T00:00:00Z").shares
    assert [(one.account, one.before, one.after) for one in follows] == [
        ("/language", Fraction(3, 5), Fraction(1, 2))
    ]


@pytest.mark.parametrize(
    ("grant", "kind", "target", "value"),
    [
        ("protection: {account: /robotics, maxProtected: 8h}", "protection", "/robotics", 28_800),
        ('protection: {job: "77", maxProtected: 8h}', "protection", "job 77", 28_800),
        ("suspend: {account: /robotics}", "suspension", "/robotics", 1),
        ("freeze: {pool: h100}", "freeze", "h100", 1),
    ],
    ids=["a cap is raised", "a cap is raised for a job", "an account is suspended", "a pool is frozen"],
)
def test_what_is_granted_is_taken_back_at_the_end(grant: str, kind: str, target: str, value: int) -> None:
    found = agenda(policy(exception("one", "06-10", "06-20", grant)), now=JUNE, until=AUGUST)
    for instant, before, after in (("2026-06-10T00:00:00Z", 0, value), ("2026-06-20T00:00:00Z", value, 0)):
        (turn,) = at(found, instant).turns
        assert (turn.kind, turn.target, turn.before, turn.after) == (kind, target, before, after)


def test_where_another_exception_still_holds_nothing_turns() -> None:
    both = policy(
        exception("one", "06-05", "06-20", "freeze: {pool: h100}"),
        exception("two", "06-10", "06-25", "freeze: {pool: h100}"),
    )
    found = agenda(both, now=JUNE, until=AUGUST)
    assert [format_instant(one.at) for one in found.moments if one.turns] == [
        "2026-06-05T00:00:00Z",
        "2026-06-25T00:00:00Z",
    ]


@settings(max_examples=60, deadline=None)
@given(policies(), st.data())
def test_between_two_moments_no_share_changes(some: Policy, data: st.DataObject) -> None:
    """Law: the shares of any instant are those of the last moment before it."""
    edges = [edge for one in some.exceptions for edge in (one.period.start, one.period.end) if edge]
    start = Instant(min([*edges, 1_790_000_000]) - 5 * 86_400)
    until = Instant(max([*edges, 1_790_000_000]) + 5 * 86_400)
    if until - start > 400 * 86_400:
        until = Instant(start + 400 * 86_400)
    found = agenda(some, now=start, until=until)
    instant = data.draw(st.integers(start, until))
    latest = max([start, *(one.at for one in found.moments if one.at <= instant)])
    for pool in some.pools:
        now, then = tree_at(some, pool.name, instant), tree_at(some, pool.name, latest)
        assert [(one.path, one.absolute) for one in now.accounts] == [
            (one.path, one.absolute) for one in then.accounts
        ]


def call(folder: Path, *arguments: str) -> tuple[int, str]:
    (folder / "policies").mkdir(exist_ok=True)
    (folder / "policies/policy.yaml").write_text(POLICY + exception("lent", "06-10", "06-20", LEND))
    result = CliRunner().invoke(
        policyctl, ["timeline", "--policy", str(folder / "policies"), *arguments], catch_exceptions=True
    )
    return result.exit_code, result.stdout


FROM_JUNE = ("--now", "2026-06-01T00:00:00Z", "--until", "2026-08-01T00:00:00Z")


def test_json_has_the_promised_shape(tmp_path: Path) -> None:
    code, out = call(tmp_path, *FROM_JUNE, "--format", "json")
    assert code == 0
    shape = json.loads((ROOT / "schemas/timeline.json").read_text())
    jsonschema.Draft202012Validator.check_schema(shape)
    answer: dict[str, Any] = json.loads(out)
    jsonschema.validate(answer, shape)
    assert answer["moments"][0]["shares"][0] == {
        "pool": "h100",
        "account": "/language",
        "before": "3/5",
        "after": "7/10",
    }


def test_text_names_what_changes_and_where_it_is_written(tmp_path: Path) -> None:
    code, out = call(tmp_path, *FROM_JUNE)
    assert code == 0
    assert "exception lent begins  (" in out
    assert "    h100 /language: 60% -> 70% of the pool\n" in out
    assert "rules that read `now` may change at any second: nights" in out


def test_a_quiet_time_says_so(tmp_path: Path) -> None:
    _, out = call(tmp_path, "--now", "2026-06-01T00:00:00Z", "--until", "2026-06-02T00:00:00Z")
    assert "nothing changes by itself in this time\n" in out
