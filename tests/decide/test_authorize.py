"""May these jobs be preempted for that one: one rule at a time."""

from __future__ import annotations

import pytest

from policyctl.decide.preempt import Preemptor
from policyctl.errors import UsageProblem
from policyctl.model.decisions import Authorization
from policyctl.model.jobs import ClusterState, Job, Node, Outcome
from policyctl.model.policy import PerJobLimit, Policy
from policyctl.units import MilliGpu, Seconds
from tests.decide.small import FREEZE, NOW, ask, cap, exception, guard, hours, job, past, policy, state

ASKS = job("asks", "/a", gpus=8, wants=60)
SPARE = job("spare", "/b", gpus=8, start=-1000)
PAID = job("paid", "/b", gpus=8, start=-1000, wants=60)


def authorize(some: Policy, there: ClusterState, *victims: str, later: int = 0) -> Authorization:
    return Preemptor(ask(some, there, later=later)).authorize("asks", victims)


def codes(answer: Authorization) -> list[str]:
    return [reason.code for reason in answer.reasons]


def verdict(some: Policy, victim: Job, *, asks: Job = ASKS, later: int = 0) -> tuple[str, int | None]:
    """Return the code about the one victim, and when it lapses in seconds after NOW."""
    found = authorize(some, state(asks, victim), victim.id, later=later).victims[0]
    return found.code, None if found.retry_at is None else found.retry_at - NOW


@pytest.mark.parametrize(
    ("later", "expected"),
    [
        pytest.param(-1, ("victim_protected", 0), id="a second before"),
        pytest.param(0, ("still_behind", None), id="at the end of its protection"),
        pytest.param(1, ("still_behind", None), id="a second after"),
    ],
)
def test_protection_is_half_open(later: int, expected: tuple[str, int | None]) -> None:
    assert verdict(policy(), job("paid", "/b", gpus=8, start=-600, wants=600), later=later) == expected


def test_an_opportunistic_victim_gives_way_at_once() -> None:
    answer = authorize(policy(), state(ASKS, SPARE), "spare")
    assert (answer.outcome, answer.victims[0].code) == ("granted", "victim_opportunistic")


def test_an_opportunistic_job_never_preempts() -> None:
    answer = authorize(policy(), state(job("asks", gpus=8), SPARE), "spare")
    assert (answer.outcome, answer.victims[0].code) == ("refused", "preemptor_opportunistic")


@pytest.mark.parametrize(
    ("share", "code"),
    [
        pytest.param({"a": "1/2", "b": "1/2"}, "still_behind", id="level after paying"),
        pytest.param({"a": "50%", "b": "50.001%"}, "not_behind", id="ahead after paying"),
        pytest.param({"a": "1", "b": "0"}, "still_behind", id="no share is ahead of every share"),
    ],
)
def test_past_protection_the_branch_that_asks_must_stay_behind(share: dict[str, str], code: str) -> None:
    some = policy({"/": {"a": share["a"], "b": share["b"]}})
    assert verdict(some, PAID, asks=job("asks", "/a", gpus=8, wants=1000))[0] == (
        code if share["b"] != "0" else "victim_opportunistic"
    )


@pytest.mark.parametrize(
    ("hysteresis", "code"),
    [
        pytest.param("1/4", "still_behind", id="just enough"),
        pytest.param("26/100", "not_behind", id="one percent too much"),
    ],
)
def test_hysteresis_asks_for_a_distance(hysteresis: str, code: str) -> None:
    assert verdict(policy(hysteresis=hysteresis), PAID, asks=job("asks", "/a", gpus=8, wants=800))[0] == code


@pytest.mark.parametrize("credit_limit", [None, "1h"])
def test_a_job_that_costs_nothing_does_not_preempt_across_a_tie(credit_limit: str | None) -> None:
    """Else two level branches could take from each other in turn."""
    some = policy(caps=[cap("/", "0s")], credit_limit=credit_limit)
    mine = job("mine", "/a", gpus=8, start=-1000, wants=60)
    there = state(ASKS, PAID, mine, job("theirs", "/b", gpus=8, wants=60))
    assert authorize(some, there, "paid").victims[0].code == "not_behind"
    assert Preemptor(ask(some, there)).authorize("theirs", ["mine"]).victims[0].code == "not_behind"


