"""What an answer says beyond the question: the name that was meant, a job that never fits, what more would cost."""

from __future__ import annotations

from dataclasses import replace

import pytest

from policyctl.decide.explain import explain
from policyctl.decide.preempt import Preemptor
from policyctl.decide.quote import quote
from policyctl.decide.rank import rank_pool
from policyctl.decide.situation import Situation
from policyctl.diagnostics import Place
from policyctl.errors import UsageProblem
from policyctl.model.decisions import Reason
from policyctl.model.jobs import Job
from policyctl.model.policy import Policy, ProtectionGrant, ShareGrant
from policyctl.units import Seconds, parse_share
from tests.decide.small import FREEZE, ask, cap, exception, guard, hours, job, past, policy, state

TREE = {"/": {"language": "1/2", "vision": "1/2"}, "/language": {"pretrain": "1", "closed": "0"}}
CAPPED = policy(TREE, nodes=4, block_nodes=2, caps=[cap("/", "4h", large=("job.gpus >= 16.0", "12h"))])


def codes(reasons: tuple[Reason, ...]) -> list[str]:
    return [reason.code for reason in reasons]


@pytest.mark.parametrize(
    ("account", "nearest"),
    [
        pytest.param("/language/pretrian", "/language/pretrain", id="two letters changed places"),
        pytest.param("/Vision", "/vision", id="a capital letter"),
        pytest.param("/language/pretrain2", "/language/pretrain", id="one letter too many"),
        pytest.param("/language/closd", None, id="what is near has no share"),
        pytest.param("/biology", None, id="nothing is near"),
    ],
)
def test_an_unknown_account_comes_with_the_one_that_was_meant(account: str, nearest: str | None) -> None:
    (reason,) = quote(ask(CAPPED, state()), job("new", account, wants=60)).reasons
    assert (reason.code, reason.facts["nearest"]) == ("unknown_account", nearest)


def test_an_account_that_the_policy_names_has_no_nearest() -> None:
    (reason,) = quote(ask(CAPPED, state()), job("new", "/language", wants=60)).reasons
    assert reason.code == "inner_account"


SHAPES = [
    pytest.param(job("j", "/vision", gpus=33, nodes=8, wants=60), "nodes_large_enough", 4, id="the pool"),
    pytest.param(job("j", "/vision", gpus=9, wants=60), "largest_node_gpus", "8", id="any node"),
    pytest.param(job("j", "/vision", gpus=20, nodes=2, wants=60), "nodes_large_enough", 0, id="its nodes"),
    pytest.param(job("j", "/vision", gpus=5, nodes=5, wants=60), "fits", True, id="one node holds it all"),
    pytest.param(job("j", "/vision", gpus=24, nodes=3, wants=60, block=True), "block", True, id="any block"),
    pytest.param(job("j", "/vision", gpus=16, nodes=2, wants=60, block=True), "fits", True, id="one block"),
    pytest.param(
        job("j", "/vision", gpus=32, nodes=4, wants=60), "fits", True, id="nothing: it is all of it"
    ),
    pytest.param(job("j", "/vision", gpus=0, wants=60), "fits", True, id="nothing: it needs no GPU"),
]


@pytest.mark.parametrize(("waits", "fact", "value"), SHAPES)
def test_a_job_that_is_too_large_for(waits: Job, fact: str, value: object) -> None:
    """Quote, rank, explain and plan say the same of it, and first."""
    situation = ask(CAPPED, state(waits))
    ranked = rank_pool(situation.pool("p")).order[0].reasons
    answers = [quote(situation, waits).reasons, ranked, explain(situation, "j").reasons]
    answers.append(Preemptor(situation).plan("j").reasons)
    for reasons in answers:
        if fact == "fits":
            assert "never_fits" not in codes(reasons)
        else:
            assert reasons[0].code == "never_fits"
            assert reasons[0].facts[fact] == value


def test_a_job_that_only_waits_for_others_fits() -> None:
    there = state(job("r", start=-60, gpus=8, on={"p-1": 8}), job("j", "/vision", gpus=8, wants=60))
    situation = ask(policy(TREE), there)
    assert codes(explain(situation, "j").reasons) == ["funded", "own_order"]


def test_where_no_job_says_where_it_runs_only_the_sum_counts() -> None:
    there = state(job("r", "/vision", start=-60, gpus=8), job("j", "/vision", gpus=12, wants=60))
    assert "never_fits" not in codes(explain(ask(CAPPED, there), "j").reasons)
    huge = quote(ask(CAPPED, there), job("new", "/vision", gpus=40, wants=60))
    assert huge.reasons[0].facts["counted_by_node"] is False


def declared(situation: Situation, asked: Job) -> list[int]:
    return [one.declared for one in quote(situation, asked).alternatives]


LONG = exception(ProtectionGrant(account="/vision", max_protected=Seconds(hours(24))))


@pytest.mark.parametrize(
    ("some", "asked", "others"),
    [
        pytest.param(CAPPED, job("n", "/vision"), [hours(1), hours(4)], id="an hour and the cap"),
        pytest.param(CAPPED, job("n", "/vision", gpus=16, nodes=2), [hours(1), hours(12)], id="its own cap"),
        pytest.param(
            replace(CAPPED, exceptions=(LONG,)), job("n", "/vision"), [hours(1), hours(24)], id="an exception"
        ),
        pytest.param(policy(TREE), job("n", "/vision"), [hours(1)], id="no cap: an hour"),
        pytest.param(
            policy(TREE, caps=[cap("/", "30m")]), job("n", "/vision"), [1800], id="a cap below an hour"
        ),
        pytest.param(policy(TREE, caps=[cap("/", "0s")]), job("n", "/vision"), [], id="a cap of nothing"),
        pytest.param(
            CAPPED,
            replace(job("n", "/vision"), time_limit=Seconds(hours(2))),
            [hours(1), hours(2)],
            id="no longer than it may run",
        ),
        pytest.param(CAPPED, job("n", "/vision", wants=hours(8)), [0, hours(2)], id="asked for some: less"),
        pytest.param(CAPPED, job("n", "/typo"), [], id="unknown: nothing would help"),
        pytest.param(CAPPED, job("n", "/typo", wants=60), [], id="unknown: less is the same"),
        pytest.param(CAPPED, job("n", "/vision", gpus=9), [], id="never fits"),
    ],
)
def test_what_else_is_quoted(some: Policy, asked: Job, others: list[int]) -> None:
    assert declared(ask(some, state()), asked) == others


