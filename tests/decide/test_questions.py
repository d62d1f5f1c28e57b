"""What a researcher asks: a quote before submitting, an explanation after, and the account's usage."""

from __future__ import annotations

import pytest

from policyctl.decide.explain import explain
from policyctl.decide.quote import quote
from policyctl.decide.usage import pool_usage
from policyctl.errors import UsageProblem
from policyctl.model.policy import SlidingWindow
from policyctl.units import parse_duration
from tests.decide.small import ask, cap, hours, job, past, policy, state

TREE = {"/": {"a": "3/4", "b": "1/8"}, "/a": {"x": "1"}}
DAY = policy(TREE, window=SlidingWindow(length=parse_duration("1d")), caps=[cap("/a", "4h")])
RUNS = job("r", "/a/x", "me", gpus=2, start=-hours(1), wants=hours(3))
SPARE = job("s", "/b", gpus=4, start=-hours(2))
EARLY = past(job("e", "/b", gpus=1, start=-hours(4), wants=hours(3)), -hours(2))
OLD = past(job("o", "/b", gpus=8, start=-hours(40), wants=hours(3)), -hours(30))


def test_usage_stands_beside_what_each_account_is_entitled_to() -> None:
    queued = job("w", "/b", gpus=1, wants=hours(100))
    report = pool_usage(ask(DAY, state(RUNS, SPARE, queued, usage=[EARLY, OLD])).pool("p"))
    assert (report.capacity_gpu_hours, report.unassigned_share) == (192, "1/8")
    lines = {line.account: line for line in report.accounts}
    assert list(lines) == ["/", "/a", "/a/x", "/b"]
    x, b = lines["/a/x"], lines["/b"]
    assert (x.entitled_gpu_hours, x.charged_gpu_hours, x.committed_gpu_hours) == (144, 2, 4)
    assert (b.entitled_gpu_hours, b.charged_gpu_hours, b.committed_gpu_hours) == (24, 2.5, 0)
    assert (b.opportunistic_gpu_hours, b.queued_gpu_hours) == (8, 100)
    assert (x.owed_gpu_hours, x.remaining_gpu_hours) == (6, 138)
    assert (b.owed_gpu_hours, b.remaining_gpu_hours) == (24, 21.5)
    assert (lines["/"].charged_gpu_hours, lines["/"].committed_gpu_hours) == (4.5, 4)


def test_an_account_that_no_document_names_is_listed_as_unknown() -> None:
    report = pool_usage(ask(DAY, state(job("t", "/typo", gpus=1, start=-hours(1)))).pool("p"))
    assert {line.account: (line.known, line.share) for line in report.accounts}["/typo"] == (False, "0")


def test_a_quote_says_what_is_bought_capped_by_what_and_at_which_price() -> None:
    asked = quote(ask(DAY, state(RUNS)), job("new", "/a/x", "me", gpus=2, wants=hours(10)))
    assert (asked.klass, asked.protected, asked.cost_gpu_hours) == ("funded", hours(4), 8)
    assert asked.capped_by is not None
    assert (asked.capped_by.account, asked.unused_cost_gpu_hours) == ("/a", 4)
    assert (asked.entitled_gpu_hours, asked.used_gpu_hours, asked.rank, asked.of) == (144, 6, 1, 1)


def test_a_shorter_runtime_costs_less_and_none_is_harvesting() -> None:
    asked = quote(ask(DAY, state(RUNS)), job("new", "/a/x", "me", gpus=2, wants=hours(10)))
    assert [(one.declared, one.klass, one.cost_gpu_hours) for one in asked.alternatives] == [
        (0, "opportunistic", 0),
        (hours(2), "funded", 4),
    ]


def test_a_quote_for_a_pending_job_replaces_it() -> None:
    waits = job("w", "/a/x", wants=hours(1))
    assert (quote(ask(DAY, state(waits)), waits).rank, quote(ask(DAY, state(waits)), waits).of) == (1, 1)


def test_a_quote_moves_nobody_who_waits() -> None:
    situation = ask(DAY, state(job("w", "/b", wants=60), RUNS))
    before = explain(situation, "w")
    quote(situation, job("new", "/b", wants=60, priority=9))
    assert explain(situation, "w") == before


def test_an_explanation_goes_down_the_accounts_to_the_user() -> None:
    there = state(RUNS, job("w1", "/a/x", "me", wants=60), job("w2", "/b", "you", wants=60))
    told = explain(ask(DAY, there), "w1")
    assert (told.rank, told.of, told.klass, told.running) == (2, 2, "funded", False)
    assert [(level.account, level.user, level.share) for level in told.path] == [
        ("/a", None, "3/4"),
        ("/a/x", None, "1"),
        ("/a/x", "me", "1"),
    ]
    assert (told.path[0].usage_gpu_hours, told.path[0].virtual_time) == (6, 8)
    assert (told.path[0].behind, told.path[0].jobs_before) == (("/b",), {"/b": 1})


def test_a_running_job_is_told_until_when_it_is_protected() -> None:
    told = explain(ask(DAY, state(RUNS)), "r")
    assert (told.running, told.rank, told.protected_until) == (True, None, (RUNS.start or 0) + hours(3))
    assert told.reasons[0].facts["protected"] is True


def test_a_job_that_does_not_exist_is_answered_with_the_nearest() -> None:
    with pytest.raises(UsageProblem) as raised:
        explain(ask(DAY, state(job("training-7"))), "training-8")
    assert raised.value.help is not None
    assert "training-7" in raised.value.help
