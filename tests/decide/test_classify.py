"""Funded or opportunistic, why, and for how long protected."""

from __future__ import annotations

import pytest

from policyctl.decide.rank import rank_pool
from policyctl.model.jobs import Job
from policyctl.model.policy import Policy, ProtectionGrant, Suspension
from policyctl.units import Seconds
from tests.decide.small import ask, budget, cap, exception, job, past, policy, state

TREE = {"/": {"a": "1/2", "b": "1/2", "none": "0"}, "/b": {"x": "1"}}
HOUR = 3600


def why(some: Policy, one: Job, *, later: int = 0) -> tuple[str, ...]:
    pool = ask(some, state(one), later=later).pool("p")
    return (pool.waiting if one.start is None else pool.held).reasons(0)


@pytest.mark.parametrize(
    ("one", "reasons"),
    [
        pytest.param(job("j", wants=1), (), id="one second of protection is enough"),
        pytest.param(job("j", wants=0), ("declared_zero",), id="it declares none"),
        pytest.param(job("j", "/typo", wants=1), ("unknown_account",), id="no document names its account"),
        pytest.param(job("j", "/a/new", wants=1), ("unknown_account",), id="nor anything below a leaf"),
        pytest.param(job("j", "/b", wants=1), ("inner_account",), id="jobs belong to leaves"),
        pytest.param(job("j", "/", wants=1), ("inner_account",), id="not to the cluster either"),
        pytest.param(job("j", "/none", wants=1), ("zero_share",), id="an account without a share"),
        pytest.param(job("j", "/none", wants=0), ("declared_zero", "zero_share"), id="every reason is given"),
    ],
)
def test_a_job_is_funded_or_says_why_not(one: Job, reasons: tuple[str, ...]) -> None:
    assert why(policy(TREE), one) == reasons


def test_without_any_budget_the_cluster_itself_is_a_leaf() -> None:
    assert why(policy({}), job("j", "/", wants=1)) == ()


@pytest.mark.parametrize(
    ("start", "reasons"),
    [
        pytest.param(None, ("suspended",), id="waiting"),
        pytest.param(-11, (), id="started before it"),
        pytest.param(-10, ("suspended",), id="started with it"),
    ],
)
def test_a_suspension_stops_new_protection_only(start: int | None, reasons: tuple[str, ...]) -> None:
    some = policy(TREE, exceptions=[exception(Suspension(account="/b"), since=-10, until=10)])
    assert why(some, job("j", "/b/x", wants=5, start=start)) == reasons
    assert why(some, job("j", "/a", wants=5)) == ()


@pytest.mark.parametrize(
    ("overdraft", "reasons"),
    [
        pytest.param(None, (), id="unlimited"),
        pytest.param("0", ("overdraft",), id="none"),
        pytest.param("1/4", (), id="just enough"),
        pytest.param("24/100", ("overdraft",), id="one percent short"),
    ],
)
def test_an_overdraft_counts_commitments_against_the_window(
    overdraft: str | None, reasons: tuple[str, ...]
) -> None:
    """Half of 8 GPUs over ten days are 960 GPU-hours; a running job has committed 1200."""
    some = policy(TREE, overdraft=overdraft)
    runs = job("r", gpus=5, start=0, wants=240 * HOUR)
    pool = ask(some, state(runs, job("w", wants=1))).pool("p")
    assert pool.waiting.reasons(0) == reasons
    assert pool.held.reasons(0) == ()


def test_a_running_job_keeps_the_class_of_its_start() -> None:
    some = policy([budget("/", {"a": "1"}, until=0), budget("/", {"a": "0", "b": "1"}, since=0)])
    assert why(some, job("r", wants=5, start=-1)) == ()
    assert why(some, job("r", wants=5, start=0)) == ("zero_share",)
    assert why(some, job("w", wants=5)) == ("zero_share",)


def test_where_nothing_was_said_at_the_start_the_present_stands_in() -> None:
    some = policy([budget("/", {"a": "1"}, since=0)])
    assert why(some, job("r", wants=5, start=-100)) == ()


CAPS = [
    cap("/", "4h", interactive=('job.kind == "interactive"', "2h"), large=("job.gpus >= 4", "12h")),
    cap("/b", "6h"),
    cap("/b/x", tiny=("job.gpus < 1", "1h")),
]


@pytest.mark.parametrize(
    ("one", "hours"),
    [
        pytest.param(job("j", wants=3 * HOUR), 3, id="below every cap"),
        pytest.param(job("j", wants=5 * HOUR), 4, id="the default"),
        pytest.param(job("j", wants=99 * HOUR, gpus=4), 12, id="the rule that holds"),
        pytest.param(job("j", "/b/x", wants=99 * HOUR, gpus=4), 6, id="the smallest of the ancestors"),
        pytest.param(job("j", "/b/x", wants=99 * HOUR, gpus=0.5), 1, id="the tightest below"),
        pytest.param(job("j", "/b/x", wants=99 * HOUR), 4, id="no rule holds and there is no default"),
    ],
)
def test_protection_is_the_smallest_cap(one: Job, hours: int) -> None:
    assert int(ask(policy(TREE, caps=CAPS), state(one)).pool("p").waiting.seconds[0]) == hours * HOUR


@pytest.mark.parametrize(
    ("grant", "hours"),
    [
        pytest.param(ProtectionGrant(account="/a", max_protected=Seconds(24 * HOUR)), 24, id="its account"),
        pytest.param(
            ProtectionGrant(account="/", max_protected=Seconds(24 * HOUR)), 24, id="an account above"
        ),
        pytest.param(ProtectionGrant(job="j", max_protected=Seconds(24 * HOUR)), 24, id="the job itself"),
        pytest.param(
            ProtectionGrant(account="/a", max_protected=Seconds(HOUR)), 4, id="never lower than the cap"
        ),
        pytest.param(ProtectionGrant(account="/b", max_protected=Seconds(24 * HOUR)), 4, id="somebody else"),
        pytest.param(
            ProtectionGrant(account="/a", max_protected=Seconds(99 * HOUR)), 48, id="never beyond declared"
        ),
    ],
)
def test_only_an_exception_raises_protection(grant: ProtectionGrant, hours: int) -> None:
    some = policy(TREE, caps=CAPS, exceptions=[exception(grant, since=-1, until=1)])
    one = job("j", wants=48 * HOUR)
    assert int(ask(some, state(one)).pool("p").waiting.seconds[0]) == hours * HOUR
    assert int(ask(some, state(one), later=1).pool("p").waiting.seconds[0]) == 4 * HOUR


def test_a_rule_that_faults_leaves_the_job_without_a_place_and_names_itself() -> None:
    some = policy(TREE, caps=[cap("/", "4h", team=('job.labels["team"] == "x"', "1h"))])
    answer = rank_pool(
        ask(some, state(job("bad", wants=5), job("good", wants=5, labels={"team": "x"}))).pool("p")
    )
    assert [one.job for one in answer.order] == ["good"]
    assert [(one.job, one.reasons[0].code, one.reasons[0].facts["rule"]) for one in answer.errors] == [
        ("bad", "rule_failed", "team")
    ]


def test_a_past_run_is_charged_in_the_class_of_its_start() -> None:
    some = policy([budget("/", {"a": "1"}, until=-50), budget("/", {"a": "0", "b": "1"}, since=-50)])
    early, late = past(job("e", wants=5, start=-60), -40), past(job("l", wants=5, start=-50), -40)
    book = ask(some, state(usage=[early, late])).pool("p").book
    assert (int(book.charged[0]), int(book.opportunistic[0])) == (2 * 20_000, 2 * 10_000)
