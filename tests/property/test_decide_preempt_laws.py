"""Laws of preemption over time: nobody takes turns, nothing bounces, and a refusal lapses when it says."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from policyctl.decide.claim import Claim, branches
from policyctl.decide.preempt import Preemptor
from policyctl.decide.situation import PoolSituation, Situation
from policyctl.model.jobs import ClusterState, Job, Outcome, PastRun
from policyctl.model.policy import Policy
from policyctl.units import Instant
from tests.oracle.shares import shares_at
from tests.property.strategies import EXAMPLES, NOW, World, crowds, worlds


def at(policy: Policy, state: ClusterState, now: int = NOW) -> Situation:
    return Situation(policy=policy, state=state, now=Instant(now))


def waiting(state: ClusterState, pool: str = "p") -> list[Job]:
    return [job for job in state.jobs if job.pool == pool and job.start is None]


def running(state: ClusterState, pool: str = "p") -> list[Job]:
    return [job for job in state.jobs if job.pool == pool and job.start is not None]


def protected(pool: PoolSituation, identity: str) -> bool:
    row = list(pool.running.ids).index(identity)
    until = int(pool.running.start[row]) + int(pool.held.seconds[row])
    return bool(pool.held.funded[row]) and pool.now < until


@given(st.one_of(worlds(least=2), crowds()))
@settings(max_examples=EXAMPLES, deadline=None)
def test_no_protected_job_is_ever_a_victim(world: World) -> None:
    situation = at(world.policy, world.state)
    pool, preemptor = situation.pool("p"), Preemptor(situation)
    for job in waiting(world.state):
        answers = [preemptor.plan(job.id)]
        answers += [preemptor.authorize(job.id, [victim.id]) for victim in running(world.state)]
        for answer in answers:
            for verdict in answer.victims:
                assert verdict.outcome == "refused" or not protected(pool, verdict.job)


@given(st.one_of(worlds(least=4, most=9, limited=False), crowds()))
@settings(max_examples=2 * EXAMPLES, deadline=None)
def test_who_may_take_from_whom_has_no_cycle(world: World) -> None:
    """No users of one state may take funded runs from each other, neither in turn nor around a ring."""
    situation = at(world.policy, world.state)
    pool, preemptor = situation.pool("p"), Preemptor(situation)
    funded = {identity for row, identity in enumerate(pool.running.ids) if pool.held.funded[row]}
    takes: dict[tuple[str, str], set[tuple[str, str]]] = {}
    for job in waiting(world.state):
        for victim in running(world.state):
            there = (victim.account, victim.user)
            if victim.id in funded and there != (job.account, job.user):
                verdict = preemptor.authorize(job.id, [victim.id]).victims[0]
                if verdict.outcome == "granted":
                    takes.setdefault((job.account, job.user), set()).add(there)
    while takes:
        free = [user for user, others in takes.items() if not others & set(takes)]
        assert free, takes
        for user in free:
            del takes[user]


def after(world: World, asking: Job, gone: set[str]) -> ClusterState:
    """Return the state once the victims are requeued and the job runs; nobody says any more on which nodes."""
    jobs, runs = [], list(world.state.usage)
    for job in world.state.jobs:
        if job.id in gone:
            runs.append(PastRun(job=job, end=NOW, outcome=Outcome.PREEMPTED))
            jobs.append(
                replace(
                    job,
                    start=None,
                    placement=None,
                    last_checkpoint=None,
                    preemptions=(*job.preemptions, NOW),
                )
            )
        elif job.id == asking.id:
            jobs.append(replace(job, start=NOW))
        else:
            jobs.append(replace(job, placement=None) if job.start is not None else job)
    return replace(world.state, jobs=tuple(jobs), usage=tuple(runs))


def counted_whole(world: World) -> World:
    """Return the world with no placement known, so that jobs fit by sums and seats do not matter."""
    jobs = tuple(replace(job, placement=None) for job in world.state.jobs)
    return replace(world, state=replace(world.state, jobs=jobs, nodes=None))


@given(crowds())
@settings(max_examples=2 * EXAMPLES, deadline=None)
def test_a_preempted_job_that_comes_back_does_not_take_its_place_again(world: World) -> None:
    world = counted_whole(world)
    earlier = at(world.policy, world.state)
    before, held = Preemptor(earlier), earlier.pool("p")
    was_funded = {identity for row, identity in enumerate(held.running.ids) if held.held.funded[row]}
    for job in waiting(world.state):
        gone = {verdict.job for verdict in before.plan(job.id).victims}
        if not gone:
            continue
        situation = at(world.policy, after(world, job, gone))
        pool, preemptor = situation.pool("p"), Preemptor(situation)
        mine = pool.book.of_user[job.account, job.user]
        for row, identity in enumerate(pool.pending.ids):
            if identity not in gone:
                continue
            again = preemptor.plan(identity)
            assert job.id not in {verdict.job for verdict in again.victims}
            if not pool.waiting.funded[row]:
                assert not again.victims
            if identity not in was_funded or not pool.waiting.funded[row]:
                continue  # a budget made it funded since it started: it asks for the first time
            for verdict in again.victims:
                taken = list(pool.running.ids).index(verdict.job)
                assert pool.held.funded[taken], "spare work would have gone in its place"
            user = int(pool.user_nodes(pool.pending)[row])
            parting = branches(pool.book, user, mine)
            if parting.mine is not None and parting.other is not None:
                price = int(pool.projected()[row])
                claim = Claim(situation=pool, user=user, charge=price)
                assert not claim.behind(parting.mine, parting.other).holds, "not even once protection is over"


def _settled(policy: Policy, job: Job) -> bool:
    """Say whether a budget in effect at the job's start names its account, so that its class does not change."""
    assert job.start is not None
    found = shares_at(policy, "p", job.start).get(job.account)
    return found is not None and found.stated


