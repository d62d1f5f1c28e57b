"""Busy pools, drawn from a number: every one has preemptions with notice, restarts that fail, failures and drains."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from policyctl.model.policy import PerJobLimit, Policy, SlidingWindow
from policyctl.model.workload import Incident, IncidentKind, Task, Workload
from policyctl.units import Instant, Seconds
from tests.decide.small import NOW, cap, job
from tests.decide.small import policy as plain_policy
from tests.sim.workloads import SimWorld

__all__ = ["BUSY", "LENGTH", "busy_world"]

BUSY = range(8)
"""Numbers of the worlds that tests go through."""
LENGTH = 700
"""Seconds from NOW to the end of every busy world; its accounting windows are shorter."""


def busy_world(number: int, *, decay: bool = False) -> SimWorld:
    """Draw the world of a number: two nodes of four GPUs, three programs that take them from each other."""
    rng = Random(number)
    return SimWorld(
        policy=_policy(rng, number, decay=decay),
        workload=Workload(
            start=NOW,
            end=Instant(NOW + LENGTH),
            tasks=tuple(_task(rng, row) for row in range(40)),
            incidents=(
                _incident(rng, IncidentKind.FAIL, rng.randrange(100, 300)),
                _incident(rng, IncidentKind.DRAIN, rng.randrange(300, 500)),
            ),
        ),
        seed=number,
    )


def _policy(rng: Random, number: int, *, decay: bool) -> Policy:
    plain = plain_policy(
        {"/": {"a": "1/2", "b": "1/4", "c": "1/5"}, "/a": {"x": "2/3", "y": "1/3"}},
        nodes=2,
        gpus_per_node=4,
        caps=(cap("/", f"{rng.choice([10, 20, 40])}s"),),
        hysteresis=rng.choice(["0", "1/20"]),
        window=SlidingWindow(length=Seconds(rng.choice([90, 150])), half_life=Seconds(60) if decay else None),
    )
    preemption = replace(plain.preemption, notice=Seconds(rng.choice([5, 10])))
    if number % 2:
        preemption = replace(preemption, per_job=PerJobLimit(max=1 + number // 4, within=Seconds(60)))
    accounting = replace(plain.accounting, credit_limit=(None, Seconds(4), Seconds(15), None)[number % 4])
    return replace(plain, preemption=preemption, accounting=accounting)


def _task(rng: Random, row: int) -> Task:
    some = job(
        f"j{row:02}",
        rng.choice(["/a/x", "/a/y", "/b", "/b", "/c", "/c", "/d"]),
        rng.choice(["u", "v"]),
        gpus=rng.choice([0.5, 1, 1, 2, 3, 4, 6]),
        nodes=2,
        submit=rng.choice([0, 0, rng.randrange(400), rng.randrange(400)]),
        wants=rng.choice([0, 0, 20, 60]),
        priority=rng.choice([0, 0, 1]),
    )
    session = rng.random() < 1 / 3
    return Task(
        job=replace(
            some,
            kind="interactive" if session else "batch",
            resumable=rng.random() < 0.8,
            labels={"team": "x"},
        ),
        work=Seconds(rng.choice([7, 30, 60, 120, 200])),
        checkpoint_every=rng.choice([None, Seconds(15)]),
        save_time=rng.choice([None, Seconds(5), Seconds(8)]),
        restart_overhead=Seconds(rng.choice([0, 4])),
        restart_failure=rng.choice([0.0, 0.4]),
    )


def _incident(rng: Random, kind: IncidentKind, after: int) -> Incident:
    return Incident(
        kind=kind,
        pool="p",
        nodes=(rng.randrange(2),),
        at=Instant(NOW + after),
        until=Instant(NOW + after + rng.choice([30, 80])),
    )
