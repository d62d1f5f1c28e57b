"""Whether a job could start if some running jobs went: whole nodes where all are placed, else sums."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from fractions import Fraction

from policyctl.model.jobs import ClusterState, Job
from policyctl.model.policy import Pool

__all__ = ["fits"]


def fits(job: Job, pool: Pool, state: ClusterState, gone: Collection[str] = ()) -> bool:
    """Say whether `job` could start once the running jobs `gone` are away."""
    running = [one for one in state.jobs if one.pool == pool.name and one.start is not None]
    staying = [one for one in running if one.id not in gone]
    sizes, blocks = _nodes(pool, state)
    if any(one.placement is None and one.gpus for one in running):
        return sum(sizes.values()) - sum(_held(one, sizes) for one in staying) >= job.gpus
    free: dict[str, int] = dict(sizes)
    for one in staying:
        for node, gpus in (one.placement or {}).items():
            if node in free:
                free[node] -= gpus
    if any(room >= job.gpus for room in free.values()):
        return True
    roomy = [node for node, room in free.items() if room >= Fraction(job.gpus, job.nodes)]
    if job.topology == "any":
        return len(roomy) >= job.nodes
    together: dict[str, int] = defaultdict(int)
    for node in roomy:
        together[blocks[node]] += 1
    return any(count >= job.nodes for count in together.values())


def _held(job: Job, sizes: dict[str, int]) -> int:
    """Return what a running job takes from the available nodes."""
    if job.placement is None:
        return job.gpus
    return sum(gpus for node, gpus in job.placement.items() if node in sizes)


def _nodes(pool: Pool, state: ClusterState) -> tuple[dict[str, int], dict[str, str]]:
    """Return the size of every available node and the block it is in; nodes without a block follow each other."""
    if state.nodes is None:
        listed = [(f"{pool.name}-{number + 1}", pool.gpus_per_node * 1000) for number in range(pool.nodes)]
        blocks = {name: _block(pool, place, pool.nodes) for place, (name, _) in enumerate(listed)}
        return dict(listed), blocks
    mine = sorted((node for node in state.nodes if node.pool == pool.name), key=lambda node: node.name)
    blocks = {
        node.name: _block(pool, place, len(mine)) if node.block is None else f"named {node.block}"
        for place, node in enumerate(mine)
    }
    return {node.name: node.gpus for node in mine if node.available}, blocks


def _block(pool: Pool, place: int, count: int) -> str:
    return str(place // (pool.block_nodes or max(1, count)))