@given(st.one_of(worlds(least=3), crowds()), st.data())
@settings(max_examples=EXAMPLES, deadline=None)
def test_a_refusal_stands_until_its_time_and_then_has_lapsed(world: World, data: st.DataObject) -> None:
    now = Preemptor(at(world.policy, world.state))
    for job in waiting(world.state):
        for victim in running(world.state):
            verdict = now.authorize(job.id, [victim.id]).victims[0]
            if verdict.outcome != "refused" or verdict.retry_at is None or not _settled(world.policy, victim):
                continue
            assert verdict.retry_at > NOW
            between = data.draw(st.integers(NOW, verdict.retry_at - 1))
            for instant in (between, verdict.retry_at - 1):
                still = Preemptor(at(world.policy, world.state, instant)).authorize(job.id, [victim.id])
                assert still.victims[0].outcome == "refused", instant
            later = Preemptor(at(world.policy, world.state, verdict.retry_at)).authorize(job.id, [victim.id])
            codes = {reason.code for reason in later.victims[0].reasons}
            assert not codes & {"victim_protected", "per_job_limit"}


@given(st.one_of(worlds(least=3), crowds()))
@settings(max_examples=EXAMPLES, deadline=None)
def test_a_set_waits_for_its_last_refusal(world: World) -> None:
    preemptor = Preemptor(at(world.policy, world.state))
    there = [victim.id for victim in running(world.state)]
    for job in waiting(world.state):
        answer = preemptor.authorize(job.id, there)
        refused = [one.retry_at for one in answer.victims if one.outcome == "refused"]
        known = [instant for instant in refused if instant is not None]
        starts = {reason.code for reason in answer.reasons} >= {"can_start"}
        lapsing = known and len(known) == len(refused) and starts
        assert answer.retry_at == (max(known) if lapsing else None)
        assert (answer.outcome == "granted") == (
            all(one.outcome == "granted" for one in answer.victims)
            and {reason.code for reason in answer.reasons} <= {"can_start", "placement_unknown"}
        )