@pytest.mark.parametrize(
    ("victim", "code"),
    [
        pytest.param(
            job("paid", "/a", gpus=8, start=-100, wants=60),
            "higher_priority_of_the_same_user",
            id="own, lower",
        ),
        pytest.param(
            job("paid", "/a", gpus=8, start=-100, wants=60, priority=5),
            "priority_not_higher",
            id="own, equal",
        ),
        pytest.param(
            job("paid", "/a", "you", gpus=8, start=-100, wants=60),
            "same_account_other_user",
            id="a colleague",
        ),
    ],
)
def test_within_an_account_only_ones_own_lower_priority_gives_way(victim: Job, code: str) -> None:
    assert verdict(policy(), victim, asks=job("asks", "/a", gpus=8, wants=60, priority=5))[0] == code


def test_a_freeze_refuses_everybody_until_it_ends() -> None:
    some = policy(exceptions=[exception(FREEZE, since=-10, until=50)])
    assert verdict(some, SPARE) == ("frozen", 50)
    assert verdict(some, SPARE, later=50) == ("victim_opportunistic", None)


def test_a_guard_refuses_with_its_reason_and_its_place() -> None:
    some = policy(guards=[guard('victim.class == "opportunistic" && victim.running_for > duration("10m")')])
    found = authorize(some, state(ASKS, SPARE), "spare").victims[0]
    assert (found.outcome, found.code, found.retry_at) == ("refused", "guard", None)
    assert found.reasons[0].facts == {"rule": "guard", "reason": "live sessions", "written": "policy.yaml:7"}


def test_a_guard_that_faults_is_an_error_and_authorizes_nothing() -> None:
    answer = authorize(policy(guards=[guard('victim.labels["team"] == "x"')]), state(ASKS, SPARE), "spare")
    assert (answer.outcome, answer.victims[0].outcome, answer.victims[0].code) == (
        "error",
        "error",
        "rule_failed",
    )


@pytest.mark.parametrize(
    ("preempted", "expected"),
    [
        pytest.param(
            (-100, -50), ("per_job_limit", 0), id="the first leaves the stretch at this instant, or not yet"
        ),
        pytest.param((-101, -50), ("victim_opportunistic", None), id="the first is just out of it"),
        pytest.param((-50, 1), ("victim_opportunistic", None), id="what is to come does not count"),
        pytest.param((-90, -60, -30), ("per_job_limit", 40), id="two of three have to leave"),
    ],
)
def test_a_job_is_preempted_only_so_often(
    preempted: tuple[int, ...], expected: tuple[str, int | None]
) -> None:
    some = policy(per_job=PerJobLimit(max=2, within=Seconds(100)))
    victim = job("spare", "/b", gpus=8, start=-1000, preempted=preempted)
    if expected == ("per_job_limit", 0):
        assert verdict(some, victim, later=-1) == expected
        expected = ("victim_opportunistic", None)
    assert verdict(some, victim) == expected


@pytest.mark.parametrize(
    ("lost", "code", "retry"),
    [
        pytest.param(5, "victim_opportunistic", None, id="together at the limit"),
        pytest.param(5.5, "pool_hourly_limit", 3000, id="half a GPU-hour above it"),
    ],
)
def test_a_pool_loses_only_so_much_work_an_hour(lost: float, code: str, retry: int | None) -> None:
    some = policy(per_pool="13")
    gone = past(job("gone", "/b", gpus=lost, start=-4200), -600, Outcome.PREEMPTED)
    victim = job("spare", "/b", gpus=8, start=-7200, checkpoint=-3600)
    found = authorize(some, state(ASKS, victim, usage=[gone]), "spare").victims[0]
    assert (found.code, None if found.retry_at is None else found.retry_at - NOW) == (code, retry)


def test_beyond_the_hourly_limit_even_a_victim_that_loses_nothing_waits() -> None:
    some = policy(per_pool="1")
    gone = past(job("gone", "/b", gpus=8, start=-4200), -600, Outcome.PREEMPTED)
    fresh = job("spare", "/b", gpus=8, start=-7200, checkpoint=0)
    there = state(ASKS, fresh, usage=[gone])
    assert authorize(some, there, "spare").victims[0].code == "pool_hourly_limit"
    assert Preemptor(ask(some, there)).plan("asks").outcome == "refused"


