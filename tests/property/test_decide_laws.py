"""Laws of whole answers: input order, expiry, shares raised, numbers finite, explanations that agree with the rank."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from fractions import Fraction
from random import Random
from typing import TypeVar

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from policyctl.decide.explain import explain
from policyctl.decide.preempt import Preemptor
from policyctl.decide.quote import quote
from policyctl.decide.rank import rank_pool
from policyctl.decide.situation import Situation
from policyctl.decide.usage import pool_usage
from policyctl.model.decisions import Authorization, Explanation, PoolRanking, PoolUsage, Quote
from policyctl.model.jobs import ClusterState
from policyctl.model.policy import Budget, Policy, Share
from policyctl.units import Instant, MilliGpu
from tests.oracle.books import open_books
from tests.oracle.ranking import ranking
from tests.oracle.shares import active
from tests.property.strategies import EXAMPLES, NOW, World, crowds, policies, states, worlds

Item = TypeVar("Item")
Answer = PoolRanking | PoolUsage | Authorization | Quote | Explanation


def answers(policy: Policy, state: ClusterState, now: int = NOW) -> list[Answer]:
    """Ask everything that can be asked about a state."""
    situation = Situation(policy=policy, state=state, now=Instant(now))
    preemptor = Preemptor(situation)
    found: list[Answer] = []
    for pool in sorted(one.name for one in policy.pools):
        found += [rank_pool(situation.pool(pool)), pool_usage(situation.pool(pool))]
    running = [job for job in state.jobs if job.start is not None]
    for job in sorted(state.jobs, key=lambda one: one.id):
        found.append(explain(situation, job.id))
        if job.start is None:
            there = [victim.id for victim in running if victim.pool == job.pool]
            found += [quote(situation, job), preemptor.plan(job.id), preemptor.authorize(job.id, there)]
    return found


def order(policy: Policy, state: ClusterState, now: int = NOW) -> list[str]:
    situation = Situation(policy=policy, state=state, now=Instant(now))
    return [one.job for one in rank_pool(situation.pool("p")).order]


def shuffled(rng: Random, items: tuple[Item, ...]) -> tuple[Item, ...]:
    return tuple(rng.sample(items, len(items)))


@given(worlds(), st.randoms(use_true_random=False))
@settings(max_examples=EXAMPLES, deadline=None)
def test_the_order_of_the_input_does_not_matter(world: World, rng: Random) -> None:
    policy, state = world.policy, world.state
    mixed = replace(
        policy,
        pools=shuffled(rng, policy.pools),
        budgets=shuffled(rng, policy.budgets),
        exceptions=shuffled(rng, policy.exceptions),
    )
    moved = replace(
        state,
        jobs=shuffled(rng, state.jobs),
        usage=shuffled(rng, state.usage),
        nodes=None if state.nodes is None else shuffled(rng, state.nodes),
    )
    assert answers(mixed, moved) == answers(policy, state)


@given(worlds(least=2))
@settings(max_examples=EXAMPLES, deadline=None)
def test_what_was_asked_before_does_not_matter(world: World) -> None:
    """One situation that answered everything answers the same again, and as a fresh one does."""
    situation = Situation(policy=world.policy, state=world.state, now=NOW)
    preemptor = Preemptor(situation)
    waiting = [job for job in world.state.jobs if job.start is None]
    first = [
        (rank_pool(situation.pool(job.pool)), quote(situation, job), preemptor.plan(job.id))
        for job in waiting
    ]
    again = [
        (rank_pool(situation.pool(job.pool)), quote(situation, job), preemptor.plan(job.id))
        for job in reversed(waiting)
    ]
    assert first == again[::-1]
    for job, (_, _, planned) in zip(waiting, first, strict=True):
        fresh = Situation(policy=world.policy, state=world.state, now=NOW)
        assert Preemptor(fresh).plan(job.id) == planned


def numbers(value: object) -> Iterator[float]:
    if isinstance(value, float):
        yield value
    elif is_dataclass(value) and not isinstance(value, type):
        for one in fields(value):
            yield from numbers(getattr(value, one.name))
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from numbers(inner)
    elif isinstance(value, tuple | list):
        for inner in value:
            yield from numbers(inner)


@given(st.booleans().flatmap(lambda decay: worlds(decay=decay)))
@settings(max_examples=EXAMPLES, deadline=None)
def test_every_number_of_every_answer_is_finite(world: World) -> None:
    for answer in answers(world.policy, world.state):
        assert all(map(math.isfinite, numbers(answer)))


@given(st.data())
@settings(max_examples=EXAMPLES, deadline=None)
def test_when_exceptions_have_expired_every_decision_is_as_without_them(data: st.DataObject) -> None:
    policy = data.draw(policies())
    state = data.draw(states(policy, pending_only=True))
    plain = replace(policy, exceptions=())
    ends = [one.period.end for one in policy.exceptions if one.period.end is not None]
    assume(ends)
    for at in (max(ends), max(ends) + 1):
        assert not any(active(one.period, at) for one in policy.exceptions if one.period.end is not None)
        if all(one.period.end is not None for one in policy.exceptions):
            assert answers(policy, state, at) == answers(plain, state, at)


def _raised(budget: Budget, name: str, more: Fraction) -> Budget:
    shares = tuple(
        Share(name=one.name, share=one.share + more, place=one.place) if one.name == name else one
        for one in budget.shares
    )
    return replace(budget, shares=shares)


@given(st.data())
@settings(max_examples=2 * EXAMPLES, deadline=None)
def test_raising_a_share_never_lowers_a_rank_below_it(data: st.DataObject) -> None:
    policy = data.draw(policies(quiet=True))
    policy = replace(policy, accounting=replace(policy.accounting, overdraft=None))
    budgets = [b for b in policy.budgets if active(b.period, NOW) and sum(s.share for s in b.shares) < 1]
    assume(budgets)
    budget = data.draw(st.sampled_from(budgets))
    named = [one for one in budget.shares if one.share > 0]
    assume(named)
    chosen = data.draw(st.sampled_from(named))
    left = 1 - sum((one.share for one in budget.shares), Fraction(0))
    more = left * data.draw(st.sampled_from([Fraction(1), Fraction(1, 2), Fraction(1, 1000)]))
    richer = replace(
        policy,
        budgets=tuple(_raised(b, chosen.name, more) if b is budget else b for b in policy.budgets),
    )
    state = data.draw(states(policy, least=3, most=9))
    state = replace(
        state, usage=(), jobs=tuple(job for job in state.jobs if job.start is None or job.start == NOW)
    )
    before, after = order(policy, state), order(richer, state)
    path = budget.child(chosen)
    for job in state.jobs:
        if job.id in before and (job.account == path or job.account.startswith(f"{path}/")):
            assert after.index(job.id) <= before.index(job.id), (job.id, before, after)


@given(worlds(least=1))
@settings(max_examples=EXAMPLES, deadline=None)
def test_explain_and_quote_agree_with_the_rank(world: World) -> None:
    situation = Situation(policy=world.policy, state=world.state, now=NOW)
    ranks = {one.job: one for one in rank_pool(situation.pool("p")).order}
    for job in world.state.jobs:
        if job.pool == "p" and job.start is None:
            told, quoted = explain(situation, job.id), quote(situation, job)
            assert (told.rank, told.klass) == (ranks[job.id].rank, ranks[job.id].klass)
            assert (quoted.rank, quoted.klass, quoted.of) == (told.rank, told.klass, told.of)


@given(worlds(least=1), st.data())
@settings(max_examples=EXAMPLES, deadline=None)
def test_a_quote_is_what_the_job_gets_once_it_is_submitted(world: World, data: st.DataObject) -> None:
    asked = replace(
        data.draw(states(world.policy, least=1, most=1, pending_only=True)).jobs[0], id="new", pool="p"
    )
    quoted = quote(Situation(policy=world.policy, state=world.state, now=NOW), asked)
    submitted = replace(world.state, jobs=(*world.state.jobs, asked))
    books = open_books(world.policy, submitted, NOW, "p")
    verdict = books.verdict["new"]
    assert quoted.rank == ranking(books).index("new") + 1
    assert (quoted.klass == "funded", quoted.protected) == (verdict.funded, verdict.protected)
    assert Fraction(quoted.cost_gpu_hours).limit_denominator(10**9) == (
        asked.gpus * verdict.protected * books.rate / 3_600_000
    ).limit_denominator(10**9)
    for other in quoted.alternatives:
        again = quote(
            Situation(policy=world.policy, state=world.state, now=NOW),
            replace(asked, min_runtime=other.declared),
        )
        assert (again.klass, again.protected, again.rank, again.cost_gpu_hours) == (
            other.klass,
            other.protected,
            other.rank,
            other.cost_gpu_hours,
        )


@given(worlds())
@settings(max_examples=EXAMPLES, deadline=None)
def test_usage_reports_what_the_oracle_adds_up(world: World) -> None:
    books = open_books(world.policy, world.state, NOW, "p")
    report = pool_usage(Situation(policy=world.policy, state=world.state, now=NOW).pool("p"))
    for line in report.accounts:
        key = (line.account, None)
        bill, entitled = books.bill[key], books.entitled(books.absolute[key])
        queued = sum(
            (
                job.gpus * books.rate * books.verdict[job.id].protected
                for job in books.waiting
                if books.verdict[job.id].funded
                and f"{job.account}/".startswith(f"{line.account.rstrip('/')}/")
            ),
            Fraction(0),
        )
        used = bill.charged + bill.committed
        expected = (
            entitled,
            bill.charged,
            bill.committed,
            bill.opportunistic,
            queued,
            min(entitled, used + queued),
            max(entitled - used, Fraction(0)),
        )
        seen = (
            line.entitled_gpu_hours,
            line.charged_gpu_hours,
            line.committed_gpu_hours,
            line.opportunistic_gpu_hours,
            line.queued_gpu_hours,
            line.owed_gpu_hours,
            line.remaining_gpu_hours,
        )
        assert seen == tuple(float(amount / 3_600_000) for amount in expected), line.account
    assert {line.account for line in report.accounts} == {path for path, user in books.share if user is None}


@given(crowds(), st.sampled_from([1, 7, 1000]))
@settings(max_examples=EXAMPLES, deadline=None)
def test_more_gpus_in_every_unit_change_no_order(world: World, factor: int) -> None:
    """Scaling all GPUs, of jobs and past runs alike, scales every virtual time, so that nothing changes place."""
    state = replace(
        world.state,
        jobs=tuple(replace(job, gpus=MilliGpu(job.gpus * factor)) for job in world.state.jobs),
        usage=tuple(
            replace(run, job=replace(run.job, gpus=MilliGpu(run.job.gpus * factor)))
            for run in world.state.usage
        ),
    )
    free = replace(
        world.policy, accounting=replace(world.policy.accounting, overdraft=None, credit_limit=None), caps=()
    )
    assert order(free, state) == order(free, world.state)
