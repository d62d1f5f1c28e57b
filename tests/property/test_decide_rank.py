"""The merge gives exactly the order of the greedy loop."""

from __future__ import annotations

from hypothesis import given, settings

from policyctl.decide.rank import rank_pool
from policyctl.decide.situation import Situation
from tests.oracle.books import open_books
from tests.oracle.ranking import ranking
from tests.property.strategies import EXAMPLES, NOW, World, worlds


@given(worlds(most=12))
@settings(max_examples=EXAMPLES, deadline=None)
def test_the_merge_ranks_as_the_greedy_loop(world: World) -> None:
    fast = rank_pool(Situation(policy=world.policy, state=world.state, now=NOW).pool("p"))
    assert [one.job for one in fast.order] == ranking(open_books(world.policy, world.state, NOW, "p"))
