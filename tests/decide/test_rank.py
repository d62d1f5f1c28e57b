"""Who runs next, on queues small enough to rank by hand."""

from __future__ import annotations

import pytest

from policyctl.decide.rank import rank_pool
from policyctl.model.jobs import Job
from policyctl.model.policy import Charge, Policy
from policyctl.units import Seconds
from tests.decide.small import ask, hours, job, past, policy, state

THIRDS = {"/": {"a": "1/3", "b": "1/3", "c": "1/3"}}


def order(some: Policy, *jobs: Job, usage: tuple[Job, ...] = ()) -> list[str]:
    runs = [past(one, -10) for one in usage]
    return [one.job for one in rank_pool(ask(some, state(*jobs, usage=runs)).pool("p")).order]


def test_the_account_that_used_least_of_its_share_goes_first() -> None:
    some = policy({"/": {"a": "3/4", "b": "1/4"}})
    runs = (job("r1", "/a", gpus=2, start=-110, wants=10), job("r2", "/b", gpus=1, start=-110, wants=10))
    assert order(some, job("a1", "/a", wants=9), job("b1", "/b", wants=9), usage=runs) == ["a1", "b1"]


def test_each_job_taken_counts_before_the_next_is_chosen() -> None:
    some = policy({"/": {"a": "2/3", "b": "1/3"}})
    queue = [job(f"{name}{number}", f"/{name}", wants=60) for name in "ab" for number in range(1, 4)]
    assert order(some, *queue) == ["a1", "b1", "a2", "a3", "b2", "b3"]


def test_funded_jobs_go_before_opportunistic_ones_whoever_used_more() -> None:
    heavy = job("r", "/b", gpus=8, start=-110, wants=10)
    assert order(policy(), job("spare", "/a"), job("bought", "/b", wants=9), usage=(heavy,)) == [
        "bought",
        "spare",
    ]


def test_what_is_funded_counts_while_the_opportunistic_are_ranked() -> None:
    queue = [job("a1", "/a", wants=60), job("a2", "/a"), job("b1", "/b")]
    assert order(policy(), *queue) == ["a1", "b1", "a2"]


def test_opportunistic_jobs_count_a_quantum_each() -> None:
    queue = [job("a1", "/a", gpus=2), job("a2", "/a"), job("b1", "/b"), job("b2", "/b"), job("b3", "/b")]
    assert order(policy(quantum="1m"), *queue) == ["a1", "b1", "b2", "a2", "b3"]


@pytest.mark.parametrize("used", [0, 1])
def test_an_account_without_a_share_goes_last_idle_or_not(used: int) -> None:
    some = policy({"/": {"a": "1", "none": "0"}})
    heavy = job("r1", "/a", gpus=8, start=-5000, wants=10)
    light = job("r2", "/none", gpus=used, start=-110)
    assert order(some, job("n", "/none"), job("a", "/a"), usage=(heavy, light)) == ["a", "n"]


def test_where_nobody_has_a_share_the_least_usage_goes_first_and_all_go() -> None:
    some = policy({"/": {"a": "0", "b": "0"}}, charge=Charge(opportunistic=Charge().protected))
    runs = (job("r", "/a", gpus=1, start=-110),)
    queue = [job("a1", "/a", submit=-9), job("b1", "/b"), job("b2", "/b")]
    assert order(some, *queue, usage=runs) == ["b1", "a1", "b2"]


def test_a_tie_goes_to_the_larger_share_then_to_the_path() -> None:
    some = policy({"/": {"a": "1/4", "b": "1/4", "c": "1/2"}})
    queue = [job(name, f"/{name}", wants=9) for name in ("b", "a", "c")]
    assert order(some, *queue) == ["c", "a", "b"]


def test_thirds_tie_exactly() -> None:
    queue = [job(f"{name}{number}", f"/{name}", gpus=0.1, wants=60) for name in "abc" for number in (1, 2, 3)]
    assert order(policy(THIRDS), *queue) == [f"{name}{number}" for number in (1, 2, 3) for name in "abc"]


def test_priority_reorders_ones_own_jobs_and_nobody_elses() -> None:
    queue = [
        job("mine-late", "/a", "me", wants=60, priority=9, submit=-1),
        job("mine-early", "/a", "me", wants=60, submit=-50),
        job("theirs", "/a", "you", wants=60, priority=-5),
    ]
    assert order(policy(), *queue) == ["mine-late", "theirs", "mine-early"]


def test_within_a_user_submit_time_then_id_decide() -> None:
    queue = [job("c", submit=-5, wants=1), job("b", submit=-5, wants=1), job("a", submit=-4, wants=1)]
    assert order(policy(), *queue) == ["b", "c", "a"]


def test_users_share_their_account_equally_however_many_jobs_they_submit() -> None:
    flood = [job(f"f{number}", "/a", "flooder", wants=60) for number in range(3)]
    assert order(policy(), *flood, job("s", "/a", "shy", wants=60)) == ["f0", "s", "f1", "f2"]


def test_spare_cycles_leave_no_debt() -> None:
    harvested = job("r", "/a", gpus=8, start=-hours(2))
    queue = [job("b1", "/b", wants=60), job("a1", "/a", wants=60)]
    assert order(policy(), *queue, usage=(harvested,)) == ["a1", "b1"]
    dear = policy(charge=Charge(opportunistic=Charge().protected))
    assert order(dear, *queue, usage=(harvested,)) == ["b1", "a1"]


def test_a_commitment_counts_as_soon_as_it_is_made() -> None:
    running = job("r", "/a", gpus=1, start=0, wants=60)
    assert order(policy(), job("a1", "/a", wants=9), job("b1", "/b", wants=9), running) == ["b1", "a1"]


def test_unknown_accounts_stand_where_their_path_puts_them_and_last() -> None:
    queue = [job("u", "/a/typo"), job("a", "/a"), job("z", "/zz"), job("b", "/b")]
    assert order(policy(), *queue) == ["a", "b", "u", "z"]


def test_the_first_of_many_is_ranked_the_same() -> None:
    queue = [job(f"{name}{number}", f"/{name}", wants=60) for name in "ab" for number in range(5)]
    pool = ask(policy(), state(*queue)).pool("p")
    assert rank_pool(pool, top=3).order == rank_pool(pool).order[:3]
    assert rank_pool(pool, top=3).pending == 10


def test_a_returning_account_with_a_credit_limit_keeps_the_order_of_usage() -> None:
    """The floor lifts both sides alike, and what it makes equal goes by the values without it."""
    runs = (
        job("r1", "/b", gpus=8, start=-hours(9), wants=10),
        job("r2", "/c", gpus=4, start=-hours(9), wants=10),
    )
    queue = [job(f"{name}{number}", f"/{name}", wants=Seconds(600)) for name in "abc" for number in (1, 2)]
    assert order(policy(THIRDS, credit_limit="1h"), *queue, usage=runs) == order(
        policy(THIRDS), *queue, usage=runs
    )
