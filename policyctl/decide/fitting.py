"""Which waiting jobs could never start: more than their pool has, even if nothing ran in it."""

from __future__ import annotations

from policyctl.decide.place import Capacity, Demand
from policyctl.decide.situation import PoolSituation
from policyctl.decide.table import JobTable
from policyctl.model.decisions import Reason
from policyctl.units import gpus_text

__all__ = ["Fitting", "never_fits"]


class Fitting:
    """Asks of one pool whether jobs can ever start in it, once for each shape of job."""

    __slots__ = ("_capacity", "_known", "_pool")

    def __init__(self, situation: PoolSituation) -> None:
        self._capacity = situation.capacity
        self._pool = situation.pool.name
        self._known: dict[Demand, tuple[Reason, ...]] = {}

    def reasons(self, table: JobTable, row: int) -> tuple[Reason, ...]:
        """Return `never_fits` for a row that can never start; nothing for any other."""
        demand = Demand(gpus=int(table.gpus[row]), nodes=int(table.nodes[row]), block=bool(table.block[row]))
        if demand not in self._known:
            fits = self._capacity is None or self._capacity.ever_fits(demand)
            self._known[demand] = () if fits else (self._reason(demand),)
        return self._known[demand]

    def _reason(self, demand: Demand) -> Reason:
        assert self._capacity is not None
        return never_fits(self._pool, self._capacity, demand)


def never_fits(pool: str, capacity: Capacity, demand: Demand) -> Reason:
    """Return the reason that compares what a job needs with all that its pool has.

    `nodes_large_enough` counts the nodes that could hold the job's part, were they empty.
    """
    return Reason(
        "never_fits",
        {
            "pool": pool,
            "gpus": gpus_text(demand.gpus),
            "nodes": demand.nodes,
            "block": demand.block,
            "pool_gpus": gpus_text(capacity.total),
            "pool_nodes": len(capacity.size),
            "largest_node_gpus": gpus_text(int(capacity.size.max(initial=0))),
            "nodes_large_enough": int((capacity.size * demand.nodes >= demand.gpus).sum()),
            "counted_by_node": not capacity.pooled,
        },
    )
