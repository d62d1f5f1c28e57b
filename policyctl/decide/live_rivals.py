"""Whose funded jobs past their protection rule 4 could let give way to a waiting job, found before any is judged."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence

from policyctl.decide.live_nodes import LiveNodes
from policyctl.decide.live_reach import LiveReach
from policyctl.decide.live_usage import LiveUsage
from policyctl.ledger.charge import Rates
from policyctl.model.jobs import Job
from policyctl.model.policy import Policy, Pool

__all__ = ["LiveRivals"]

_TICK = 1
"""The books count whole ticks: a comparison that one tick could turn is in doubt."""
_ROUNDING = 1 + 1e-9


class LiveRivals:
    """Compares branches as `Claim.behind` does, in floating-point numbers; `jobs` is the live pool's own list.

    What is in doubt counts as ahead, so that whoever is left out would be refused.
    """

    def __init__(
        self, policy: Policy, pool: Pool, rates: Rates, nodes: LiveNodes, jobs: Sequence[Job]
    ) -> None:
        self._nodes, self._jobs = nodes, jobs
        self._margin = float(1 + policy.preemption.hysteresis)
        limit = policy.accounting.credit_limit
        self._credit = None if limit is None else float(limit * pool.gpus * 1000 * rates.protected)

    def ahead(self, row: int, charge: int, reach: LiveReach, usage: LiveUsage, now: int) -> list[int]:
        """Return the users past whose protection a job that would be charged so much may take."""
        mine = self._nodes.user[row]
        users = list(reach.users)
        ways = self._nodes.partings(mine, users)
        distinct = set(ways)
        ahead = set(self._behind([way for way in distinct if way[0] != way[1]], charge, usage, now))
        if (mine, mine) in distinct:
            priority = self._jobs[row].priority
            if any(self._jobs[other].priority < priority for other in reach.of_user(mine)):
                ahead.add((mine, mine))
        return [user for user, way in zip(users, ways, strict=True) if way in ahead]

    def _behind(
        self, ways: Collection[tuple[int, int]], charge: int, usage: LiveUsage, now: int
    ) -> Iterator[tuple[int, int]]:
        """Yield the pairs of siblings of which the first, once it has paid, could still be behind the second."""
        nodes = self._nodes
        floors = self._floors({nodes.parent[one] for one, _ in ways}, usage, now)
        used = iter(usage.used_by([node for way in ways for node in way], now))
        for way, mine, other in zip(ways, used, used, strict=True):
            one, two = way
            share, other_share = nodes.share[one], nodes.share[two]
            if not other_share:
                yield way
            elif share:
                floor = floors[nodes.parent[one]]
                against = (other + _TICK) / other_share * _ROUNDING
                paid = (mine - _TICK + charge) / share * self._margin
                if paid <= against and (floor - _TICK) * self._margin <= max(against, floor + _TICK):
                    yield way

    def _floors(self, parents: Collection[int], usage: LiveUsage, now: int) -> dict[int, float]:
        """Return the virtual time below which no child of these nodes is taken to be."""
        if self._credit is None:
            return dict.fromkeys(parents, -math.inf)
        nodes = self._nodes.nodes
        used = usage.used_by(parents, now)
        return {
            parent: ticks - self._credit * max(float(nodes[parent].absolute), 0.0)
            for parent, ticks in zip(parents, used, strict=True)
        }
