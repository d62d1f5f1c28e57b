"""Whether a job can start: free GPUs per node of a pool, and what would be free if some running jobs were not there.

A job of `nodes: n` needs one node with all its GPUs free, or n nodes with `gpus/n` each; with `topology: block` those
n nodes lie in one block. Where a running job does not say on which nodes it is, the pool is counted as a whole.
Nodes come from the state, else from the Cluster document; those are named `POOL-1`, `POOL-2` and so on, and a
placement that uses other names gives them to the nodes that no placement names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from policyctl.model.jobs import Job, Node
from policyctl.model.policy import Pool

__all__ = ["Capacity", "Demand", "Trial", "capacity_of"]

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Demand:
    """What a job needs to start; GPUs in thousandths."""

    gpus: int
    nodes: int
    block: bool

    @classmethod
    def of(cls, job: Job) -> Demand:
        """Return what a job needs."""
        return cls(gpus=job.gpus, nodes=job.nodes, block=job.topology == "block")


@dataclass(frozen=True, slots=True, kw_only=True)
class Capacity:
    """The available nodes of a pool: size and free GPUs (thousandths) and block of each, and who is where.

    `pooled` means that some placement is unknown: then only sums count. `held` gives for each running job the nodes
    (by number) it would free and how much on each; `held_gpus` the total, which leaves out nodes that are not available.
    """

    size: Ints
    free: Ints
    block: Ints
    pooled: bool
    pooled_free: int
    held: Mapping[str, tuple[tuple[int, int], ...]]
    held_gpus: Mapping[str, int]

    @property
    def total(self) -> int:
        """All available GPUs, in thousandths."""
        return int(self.size.sum())

    def ever_fits(self, demand: Demand) -> bool:
        """Say whether the job could start if nothing ran."""
        empty = Capacity(
            size=self.size,
            free=self.size,
            block=self.block,
            pooled=self.pooled,
            pooled_free=self.total,
            held={},
            held_gpus={},
        )
        return Trial(empty, demand).fits()


def capacity_of(pool: Pool, nodes: Sequence[Node] | None, running: Iterable[Job]) -> Capacity:
    """Count what is free in a pool beside the running jobs."""
    jobs = list(running)
    placed = {name for job in jobs for name in job.placement or ()}
    members = _declared(pool, placed) if nodes is None else _listed(pool, nodes)
    number = {name: position for position, (name, _, _) in enumerate(members)}
    size = np.array([gpus for _, gpus, _ in members], dtype=np.int64)
    free = size.copy()
    held: dict[str, tuple[tuple[int, int], ...]] = {}
    taken: dict[str, int] = {}
    for job in jobs:
        spots = tuple(
            (number[name], int(gpus))
            for name, gpus in sorted((job.placement or {}).items())
            if name in number
        )
        held[job.id] = spots
        taken[job.id] = job.gpus if job.placement is None else sum(gpus for _, gpus in spots)
        for node, gpus in spots:
            free[node] -= gpus
    return Capacity(
        size=size,
        free=free,
        block=np.array([block for _, _, block in members], dtype=np.int64),
        pooled=any(job.placement is None and job.gpus > 0 for job in jobs),
        pooled_free=int(size.sum()) - sum(taken.values()),
        held=held,
        held_gpus=taken,
    )


def _declared(pool: Pool, placed: set[str]) -> list[tuple[str, int, int]]:
    named: dict[int, str] = {}
    strangers = []
    for name in sorted(placed):
        ending = re.fullmatch(re.escape(pool.name) + r"-0*([1-9][0-9]{0,8})", name)
        place = int(ending[1]) - 1 if ending else pool.nodes
        if place < pool.nodes and place not in named:
            named[place] = name
        else:
            strangers.append(name)
    unnamed = [place for place in range(pool.nodes) if place not in named]
    named |= dict(zip(unnamed, strangers, strict=False))
    width = pool.block_nodes or max(1, pool.nodes)
    return [
        (named.get(place, f"{pool.name}-{place + 1}"), pool.gpus_per_node * 1000, place // width)
        for place in range(pool.nodes)
    ]


def _listed(pool: Pool, nodes: Sequence[Node]) -> list[tuple[str, int, int]]:
    mine = sorted((node for node in nodes if node.pool == pool.name), key=lambda node: node.name)
    width = pool.block_nodes or max(1, len(mine))
    names = sorted({node.block for node in mine if node.block is not None})
    blocks = {name: len(mine) + position for position, name in enumerate(names)}
    return [
        (node.name, int(node.gpus), place // width if node.block is None else blocks[node.block])
        for place, node in enumerate(mine)
        if node.available
    ]


class Trial:
    """A try-out of evictions for one demand: take running jobs away, put them back, and ask whether it fits."""

    __slots__ = ("_blocks", "_capacity", "_demand", "_free", "_pooled_free", "_ready", "_whole")

    def __init__(self, capacity: Capacity, demand: Demand) -> None:
        self._capacity = capacity
        self._demand = demand
        self._free: list[int] = capacity.free.tolist()
        self._pooled_free = capacity.pooled_free
        self._whole = sum(free >= demand.gpus for free in self._free)
        blocks = capacity.block.tolist() if demand.block else [0] * len(self._free)
        self._blocks = {block: [0] for block in sorted(set(blocks))}
        self._ready = [self._blocks[block] for block in blocks]
        for node, free in enumerate(self._free):
            self._ready[node][0] += free * demand.nodes >= demand.gpus

    def remove(self, job: str) -> None:
        """Take a running job away."""
        self._shift(job, 1)

    def restore(self, job: str) -> None:
        """Put a job back that was taken away."""
        self._shift(job, -1)

    def _shift(self, job: str, sign: int) -> None:
        wanted, nodes = self._demand.gpus, self._demand.nodes
        free = self._free
        self._pooled_free += sign * self._capacity.held_gpus.get(job, 0)
        for node, gpus in self._capacity.held.get(job, ()):
            before = free[node]
            after = before + sign * gpus
            free[node] = after
            if (after >= wanted) is not (before >= wanted):
                self._whole += sign
            if (after * nodes >= wanted) is not (before * nodes >= wanted):
                self._ready[node][0] += sign

    def fits(self) -> bool:
        """Say whether the job could start now."""
        if self._capacity.pooled:
            return self._pooled_free >= self._demand.gpus
        if self._whole > 0:
            return True
        nodes = self._demand.nodes
        return any(ready[0] >= nodes for ready in self._blocks.values())

    @property
    def free_gpus(self) -> int:
        """All free GPUs of the pool, in thousandths."""
        return self._pooled_free if self._capacity.pooled else sum(max(0, free) for free in self._free)
