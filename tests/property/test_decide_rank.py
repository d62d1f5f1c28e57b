"""The merge gives exactly the order of the greedy loop."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from policyctl.decide.rank import rank_pool
from policyctl.decide.situation import Situation
from tests.oracle.books import open_books
from tests.oracle.ranking import ranking
from tests.property.strategies import EXAMPLES, NOW, World, policies, states, worlds


@given(st.one_of(worlds(), worlds(least=6, most=14, queue=True)))
@settings(max_examples=3 * EXAMPLES, deadline=None)
def test_the_merge_ranks_as_the_greedy_loop(world: World) -> None:
    fast = rank_pool(Situation(policy=world.policy, state=world.state, now=NOW).pool("p"))
    assert [one.job for one in fast.order] == ranking(open_books(world.policy, world.state, NOW, "p"))


@given(st.data())
@settings(max_examples=EXAMPLES, deadline=None)
def test_a_job_on_which_a_rule_faults_has_no_place_and_moves_nobody(data: st.DataObject) -> None:
    policy = data.draw(policies(faulty=True))
    state = data.draw(states(policy, least=3, most=9, pending_only=True))
    books = open_books(policy, state, NOW, "p")
    fast = rank_pool(Situation(policy=policy, state=state, now=NOW).pool("p"))
    assert [one.job for one in fast.order] == ranking(books)
    faulted = sorted(job.id for job in books.waiting if books.verdict[job.id].fault is not None)
    assert [one.job for one in fast.errors] == faulted
    assert fast.pending == len(fast.order) + len(fast.errors)
