"""Laws of `retry_at` of a plan: nothing is granted before it, and at it enough refusals can have lapsed."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import event, given, settings
from hypothesis import strategies as st

from policyctl.decide.preempt import Preemptor
from policyctl.decide.situation import Situation
from policyctl.model.decisions import VictimVerdict
from policyctl.model.jobs import Job
from policyctl.model.policy import Freeze, PerJobLimit
from policyctl.units import Instant, Seconds
from tests.decide import small
from tests.oracle.fitting import fits
from tests.oracle.shares import shares_at
from tests.property.strategies import EXAMPLES, NOW, World, crowds, worlds

_RULE_FOUR = {"not_behind", "same_account_other_user", "priority_not_higher"}
_HORIZON = 2_000


@st.composite
def standoffs(draw: st.DrawFn) -> World:
    """Draw a full pool whose jobs are kept by protection, by the limit per job or by a freeze, and one that waits."""
    nodes = draw(st.integers(1, 3))
    running = [
        small.job(
            f"r{node}{half}",
            draw(st.sampled_from(["/a", "/b"])),
            f"u{half}",
            gpus=2,
            start=-draw(st.sampled_from([1, 10, 50])),
            wants=draw(st.sampled_from([0, 60, 61, 100, 1000])),
            preempted=draw(st.sampled_from([(), (), (-40,), (-30, -5)])),
            on={f"p-{node + 1}": 2},
        )
        for node in range(nodes)
        for half in range(2)
    ]
    spread = draw(st.integers(1, nodes))
    asking = small.job("w", "/a", "w", gpus=spread * draw(st.integers(1, 4)), nodes=spread, wants=60)
    frozen = draw(st.sampled_from([(), (), (5,), (70,), (70, 200)]))
    policy = small.policy(
        nodes=nodes,
        gpus_per_node=4,
        hysteresis="1/10",
        per_job=PerJobLimit(max=1, within=Seconds(draw(st.sampled_from([50, 120])))),
        exceptions=[small.exception(small.FREEZE, until=end) for end in frozen],
    )
    return World(policy=policy, state=small.state(*running, asking))


def without_hourly_limit(world: World, *, guarded: bool) -> World:
    """Return the world with neither the limit that looks at a whole set nor, unless `guarded`, rules in CEL."""
    brakes = world.policy.preemption
    kept = replace(brakes, max_gpu_hours_per_hour=None, guards=brakes.guards if guarded else ())
    return replace(world, policy=replace(world.policy, preemption=kept))


def asked(world: World, now: int = NOW) -> Preemptor:
    return Preemptor(Situation(policy=world.policy, state=world.state, now=Instant(now)))


def verdicts(world: World, job: Job) -> list[VictimVerdict]:
    preemptor = asked(world)
    there = [one.id for one in world.state.jobs if one.pool == "p" and one.start is not None]
    return [preemptor.authorize(job.id, [victim]).victims[0] for victim in there]


def stuck(world: World) -> list[Job]:
    """Return the waiting jobs of pool `p` that are refused for want of victims."""
    preemptor, found = asked(world), []
    for job in world.state.jobs:
        if job.pool == "p" and job.start is None:
            answer = preemptor.plan(job.id)
            codes = {reason.code for reason in answer.reasons}
            if answer.outcome == "refused" and not codes & {"never_fits", "preemptor_opportunistic"}:
                found.append(job)
    return found


@given(st.one_of(standoffs(), standoffs(), worlds(least=3), crowds()))
@settings(max_examples=2 * EXAMPLES, deadline=None)
def test_a_plan_is_tried_again_when_enough_refusals_have_lapsed(world: World) -> None:
    world = without_hourly_limit(world, guarded=True)
    pool = world.policy.pool("p")
    assert pool is not None
    for job in stuck(world):
        found = verdicts(world, job)
        clear = {one.job for one in found if one.outcome == "granted"}
        lapses = {one.job: one.retry_at for one in found if one.retry_at is not None}
        enough = [
            at
            for at in sorted(set(lapses.values()))
            if fits(job, pool, world.state, clear | {name for name, lapse in lapses.items() if lapse <= at})
        ]
        event(f"can lapse: {bool(enough)}, at the first: {enough[:1] == sorted(lapses.values())[:1]}")
        assert asked(world).plan(job.id).retry_at == (enough[0] if enough else None)


@given(st.one_of(standoffs(), standoffs(), crowds(), worlds(least=3)), st.data())
@settings(max_examples=2 * EXAMPLES, deadline=None)
def test_nothing_is_granted_before_a_plan_is_worth_trying_again(world: World, data: st.DataObject) -> None:
    """In a state that nothing happens to, and where no victim's fate hangs on who is behind whom."""
    world = without_hourly_limit(world, guarded=False)
    for job in stuck(world):
        found = verdicts(world, job)
        if any(reason.code in _RULE_FOUR for one in found for reason in one.reasons):
            continue
        if not all(settled(world, one) for one in world.state.jobs if one.start is not None):
            continue
        until = asked(world).plan(job.id).retry_at or NOW + _HORIZON
        event(f"lapses: {until != NOW + _HORIZON}")
        for instant in {data.draw(st.integers(NOW, until - 1)), until - 1}:
            assert asked(world, instant).plan(job.id).outcome != "granted", instant


def settled(world: World, job: Job) -> bool:
    """Say whether a budget in effect at the job's start names its account, so that its class does not change."""
    assert job.start is not None
    found = shares_at(world.policy, job.pool, job.start).get(job.account)
    return found is not None and found.stated


@given(st.one_of(standoffs(), crowds()))
@settings(max_examples=EXAMPLES, deadline=None)
def test_a_freeze_is_told_once_and_before_all_else(world: World) -> None:
    world = without_hourly_limit(world, guarded=True)
    freezes = [one for one in world.policy.exceptions if isinstance(one.grant, Freeze)]
    in_force = [one for one in freezes if one.grant == Freeze(pool="p") and one.period.in_force(NOW)]
    for job in stuck(world):
        reasons = asked(world).plan(job.id).reasons
        told = [number for number, reason in enumerate(reasons) if reason.code == "frozen"]
        assert told == ([0] if in_force else [])
        assert "frozen" not in {reason.facts.get("why") for reason in reasons}
        if in_force:
            assert reasons[0].facts["exception"] in {one.name for one in in_force}
