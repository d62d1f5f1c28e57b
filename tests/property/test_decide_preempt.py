"""Preemption: verdicts, sets and plans agree with the rules taken one by one, and with every set tried."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from policyctl.decide.preempt import Preemptor
from policyctl.decide.situation import Situation
from tests.oracle.books import open_books
from tests.oracle.preemption import authorized, objections, planned, set_objections, sufficient_sets
from tests.property.strategies import EXAMPLES, NOW, World, crowds, worlds


@given(worlds(), st.data())
@settings(max_examples=EXAMPLES, deadline=None)
def test_authorize_says_what_the_rules_say_one_by_one(world: World, data: st.DataObject) -> None:
    books = open_books(world.policy, world.state, NOW, "p")
    preemptor = Preemptor(Situation(policy=world.policy, state=world.state, now=NOW))
    for job in books.waiting:
        chosen = [victim for victim in books.running if data.draw(st.booleans())]
        answer = preemptor.authorize(job.id, [victim.id for victim in chosen])
        against = set_objections(books, world.state, job, chosen)
        busy = {"pool_hourly_limit"} & against if books.verdict[job.id].funded else set()
        expected = {victim.id: objections(books, job, victim) | busy for victim in chosen}
        for verdict in answer.victims:
            codes = {reason.code for reason in verdict.reasons}
            assert (codes if verdict.outcome == "refused" else set()) == expected[verdict.job], verdict
            assert verdict.outcome == ("refused" if expected[verdict.job] else "granted")
        if books.verdict[job.id].funded and chosen:
            granted = authorized(books, world.state, job, chosen)
            assert answer.outcome == ("granted" if granted else "refused"), answer
        elif not books.verdict[job.id].funded:
            assert answer.outcome == "refused"


@given(crowds())
@settings(max_examples=EXAMPLES, deadline=None)
def test_plan_finds_a_set_if_there_is_one(world: World) -> None:
    books = open_books(world.policy, world.state, NOW, "p")
    preemptor = Preemptor(Situation(policy=world.policy, state=world.state, now=NOW))
    for job in books.waiting:
        sets = {frozenset(one.id for one in chosen) for chosen in sufficient_sets(books, world.state, job)}
        answer = preemptor.plan(job.id)
        chosen = [one.job for one in answer.victims]
        assert bool(sets) == bool(chosen), (job.id, answer)
        if chosen:
            assert answer.outcome == "granted"
            assert frozenset(chosen) in sets


@given(crowds())
@settings(max_examples=EXAMPLES, deadline=None)
def test_plan_takes_victims_in_the_order_of_preference_and_drops_the_last_taken_first(world: World) -> None:
    books = open_books(world.policy, world.state, NOW, "p")
    preemptor = Preemptor(Situation(policy=world.policy, state=world.state, now=NOW))
    for job in books.waiting:
        if books.verdict[job.id].funded:
            assert [one.job for one in preemptor.plan(job.id).victims] == planned(books, world.state, job)
