"""One pool over time: a first-come queue with backfill, reservations for large jobs, and the odd preemption."""

from __future__ import annotations

import random

from lab import DAY, HOUR, Pool
from records import past_record
from submissions import PASS, Task

HISTORY = 18 * DAY
PATIENCE = 3 * HOUR
"""After this long the first job that needs several nodes gets some kept free for it."""


class Replay:
    """One pool over time: who waits, who runs where, and the runs that ended."""

    def __init__(self, pool: Pool, rng: random.Random) -> None:
        self.pool = pool
        self.rng = rng
        self.free = [float(pool.width)] * pool.nodes
        self.waiting: list[Task] = []
        self.running: list[Task] = []
        self.ended: list[tuple[Task, dict[str, object]]] = []

    def crowded(self) -> bool:
        """Say whether so much waits that people do something else instead."""
        waiting = sum(task.gpus for task in self.waiting)
        return waiting * self.rng.random() > self.pool.crowd * self.pool.nodes * self.pool.width / 2

    def step(self, at: int) -> None:
        """End what is over, then start what fits, until the next pass."""
        for task in [one for one in self.running if one.end <= at]:
            self.leave(task, task.end, task.outcome)
        self.trouble(at)
        self.waiting.sort(key=lambda task: (task.submit, task.id))
        head = self.head(at)
        kept, until = self.reserve(head, at)
        failed: set[tuple[float, int, bool, bool]] = set()
        for task in list(self.waiting):
            short = task is head or at + task.runtime + PASS <= until
            shape = (task.gpus, task.nodes, task.block, short)
            if shape in failed:
                continue
            places = self.find(task, set() if short else kept)
            if places is None:
                failed.add(shape)
            else:
                self.begin(task, at, places)

    def head(self, at: int) -> Task | None:
        """Return the longest waiting job of several nodes, once its patience is over."""
        return next((task for task in self.waiting if task.nodes > 1 and at - task.submit > PATIENCE), None)

    def reserve(self, head: Task | None, at: int) -> tuple[set[int], int]:
        """Return the nodes that are kept for a job, and when they will be free; now and then clear some for it."""
        if head is None:
            return set(), 0
        if at - head.submit > 3 * PATIENCE and self.rng.random() < 0.02:
            self.clear(head, at)
        ready = [at] * self.pool.nodes
        for task in self.running:
            for node in task.places:
                ready[node] = max(ready[node], task.end)
        for node, free in enumerate(self.free):
            if not free and ready[node] == at:
                ready[node] = at + HISTORY  # it is down
        soonest = sorted(range(self.pool.nodes), key=lambda node: (ready[node], node))
        if head.block:
            width = self.pool.block
            blocks = [[n for n in soonest if n // width == b] for b in range(self.pool.nodes // width)]
            soonest = min(blocks, key=lambda nodes: (ready[nodes[head.nodes - 1]], nodes))
        kept = soonest[: head.nodes]
        return set(kept), max(ready[node] for node in kept)

    def together(self, task: Task, nodes: list[int]) -> list[int]:
        """Return the nodes of the block that has most of them, if the job must stay in one block; else all."""
        if not task.block:
            return nodes
        width = self.pool.block
        blocks = range(self.pool.nodes // width)
        return max(([node for node in nodes if node // width == block] for block in blocks), key=len)

    def clear(self, head: Task, at: int) -> None:
        """Preempt a few jobs that declared no minimum runtime, largest first."""
        victims = [
            task
            for task in self.running
            if not task.declared and len(task.preempted) < 3 and task.start < at - HOUR
        ]
        victims.sort(key=lambda task: (-task.gpus, -task.start, task.id))
        needed = head.gpus / 4
        for task in victims:
            if needed <= 0:
                return
            needed -= task.gpus
            task.preempted.append(at)
            self.again(task, at, "preempted")

    def trouble(self, at: int) -> None:
        """Let a node fail about once a day and pool, and an operator requeue a job about every other day."""
        if self.rng.random() < PASS / DAY:
            self.fail(self.rng.randrange(self.pool.nodes), at)
        if self.running and self.rng.random() < PASS / (2 * DAY):
            self.again(self.rng.choice(self.running), at, "requeued")

    def fail(self, node: int, at: int) -> None:
        """Let a node fail: its jobs wait again."""
        for task in [one for one in self.running if node in one.places]:
            self.again(task, at, "node_fail")

    def take_out(self, at: int) -> None:
        """Let the nodes fail that stay down until the end."""
        for one in self.pool.out:
            self.fail(one - 1, at)
            self.free[one - 1] = 0.0

    def again(self, task: Task, at: int, outcome: str) -> None:
        """End a run from outside; the job waits again for what its checkpoints did not save."""
        saved = (task.checkpoint(at) or task.start) - task.start
        self.leave(task, at, outcome)
        task.runtime = max(60, task.runtime - saved)
        self.waiting.append(task)

    def leave(self, task: Task, at: int, outcome: str) -> None:
        """Free the GPUs of a run, and write it down."""
        self.running.remove(task)
        for node, gpus in task.places.items():
            self.free[node] += gpus
        self.ended.append((task, past_record(task, at, outcome)))

    def find(self, task: Task, kept: set[int]) -> dict[int, float] | None:
        """Return nodes with room for a job: the fullest that will do, so that whole nodes stay whole."""
        part = task.gpus / task.nodes
        fitting = [node for node, free in enumerate(self.free) if free >= part and node not in kept]
        fitting = self.together(task, fitting)
        if len(fitting) < task.nodes:
            return None
        fitting.sort(key=lambda node: (self.free[node], node))
        return dict.fromkeys(sorted(fitting[: task.nodes]), part)

    def begin(self, task: Task, at: int, places: dict[int, float]) -> None:
        """Start a job somewhere within this pass."""
        self.waiting.remove(task)
        self.running.append(task)
        task.start = max(task.submit, at + self.rng.randrange(PASS))
        task.end = task.start + task.runtime
        task.places = places
        for node, gpus in places.items():
            self.free[node] -= gpus
