"""Whom a live pool leaves out before it judges is whom rule 4 refuses, however close the usage of two branches is."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

import numpy as np
import pytest

from policyctl.decide.claim import Claim, branches
from policyctl.decide.live_columns import Contract, LiveColumns
from policyctl.decide.live_nodes import LiveNodes
from policyctl.decide.live_reach import LiveReach
from policyctl.decide.live_rivals import LiveRivals
from policyctl.decide.live_usage import LiveUsage
from policyctl.decide.standing import Timeline
from policyctl.decide.table import table_of
from policyctl.ledger.charge import rates_of
from policyctl.model.policy import SlidingWindow
from policyctl.units import Instant, Seconds
from tests.decide.small import NOW, budget, job, policy

ACCOUNTS = ("/a/x", "/a/y", "/b", "/c", "/zero", "/stranger")
BUDGETS = (
    budget("/", {"a": "1/8", "b": "1/8", "c": "1/2", "zero": "0"}, until=0),
    budget("/", {"a": "1/2", "b": "1/4", "c": "1/8", "zero": "0"}, since=0),
    budget("/a", {"x": "2/3", "y": "1/3"}),
)
WIDE = (0, 10**12)
"""Usage in ticks among which nothing is as close as a tick; eight GPUs make 8,000 a second."""
CLOSE = (0, 6)
ASKED = NOW + 40_000
"""By then usage with a half-life is no whole number of ticks any more."""
MARGINS = pytest.mark.parametrize("hysteresis", ["0", "1/20"], ids=["no margin", "a margin"])
LIMITS = pytest.mark.parametrize("limit", [None, "1s", "10d", "100d"])


@dataclass(frozen=True, slots=True)
class Found:
    """The users left in, and those whom rule 4 lets give way."""

    left: set[int]
    giving_way: set[int]


def found(
    rng: Random, span: tuple[int, int], *, limit: str | None, hysteresis: str, half_life: bool
) -> Found:
    """Let everybody use some time, and a job ask for some more."""
    window = SlidingWindow(length=Seconds(864_000), half_life=Seconds(432_000) if half_life else None)
    some = policy(BUDGETS, credit_limit=limit, hysteresis=hysteresis, window=window)
    jobs = [
        job(f"{account}-{user}-{priority}", account, user, priority=priority)
        for account in ACCOUNTS
        for user in "uv"
        for priority in range(2)
    ]
    timeline, rates = (
        Timeline(some, "p"),
        rates_of(some.accounting.charge, some.pools[0].charge_rate, decays=False),
    )
    nodes = LiveNodes(timeline.tree(Instant(NOW - 1)), jobs)
    usage, reach = LiveUsage(nodes.parent, window, NOW), LiveReach()
    rivals = LiveRivals(some, some.pools[0], rates, nodes, jobs)
    for at in (NOW - 1, NOW):
        nodes.enter(timeline.tree(Instant(at)))
    row, charge = rng.randrange(len(jobs)), rng.randint(*span) // 10
    for other, user in enumerate(nodes.user):
        usage.change(user, NOW, lump=rng.randint(*span) // 2, owed=rng.randint(*span) // 2)
        if other != row:
            reach.add_open(other, user, 1000)
    columns = LiveColumns(some, some.pools[0], table_of(jobs), timeline, rates)
    book, contract = nodes.book(usage, ASKED), Contract(funded=True, seconds=1, why=0)
    view = columns.view(Instant(ASKED), book, contract, row, np.arange(len(jobs)))
    claim = Claim(situation=view, user=nodes.user[row], charge=charge)
    giving_way = set()
    for other, user in enumerate(nodes.user):
        way = branches(book, claim.user, user)
        if way.mine is not None and way.other is not None:
            holds = claim.behind(way.mine, way.other).holds
        else:
            holds = way.same_user and jobs[other].priority < jobs[row].priority
        if holds and other != row:
            giving_way.add(user)
    return Found(left=set(rivals.ahead(row, charge, reach, usage, ASKED)), giving_way=giving_way)


@MARGINS
@LIMITS
@pytest.mark.parametrize("half_life", [False, True], ids=["plain", "a half-life"])
def test_nobody_who_gives_way_is_left_out_where_usage_ties(
    limit: str | None, hysteresis: str, *, half_life: bool
) -> None:
    rng, seen = Random(1), 0
    for _ in range(60):
        one = found(rng, CLOSE, limit=limit, hysteresis=hysteresis, half_life=half_life)
        assert one.giving_way <= one.left
        seen += len(one.giving_way)
    assert seen


@MARGINS
@LIMITS
@pytest.mark.parametrize("half_life", [False, True], ids=["plain", "a half-life"])
def test_everybody_else_is_left_out_where_nothing_is_close(
    limit: str | None, hysteresis: str, *, half_life: bool
) -> None:
    rng, seen = Random(2), 0
    for _ in range(60):
        one = found(rng, WIDE, limit=limit, hysteresis=hysteresis, half_life=half_life)
        assert one.giving_way == one.left
        seen += len(one.giving_way)
    assert seen
