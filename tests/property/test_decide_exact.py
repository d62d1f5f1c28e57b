"""Ranking is exact where floats are not: ties and differences of one tick beyond 2^53, and weights beyond 2^40."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from policyctl.decide.rank import rank_pool
from policyctl.decide.situation import Situation
from policyctl.diagnostics import Place
from policyctl.model.jobs import ClusterState, Job
from policyctl.model.policy import (
    Accounting,
    Budget,
    Governance,
    Policy,
    Pool,
    Preemption,
    Share,
    SlidingWindow,
)
from policyctl.units import Instant, MilliGpu, Seconds
from tests.oracle.books import open_books
from tests.oracle.ranking import ranking
from tests.property.strategies import EXAMPLES, NOW, World

_HERE = Place(file="policy.yaml")
_SMALL = st.integers(1, 10)
_LARGE = st.integers(2**30, 2**38)
_HUGE = st.integers(2**40, 2**41)
_LONG = 20_000
"""Seconds: times a large weight this is far beyond 2^53, times a few jobs still within 64 bits."""


def _divided(account: str, names: str, weights: list[int]) -> Budget:
    shares = tuple(
        Share(name=name, share=Fraction(weight, sum(weights)), place=_HERE)
        for name, weight in zip(names, weights, strict=True)
    )
    return Budget(name=f"of-{names}", account=account, shares=shares, place=_HERE)


@st.composite
def traps(draw: st.DrawFn, weights: st.SearchStrategy[int]) -> World:
    """Draw accounts whose jobs cost as much as they weigh, give or take one GPU-second in 10^16."""
    root = draw(st.lists(weights, min_size=3, max_size=3))
    inner = draw(st.lists(weights, min_size=2, max_size=2))
    weight = {"/a": root[0], "/b": root[1], "/c/x": inner[0], "/c/y": inner[1]}
    jobs: list[Job] = []
    for account, number in sorted(weight.items()):
        sizes = st.sampled_from([(number, _LONG), (number, _LONG), (number, 1), (1, 1), (1, _LONG), (2, 1)])
        for gpus, seconds in draw(st.lists(sizes, max_size=4)):
            jobs.append(
                Job(
                    id=f"j{len(jobs):02}",
                    account=account,
                    user=draw(st.sampled_from(["u", "u", "v"])),
                    pool="p",
                    gpus=MilliGpu(gpus),
                    submit=Instant(NOW - 100),
                    start=draw(st.sampled_from([None, None, None, NOW])),
                    min_runtime=Seconds(seconds),
                )
            )
    policy = Policy(
        pools=(Pool(name="p", nodes=1, gpus_per_node=8, place=_HERE),),
        budgets=(_divided("/", "abc", root), _divided("/c", "xy", inner)),
        accounting=Accounting(name="accounting", window=SlidingWindow(length=Seconds(10**6)), place=_HERE),
        preemption=Preemption(name="preemption", place=_HERE),
        governance=Governance(name="governance", place=_HERE),
    )
    return World(policy=policy, state=ClusterState(time=NOW, jobs=tuple(jobs)))


def agrees(world: World) -> None:
    fast = rank_pool(Situation(policy=world.policy, state=world.state, now=NOW).pool("p"))
    assert [one.job for one in fast.order] == ranking(open_books(world.policy, world.state, NOW, "p"))


@given(traps(_SMALL))
@settings(max_examples=EXAMPLES, deadline=None)
def test_small_weights_tie_exactly(world: World) -> None:
    agrees(world)


@given(traps(_LARGE))
@settings(max_examples=2 * EXAMPLES, deadline=None)
def test_one_tick_in_ten_thousand_million_million_decides(world: World) -> None:
    agrees(world)


@given(traps(_HUGE))
@settings(max_examples=2 * EXAMPLES, deadline=None)
def test_weights_too_large_for_whole_products_are_compared_as_fractions(world: World) -> None:
    agrees(world)


@given(traps(_SMALL | _LARGE | _HUGE))
@settings(max_examples=2 * EXAMPLES, deadline=None)
def test_accounts_of_every_size_beside_each_other(world: World) -> None:
    agrees(world)