def test_each_alternative_is_quoted_as_if_it_were_asked() -> None:
    situation = ask(CAPPED, state(job("w", "/vision", wants=hours(2))))
    for other in quote(situation, job("n", "/vision", gpus=2)).alternatives:
        alone = quote(situation, job("n", "/vision", gpus=2, wants=other.declared))
        assert (alone.rank, alone.protected, alone.cost_gpu_hours, alone.klass) == (
            other.rank,
            other.protected,
            other.cost_gpu_hours,
            other.klass,
        )


def test_a_quote_names_the_rate_of_its_cost() -> None:
    half = policy(TREE, charge_rate="1/2")
    told = quote(ask(half, state()), job("n", "/vision", gpus=4, wants=hours(2)))
    assert (told.charge_rate, told.gpus, told.cost_gpu_hours) == ("1/2", 4000, 4)


OVERDRAWN = past(job("o", "/vision", gpus=160, start=-hours(100), wants=hours(99)), -hours(1))


def placed(some: Policy, path: str) -> Policy:
    """Return the policy with a line for the overdraft, as a document has it."""
    here = Place(file="accounting.yaml", line=23)
    return replace(some, accounting=replace(some.accounting, places={path: here}))


def test_an_overdraft_is_told_with_the_line_that_allows_it() -> None:
    some = placed(policy(TREE, overdraft="0"), "funding.overdraft")
    there = state(usage=[OVERDRAWN])
    (reason,) = quote(ask(some, there), job("n", "/vision", wants=60)).reasons
    assert (reason.code, reason.facts["written"]) == ("overdraft", "accounting.yaml:23")


def test_without_a_share_an_overdraft_says_nothing_more() -> None:
    some = policy(
        {"/": {"a": "1/2", "b": "1/2"}},
        overdraft="0",
        exceptions=[exception(ShareGrant(to="/a", source="/b", add=parse_share("1/2")), since=-60)],
    )
    used = past(job("o", "/b", gpus=8, start=-hours(9), wants=hours(8)), -hours(1))
    told = quote(ask(some, state(usage=[used])), job("n", "/b", wants=60)).reasons
    assert codes(told) == ["zero_share"]


def test_a_pool_that_does_not_exist_comes_with_the_one_that_was_meant() -> None:
    named = replace(CAPPED, pools=(replace(CAPPED.pools[0], name="h100"),))
    with pytest.raises(UsageProblem) as problem:
        ask(named, state()).pool("h10")
    assert problem.value.help == "did you mean `h100`? its pools are `h100`"


RUNS = job("47102", "/language/pretrain", "me", gpus=8, start=-60, on={"p-1": 8})
WAITS = job("w", "/vision", gpus=8, wants=60)


def test_an_unknown_victim_makes_the_question_an_error_whatever_else_is_refused() -> None:
    kept = policy(TREE, guards=[guard("true")])
    answer = Preemptor(ask(kept, state(RUNS, WAITS))).authorize("w", ["47102", "4710"])
    assert (answer.outcome, answer.retry_at) == ("error", None)
    assert [(one.job, one.outcome, one.code) for one in answer.victims] == [
        ("4710", "error", "unknown_victim"),
        ("47102", "refused", "guard"),
    ]
    assert answer.victims[0].reasons[0].facts == {"job": "4710", "nearest": "47102"}
    assert codes(answer.reasons) == ["victims_refused", "victims_failed"]


def test_a_victim_comes_with_whose_it_is_and_how_large() -> None:
    (verdict,) = Preemptor(ask(policy(TREE), state(RUNS, WAITS))).plan("w").victims
    assert (verdict.account, verdict.user, verdict.gpus) == ("/language/pretrain", "me", 8000)
    (gone,) = Preemptor(ask(policy(TREE), state(RUNS, WAITS))).authorize("w", ["x"]).victims
    assert (gone.account, gone.user, gone.gpus) == (None, None, None)


def test_a_freeze_stands_before_what_else_keeps_a_victim() -> None:
    kept = policy(TREE, guards=[guard("true")], exceptions=[exception(FREEZE, until=600)])
    answer = Preemptor(ask(kept, state(RUNS, WAITS))).plan("w")
    assert codes(answer.reasons) == ["frozen", "would_not_start", "not_available", "funded"]
    assert answer.reasons[0].facts["ticket"] == "OPS-1"
    assert answer.reasons[2].facts == {"why": "guard", "jobs": 1, "retry_at": None}


def test_a_set_that_could_not_start_has_no_time() -> None:
    half = job("h", "/language/pretrain", gpus=4, start=-60, wants=120, on={"p-1": 4})
    other = job("o", "/language/pretrain", gpus=4, start=-60, wants=300, on={"p-1": 4})
    preemptor = Preemptor(ask(policy(TREE), state(half, other, WAITS)))
    assert preemptor.authorize("w", ["h"]).retry_at is None
    both = preemptor.authorize("w", ["h", "o"])
    assert both.retry_at == both.victims[1].retry_at
    assert preemptor.plan("w").retry_at == both.retry_at