@pytest.mark.parametrize(
    ("there", "victims", "outcome", "code"),
    [
        pytest.param(state(ASKS, SPARE), ["spare"], "granted", "can_start", id="exactly what it needs"),
        pytest.param(
            state(ASKS, job("s1", "/b", gpus=4, start=-9), job("s2", "/b", gpus=4, start=-9)),
            ["s1"],
            "refused",
            "would_not_start",
            id="half of it: nothing is evicted for a job that then waits",
        ),
        pytest.param(
            state(
                job("asks", gpus=4, wants=60),
                job("s1", "/b", gpus=4, start=-9),
                job("s2", "/b", gpus=4, start=-9),
            ),
            ["s1", "s2"],
            "refused",
            "not_needed",
            id="twice what it needs",
        ),
        pytest.param(
            state(job("asks", gpus=9, wants=60), SPARE), ["spare"], "refused", "never_fits", id="too large"
        ),
        pytest.param(state(ASKS), [], "granted", "can_start", id="nobody has to go"),
    ],
)
def test_a_set_is_granted_only_if_it_is_enough_and_none_too_many(
    there: ClusterState, victims: list[str], outcome: str, code: str
) -> None:
    answer = authorize(policy(), there, *victims)
    assert answer.outcome == outcome
    assert code in codes(answer)


def test_a_set_waits_for_the_last_of_its_refusals() -> None:
    first = job("s1", "/b", gpus=4, start=-10, wants=60)
    second = job("s2", "/b", gpus=4, start=-10, wants=100)
    answer = authorize(policy(), state(ASKS, first, second), "s1", "s2")
    assert (answer.outcome, answer.retry_at) == ("refused", NOW + 90)


def test_a_refusal_without_a_time_leaves_the_set_without_one() -> None:
    first = job("s1", "/b", gpus=4, start=-10, wants=60)
    second = job("s2", "/a", "you", gpus=4, start=-100, wants=60)
    answer = authorize(policy(), state(ASKS, first, second), "s1", "s2")
    assert [one.code for one in answer.victims] == ["victim_protected", "same_account_other_user"]
    assert answer.retry_at is None


@pytest.mark.parametrize(
    ("victims", "outcome", "code"),
    [
        pytest.param(["nobody"], "error", "unknown_victim", id="a name that does not exist"),
        pytest.param(["queued"], "refused", "victim_not_running", id="a job that waits"),
    ],
)
def test_a_victim_that_does_not_run_here(victims: list[str], outcome: str, code: str) -> None:
    answer = authorize(policy(), state(ASKS, job("queued", "/b")), *victims)
    assert (answer.outcome, answer.victims[0].code) == (outcome, code) or (
        answer.outcome == "refused" and answer.victims[0].code == code
    )
    assert answer.outcome != "granted"


def test_a_job_that_runs_already_preempts_nobody() -> None:
    running = job("asks", gpus=1, start=-5, wants=60)
    assert "preemptor_not_pending" in codes(authorize(policy(), state(running, SPARE), "spare"))


def test_a_job_that_does_not_exist_is_a_mistake_of_the_call() -> None:
    with pytest.raises(UsageProblem, match="nobody"):
        Preemptor(ask(policy(), state(ASKS))).authorize("nobody", [])


def test_naming_a_victim_twice_changes_nothing() -> None:
    there = state(ASKS, SPARE)
    assert authorize(policy(), there, "spare", "spare") == authorize(policy(), there, "spare")


def test_work_on_a_drained_node_frees_nothing() -> None:
    """One placement is unknown, so that sums count; what sits on a drained node is not part of them."""
    nodes = tuple(
        Node(name=name, pool="p", gpus=MilliGpu(8000), available=name == "p-1") for name in ("p-1", "p-2")
    )
    drained = job("drained", "/b", gpus=8, start=-hours(1), on={"p-2": 8})
    there = ClusterState(time=NOW, jobs=(ASKS, SPARE, drained), nodes=nodes)
    assert authorize(policy(nodes=2), there, "spare").outcome == "granted"
    assert "not_needed" in codes(authorize(policy(nodes=2), there, "spare", "drained"))
