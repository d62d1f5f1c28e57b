"""The nodes of one pool in a simulation: who is where, what is free, and where the next job would go.

A job goes to the node with the least room that suffices, or over several such nodes; equal nodes go by number, so
that placement is a function of the state alone.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Mapping

from policyctl.decide.live_queue import Shape
from policyctl.model.policy import Pool

__all__ = ["NodeTrial", "Placement", "SimNodes"]

Placement = tuple[tuple[int, int], ...]
"""Nodes by number, and thousandths of a GPU on each."""

_GONE = -(10**12)


class SimNodes:
    """Free GPUs (thousandths) of every node; a node that is down or draining has a large debt and takes nobody."""

    def __init__(self, pool: Pool) -> None:
        self.size = pool.gpus_per_node * 1000
        self.count = pool.nodes
        self._block = [node // (pool.block_nodes or max(1, pool.nodes)) for node in range(pool.nodes)]
        self.free = [self.size] * pool.nodes
        self._by_free: dict[int, list[int]] = {self.size: list(range(pool.nodes))}
        self._counts: dict[int, int] = {self.size: pool.nodes}
        self.idle = self.size * pool.nodes
        self._away = [0] * pool.nodes
        self._widest = max(Counter(self._block).values(), default=0)

    def change(self, node: int, gpus: int) -> None:
        """Free GPUs of a node, or take them (negative)."""
        before = self.free[node]
        after = before + gpus
        self.free[node] = after
        self.idle += max(after, 0) - max(before, 0)
        left = self._counts[before] - 1
        if left:
            self._counts[before] = left
        else:
            del self._counts[before]
        self._counts[after] = self._counts.get(after, 0) + 1
        heap = self._by_free.get(after)
        if heap is None:
            heap = self._by_free[after] = []
        heapq.heappush(heap, node)

    def take(self, placement: Placement) -> None:
        """Give the GPUs of a placement to a job."""
        for node, gpus in placement:
            self.change(node, -gpus)

    def give_back(self, placement: Placement) -> None:
        """Free the GPUs of a placement."""
        for node, gpus in placement:
            self.change(node, gpus)

    def leave(self, node: int) -> None:
        """Take a node out of service, for one more reason."""
        self._away[node] += 1
        if self._away[node] == 1:
            self.change(node, _GONE)

    def come_back(self, node: int) -> None:
        """End one reason for which a node is out of service."""
        self._away[node] -= 1
        if not self._away[node]:
            self.change(node, -_GONE)

    def in_service(self, node: int) -> bool:
        """Say whether a node takes work."""
        return not self._away[node]

    def fits(self, shape: Shape) -> bool:
        """Say whether a job of a shape could start now."""
        gpus, nodes, topology = shape
        if gpus > self.idle:
            return False
        if topology == "block" and nodes > 1:
            return self.place(shape) is not None
        part = -(-gpus // nodes)
        ready = 0
        for free, count in self._counts.items():
            if free >= gpus:
                return True
            if free >= part:
                ready += count
        return ready >= nodes

    def ever_fits(self, shape: Shape) -> bool:
        """Say whether a job of a shape could start if nothing ran and every node were in service."""
        gpus, nodes, topology = shape
        if gpus <= self.size:
            return self.count > 0
        return gpus <= self.size * nodes and nodes <= (self._widest if topology == "block" else self.count)

    def place(self, shape: Shape) -> Placement | None:
        """Return where a job of a shape would go, or None; nothing is taken yet."""
        gpus, nodes, topology = shape
        whole = self._least(gpus, 1)
        if whole:
            return ((whole[0], gpus),)
        if nodes == 1:
            return None
        part = -(-gpus // nodes)
        chosen = self._in_block(part, nodes) if topology == "block" else self._least(part, nodes)
        return None if chosen is None else _split(gpus, chosen)

    def _least(self, gpus: int, nodes: int) -> list[int] | None:
        """Return that many nodes with the least sufficient room, by number where equal."""
        roomy = sorted(free for free in self._counts if free >= gpus)
        if sum(self._counts[free] for free in roomy) < nodes:
            return None
        chosen: list[int] = []
        for free in roomy:
            chosen.extend(self._first(free, nodes - len(chosen)))
            if len(chosen) == nodes:
                return chosen
        raise AssertionError("the counts said that there are enough")

    def _first(self, free: int, most: int) -> list[int]:
        heap = self._by_free[free]
        found: list[int] = []
        while heap and len(found) < most:
            node = heapq.heappop(heap)
            if self.free[node] == free and (not found or found[-1] != node):
                found.append(node)
        for node in found:
            heapq.heappush(heap, node)
        return found

    def _in_block(self, part: int, nodes: int) -> list[int] | None:
        ready: dict[int, list[int]] = {}
        for node, free in enumerate(self.free):
            if free >= part:
                ready.setdefault(self._block[node], []).append(node)
        enough = [block for block, members in ready.items() if len(members) >= nodes]
        if not enough:
            return None
        tightest = min(enough, key=lambda block: (len(ready[block]), block))
        return sorted(ready[tightest], key=lambda node: (self.free[node], node))[:nodes]

    def place_after(self, shape: Shape, freed: Iterable[Placement]) -> Placement | None:
        """Return where a job would go once some placements are free too."""
        undone = [spot for placement in freed for spot in placement]
        for node, gpus in undone:
            self.change(node, gpus)
        placement = self.place(shape)
        for node, gpus in undone:
            self.change(node, -gpus)
        return placement

    def trial(self, shape: Shape, held: Mapping[int, Placement]) -> NodeTrial:
        """Return a try-out of evictions for a job of a shape; `held` has the placements of running jobs by row."""
        return NodeTrial(self, shape, held)

    def room_for(self, gpus: int) -> int:
        """Return how many nodes have that many GPUs free."""
        return sum(count for free, count in self._counts.items() if free >= gpus)

    def rooms_by_block(self, gpus: int) -> dict[int, int]:
        """Return how many nodes of each block have that many GPUs free."""
        rooms: dict[int, int] = {}
        for node, free in enumerate(self.free):
            if free >= gpus:
                rooms[self._block[node]] = rooms.get(self._block[node], 0) + 1
        return rooms

    def block(self, node: int) -> int:
        """Return the block of a node."""
        return self._block[node]


class NodeTrial:
    """A try-out over the nodes: what changes is kept beside them, and they stay as they are."""

    __slots__ = ("_changed", "_gpus", "_held", "_nodes", "_part", "_rooms", "_shape", "_wanted", "_whole")

    def __init__(self, nodes: SimNodes, shape: Shape, held: Mapping[int, Placement]) -> None:
        self._nodes, self._shape, self._held = nodes, shape, held
        self._gpus, self._wanted, topology = shape
        self._part = -(-self._gpus // self._wanted)
        self._changed: dict[int, int] = {}
        self._whole = nodes.room_for(self._gpus)
        in_block = topology == "block" and self._wanted > 1
        self._rooms = nodes.rooms_by_block(self._part) if in_block else {-1: nodes.room_for(self._part)}

    def remove(self, job: int) -> None:
        """Take a running job away."""
        self._move(self._held[job], 1)

    def restore(self, job: int) -> None:
        """Put a job back that was taken away."""
        self._move(self._held[job], -1)

    def _move(self, placement: Placement, sign: int) -> None:
        changed, free = self._changed, self._nodes.free
        for node, gpus in placement:
            before = changed.get(node, free[node])
            after = changed[node] = before + sign * gpus
            if (after >= self._gpus) is not (before >= self._gpus):
                self._whole += sign
            if (after >= self._part) is not (before >= self._part):
                block = -1 if -1 in self._rooms else self._nodes.block(node)
                self._rooms[block] = self._rooms.get(block, 0) + sign

    def fits(self) -> bool:
        """Say whether the job could start now."""
        if self._whole > 0:
            return True
        wanted = self._wanted
        for ready in self._rooms.values():  # noqa: SIM110 - asked after every victim: twice as fast as `any`
            if ready >= wanted:
                return True
        return False

    def fits_beside(self, shape: Shape) -> bool:
        """Say whether the job could start although one of a shape started now and stayed; nothing is taken."""
        placement = self._nodes.place(shape)
        if placement is None:
            return False
        self._move(placement, -1)
        found = self.fits()
        self._move(placement, 1)
        return found

    def started(self, job: int, *, stays: bool) -> None:
        """Note that a job has started since, and whether it will still be there."""
        placement = self._held[job]
        for node, gpus in placement:
            self._changed.setdefault(node, self._nodes.free[node] + gpus)
        if stays:
            self._move(placement, -1)

    def anew(self) -> NodeTrial:
        """Return a try-out for the same job from how the nodes are now."""
        return NodeTrial(self._nodes, self._shape, self._held)

    def fits_without(self, jobs: Iterable[int]) -> bool:
        """Say whether the job could start without some running jobs more; none is taken away."""
        if self.fits():
            return True
        free, changed, whole, part = self._nodes.free, dict(self._changed), self._gpus, self._part
        rooms = dict(self._rooms)
        for job in jobs:
            for node, gpus in self._held[job]:
                before = changed.get(node, free[node])
                after = changed[node] = before + gpus
                if after >= part > before:
                    block = -1 if -1 in rooms else self._nodes.block(node)
                    rooms[block] = rooms.get(block, 0) + 1
                    if rooms[block] >= self._wanted:
                        return True
                if after >= whole > before:
                    return True
        return False


def _split(gpus: int, nodes: list[int]) -> Placement:
    """Spread GPUs over nodes as evenly as thousandths allow."""
    each, rest = divmod(gpus, len(nodes))
    return tuple((node, each + (place < rest)) for place, node in enumerate(nodes))
