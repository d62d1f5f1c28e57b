"""Small adversarial workloads: few jobs that contend, ties in time and size, restarts, failing and draining nodes."""

from __future__ import annotations

from dataclasses import dataclass, replace

from hypothesis import strategies as st

from policyctl.model.jobs import Job
from policyctl.model.policy import Policy, ShareGrant, SlidingWindow
from policyctl.model.workload import Incident, IncidentKind, Stream, Task, Workload
from policyctl.units import Instant, MilliGpu, Seconds
from tests.decide.small import cap
from tests.decide.small import policy as plain_policy
from tests.property.strategies import NOW, brief, policies

__all__ = ["HORIZON", "START", "SimWorld", "sim_worlds"]

START = Instant(NOW - 400)
HORIZON = 2000
"""Seconds from START to the end of every workload."""
_ACCOUNTS = ("/a", "/b", "/c", "/a/x", "/a/y", "/b/x", "/a/x/k", "/zz", "/")
_TIMES = (0, 0, 1, 10, 10, 50, 120, 200, 300, 400, 600)
_LENGTHS = (0, 1, 10, 50, 120, 120, 300, 1000)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class SimWorld:
    """A policy, a workload that fits its pools, and a seed of chance; its text leaves out what says nothing."""

    policy: Policy
    workload: Workload
    seed: int

    def __repr__(self) -> str:
        return brief(f"\n  {self.policy!r}\n  {self.workload!r}\n  seed={self.seed}")


@st.composite
def _contended(draw: st.DrawFn, *, decay: bool) -> Policy:
    """Draw a policy under which programs take GPUs from each other: shares for all, short caps, few brakes."""
    some = draw(policies(decay=decay))
    shares = {
        "/": draw(
            st.sampled_from([{"a": "1/2", "b": "1/4", "c": "1/4"}, {"a": "1/3", "b": "1/3", "c": "1/4"}])
        ),
        "/a": {"x": "2/3", "y": "1/3"},
    }
    limit = draw(st.sampled_from([None, "10s", "1m"]))
    plain = plain_policy(
        shares,
        nodes=draw(st.integers(1, 2)),
        gpus_per_node=draw(st.sampled_from([2, 4])),
        hysteresis=draw(st.sampled_from(["0", "1/20"])),
        caps=() if limit is None else (cap("/", limit),),
    )
    window = SlidingWindow(length=Seconds(1000), half_life=Seconds(300) if decay else None)
    return replace(
        some,
        pools=(replace(plain.pools[0], block_nodes=some.pools[0].block_nodes), some.pools[1]),
        budgets=plain.budgets,
        accounting=replace(plain.accounting, window=window),
        caps=plain.caps,
        preemption=replace(plain.preemption, per_job=some.preemption.per_job),
        exceptions=tuple(one for one in some.exceptions if not isinstance(one.grant, ShareGrant)),
    )


@st.composite
def _tasks(draw: st.DrawFn, identity: str, accounts: tuple[str, ...]) -> Task:
    job = Job(
        id=identity,
        account=draw(st.sampled_from(accounts)),
        user=draw(st.sampled_from(["u0", "u1"])),
        pool=draw(st.sampled_from(["p", "p", "p", "p", "q"])),
        gpus=MilliGpu(draw(st.sampled_from([1000, 1000, 2000, 2000, 4000, 500, 333, 3000]))),
        nodes=draw(st.sampled_from([1, 1, 1, 2, 3])),
        submit=Instant(START + draw(st.sampled_from(_TIMES))),
        min_runtime=Seconds(draw(st.sampled_from([0, 0, 10, 50, 120, 300, 1000]))),
        time_limit=draw(st.sampled_from([None, None, Seconds(100)])),
        priority=draw(st.sampled_from([0, 0, 1])),
        kind=draw(st.sampled_from(["batch", "batch", "interactive"])),
        resumable=draw(st.booleans()),
        topology=draw(st.sampled_from(["any", "any", "block"])),
        labels=draw(st.sampled_from([{"team": "x"}, {"team": "y"}])),
    )
    return Task(
        job=job,
        work=Seconds(draw(st.sampled_from(_LENGTHS))),
        checkpoint_every=draw(st.sampled_from([None, Seconds(10), Seconds(50)])),
        save_time=draw(st.sampled_from([None, Seconds(0), Seconds(20)])),
        restart_overhead=Seconds(draw(st.sampled_from([0, 5]))),
        restart_failure=draw(st.sampled_from([0.0, 0.3])),
    )


@st.composite
def _incidents(draw: st.DrawFn, policy: Policy) -> tuple[Incident, ...]:
    found = []
    for _ in range(draw(st.sampled_from([0, 0, 1, 2]))):
        pool = draw(st.sampled_from(policy.pools))
        at = START + draw(st.sampled_from([0, 10, 100, 300, 500]))
        nodes = draw(st.sets(st.integers(0, pool.nodes - 1), min_size=1))
        found.append(
            Incident(
                kind=draw(st.sampled_from(IncidentKind)),
                pool=pool.name,
                nodes=tuple(sorted(nodes)),
                at=Instant(at),
                until=Instant(at + draw(st.sampled_from([1, 100, 400]))),
            )
        )
    return tuple(found)


@st.composite
def sim_worlds(
    draw: st.DrawFn, *, decay: bool = False, most: int = 12, streams: bool = True, rich: bool = True
) -> SimWorld:
    """Draw a policy and a workload; `rich` submits mostly to accounts that can buy protection."""
    policy = draw(policies(decay=decay) | _contended(decay=decay) | _contended(decay=decay))
    notice = Seconds(draw(st.sampled_from([0, 0, 10, 30])))
    policy = replace(
        policy, preemption=replace(policy.preemption, notice=notice, max_gpu_hours_per_hour=None)
    )
    divided = {budget.account for budget in policy.budgets}
    named = {budget.child(share) for budget in policy.budgets for share in budget.shares if share.share > 0}
    leaves = tuple(sorted(named - divided))
    accounts = (*(leaves * 4 if rich else leaves), *_ACCOUNTS)
    tasks = [draw(_tasks(f"j{number:02}", accounts)) for number in range(draw(st.integers(2, most)))]
    queues: tuple[Stream, ...] = ()
    if streams and draw(st.booleans()):
        queues = (
            Stream(
                tasks=tuple(
                    draw(_tasks(f"s{number}", accounts)) for number in range(draw(st.integers(1, 4)))
                ),
                depth=draw(st.integers(1, 2)),
                first=Instant(START + draw(st.sampled_from([0, 10, 120]))),
                pause=Seconds(draw(st.sampled_from([0, 7]))),
            ),
        )
    return SimWorld(
        policy=policy,
        workload=Workload(
            start=START,
            end=Instant(START + HORIZON),
            tasks=tuple(tasks),
            streams=queues,
            incidents=draw(_incidents(policy)),
        ),
        seed=draw(st.integers(0, 3)),
    )
