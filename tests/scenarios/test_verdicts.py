"""Every kind of expectation on histories written by hand: what keeps it, and what just does not."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from policyctl.model.jobs import Job, Outcome
from policyctl.model.policy import Policy
from policyctl.model.workload import Incident, IncidentKind, Task
from policyctl.render.rehearsal_text import render
from policyctl.sim.record import Run
from policyctl.sim.scenarios.expectations import (
    Completes,
    EmptiesWithin,
    Expectation,
    HitsOnly,
    IgnoresPriorities,
    KeepsContracts,
    LosesAtMost,
    Portion,
    Preempted,
    ProtectedAtMost,
    RunsAtMost,
    StartsWithin,
)
from policyctl.sim.scenarios.history import JobHistory
from policyctl.sim.scenarios.miss import Miss, Verdict
from policyctl.sim.scenarios.scenario import Scenario
from policyctl.sim.scenarios.verdicts import Trial, verdict
from policyctl.units import Instant, MilliGpu, Seconds
from tests.casebook import compiled
from tests.load.sample import SMALLEST

END = 1000
DONE, CUT, FAILED, LOST = Outcome.COMPLETED, Outcome.PREEMPTED, Outcome.FAILED, Outcome.NODE_FAIL


def policy() -> Policy:
    """Return a policy with one pool: h100, four nodes of eight GPUs."""
    made = compiled({"policy.yaml": SMALLEST}).policy
    assert made is not None
    return made


def job(
    identity: str, *runs: Run, account: str = "/a", user: str = "dev5", submitted: int | None = 0, **more: Any
) -> JobHistory:
    gpus = MilliGpu(8000)
    noun = Job(id=identity, account=account, user=user, pool="h100", gpus=gpus, submit=Instant(0), **more)
    return JobHistory(task=Task(job=noun, work=Seconds(100)), submitted=submitted, runs=runs)


def run(start: int, end: int, outcome: Outcome | None = DONE, *, attempt: int = 1, **more: Any) -> Run:
    said: dict[str, Any] = {"protection": 0, "lost": 0, "placement": ((0, 8000),), "funded": True} | more
    return Run(
        row=0,
        attempt=attempt,
        start=start,
        end=end,
        outcome=outcome,
        computed=end - start - said["lost"],
        **said,
    )


def judged(wanted: Expectation, *jobs: JobHistory, twin: tuple[JobHistory, ...] = ()) -> Verdict:
    incidents = {
        kind.value: Incident(kind=kind, pool="h100", nodes=(0, 1), at=Instant(100), until=Instant(500))
        for kind in IncidentKind
    }
    scenario = Scenario(
        name="hand-made", about="", start=Instant(0), horizon=Seconds(END), seeds=(1,), incidents=incidents
    )
    trial = Trial(
        scenario=scenario,
        policy=policy(),
        now=END,
        jobs={one.id: one for one in jobs},
        twin={one.id: one for one in twin},
    )
    return verdict(wanted, trial)


WITHIN = StartsWithin(jobs="big*", within=Seconds(60))
HALF = Portion(
    account="/a",
    pool="h100",
    since=Seconds(0),
    until=Seconds(100),
    at_least=Fraction(1, 4),
    at_most=Fraction(1, 2),
)
EMPTY = EmptiesWithin(incident="drain", within=Seconds(50))

KEPT: list[Any] = [
    pytest.param(WITHIN, [job("big", run(60, 70))], id="started at the last second"),
    pytest.param(WITHIN, [job("big", submitted=END - 59)], id="waits, but its time is not over"),
    pytest.param(
        WITHIN, [job("big", run(0, 9)), job("other", run(999, 1000))], id="another job started late"
    ),
    pytest.param(WITHIN, [job("big", run(9, 10)), job("big-2", submitted=None)], id="never came"),
    pytest.param(
        Completes(jobs="*"), [job("a", run(0, 9, CUT), run(20, 30, attempt=2))], id="done in the second run"
    ),
    pytest.param(
        Completes(jobs="*", within=Seconds(30)), [job("a", run(0, 30))], id="done at the last second"
    ),
    pytest.param(
        RunsAtMost(jobs="a", times=2), [job("a", run(0, 9, CUT), run(20, 30, attempt=2))], id="two runs"
    ),
    pytest.param(Preempted(jobs="a", at_least=1, at_most=1), [job("a", run(0, 9, CUT))], id="preempted once"),
    pytest.param(
        KeepsContracts(jobs="a"), [job("a", run(0, 60, CUT, protection=60))], id="cut when protection ended"
    ),
    pytest.param(
        KeepsContracts(jobs="a"), [job("a", run(0, 9, LOST, protection=60))], id="a node may fail at any time"
    ),
    pytest.param(
        ProtectedAtMost(jobs="a", length=Seconds(60)), [job("a", run(0, 9, protection=60))], id="at the cap"
    ),
    pytest.param(
        LosesAtMost(jobs="a", part=Fraction(1, 4)), [job("a", run(0, 40, CUT, lost=10))], id="a quarter lost"
    ),
    pytest.param(LosesAtMost(jobs="a", part=Fraction(0)), [job("a")], id="nothing held, nothing lost"),
    pytest.param(HALF, [job("a", run(0, 200))], id="one node of four, also beyond the interval"),
    pytest.param(
        HALF,
        [job("a", run(0, 100)), job("b", run(0, 100), account="/ab")],
        id="another account of the same letters",
    ),
    pytest.param(
        HALF, [job("a", run(0, 100)), job("b", run(0, 100), account="/a/b")], id="an account below counts"
    ),
    pytest.param(
        HitsOnly(incident="fail"), [job("a", run(0, 100, LOST), run(101, 200, attempt=2))], id="it came back"
    ),
    pytest.param(
        HitsOnly(incident="fail"), [job("a", run(0, 100))], id="it ended at the same instant by itself"
    ),
    pytest.param(
        HitsOnly(incident="fail"),
        [job("a", run(0, 100, LOST), kind="interactive")],
        id="a session does not come back",
    ),
    pytest.param(
        HitsOnly(incident="fail"), [job("a", run(0, 300, placement=((2, 8000),)))], id="another node"
    ),
    pytest.param(EMPTY, [job("a", run(0, 150))], id="the last run ended in time"),
    pytest.param(EMPTY, [job("a", run(500, 900))], id="the next one began when the drain was over"),
    pytest.param(EMPTY, [job("a", run(200, 900, placement=((2, 8000),)))], id="it began on another node"),
]

MISSED: list[Any] = [
    pytest.param(WITHIN, [job("big", run(61, 70))], ("big", 61, 60), id="a second late"),
    pytest.param(
        WITHIN, [job("big", submitted=END - 60)], ("big", None, 60), id="still waits, and its time is over"
    ),
    pytest.param(WITHIN, [job("small")], ("big*", None, 1), id="no job of that name"),
    pytest.param(WITHIN, [job("big", submitted=None)], ("big*", None, 1), id="none that ever came"),
    pytest.param(Completes(jobs="*"), [job("a", run(0, END, None))], ("a", None, END), id="still running"),
    pytest.param(Completes(jobs="*"), [job("a", run(0, 9, FAILED))], ("a", None, END), id="given up"),
    pytest.param(
        RunsAtMost(jobs="a", times=1),
        [job("a", run(0, 9, CUT), run(20, 30, attempt=2))],
        ("a", 2, 1),
        id="once too often",
    ),
    pytest.param(Preempted(jobs="a", at_least=1), [job("a", run(0, 9))], ("a", 0, 1), id="never preempted"),
    pytest.param(
        Preempted(jobs="a", at_most=0), [job("a", run(0, 9, CUT))], ("a", 1, 0), id="preempted all the same"
    ),
    pytest.param(
        KeepsContracts(jobs="a"),
        [job("a", run(0, 59, CUT, protection=60))],
        ("a", 59, 60),
        id="a second too early",
    ),
    pytest.param(
        ProtectedAtMost(jobs="a", length=Seconds(60)),
        [job("a", run(0, 9, protection=61))],
        ("a", 61, 60),
        id="above the cap",
    ),
    pytest.param(
        LosesAtMost(jobs="a", part=Fraction(1, 5)),
        [job("a", run(0, 40, CUT, lost=10))],
        ("a", Fraction(1, 4), Fraction(1, 5)),
        id="lost more",
    ),
    pytest.param(
        HALF,
        [job("a", run(0, 99))],
        ("/a", Fraction(99, 400), Fraction(1, 4)),
        id="a second short of a quarter",
    ),
    pytest.param(
        HALF,
        [job(f"a{n}", run(0, 100)) for n in range(3)],
        ("/a", Fraction(3, 4), Fraction(1, 2)),
        id="too large a part",
    ),
    pytest.param(
        HitsOnly(incident="fail"), [job("a", run(0, 200))], ("a", 200, 100), id="it outlived its node"
    ),
    pytest.param(
        HitsOnly(incident="fail"),
        [job("a", run(0, 100, LOST, placement=((2, 8000),)))],
        ("a", 1, 0),
        id="hit on another node",
    ),
    pytest.param(
        HitsOnly(incident="fail"), [job("a", run(0, 100, LOST))], ("a", None, 100), id="it did not come back"
    ),
    pytest.param(EMPTY, [job("a", run(0, 151))], ("a", 151, 150), id="a second too long"),
    pytest.param(EMPTY, [job("a", run(100, 140))], ("a", 100, 500), id="begun on a draining node"),
    pytest.param(EMPTY, [job("a", run(0, 100, LOST))], ("a", 100, 150), id="ended by the drain"),
]


@pytest.mark.parametrize(("wanted", "jobs"), KEPT)
def test_it_holds(wanted: Expectation, jobs: list[JobHistory]) -> None:
    assert judged(wanted, *jobs).misses == ()


@pytest.mark.parametrize(("wanted", "jobs", "miss"), MISSED)
def test_it_is_missed(wanted: Expectation, jobs: list[JobHistory], miss: tuple[str, object, object]) -> None:
    (found,) = judged(wanted, *jobs).misses
    assert (found.subject, found.seen, found.bound) == miss


def test_priorities_are_compared_start_by_start() -> None:
    wanted = IgnoresPriorities(among="accounts")
    mine = (job("a", run(0, 9)), job("b", run(5, 9), account="/b"))
    assert judged(wanted, *mine, twin=mine).held
    swapped = (job("a", run(0, 9)), job("b", run(5, 9), account="/a"))
    (miss,) = judged(wanted, *mine, twin=swapped).misses
    assert (miss.subject, miss.seen) == ("/b", 5)
    assert judged(wanted, *mine, twin=mine[:1]).misses[0].seen == 5


def test_users_of_one_account_are_told_apart_only_if_asked() -> None:
    one, other = (job("a", run(0, 9), user="dev5"),), (job("a", run(0, 9), user="dev6"),)
    assert judged(IgnoresPriorities(among="accounts"), *one, twin=other).held
    assert not judged(IgnoresPriorities(among="users"), *one, twin=other).held


def test_a_rehearsal_reads_like_its_scenario() -> None:
    verdicts = [
        judged(WITHIN, job("big", run(9, 10))),
        judged(WITHIN, job("big", run(61, 70)), job("big-2", submitted=END - 60)),
        judged(WITHIN, job("small")),
        judged(HALF, job("a", run(0, 99))),
        judged(EMPTY, job("a", run(0, 151))),
        judged(Preempted(jobs="a", at_most=0), job("a", run(0, 9, CUT))),
    ]
    assert (
        render("hand-made", 1, verdicts)
        == """\
hand-made (seed 1): 1 of 6 expectations held
  held   startsWithin jobs: big*, within: 1m
  missed startsWithin jobs: big*, within: 1m
         `big`: 1m1s, where 1m was the bound
         `big-2`: never, where 1m was the bound
  missed startsWithin jobs: big*, within: 1m
         `big*`: no job of that name was submitted
  missed portion account: /a, pool: h100, from: 0s, until: 1m40s, atLeast: 25%, atMost: 50%
         `/a`: 24.75%, where 25% was the bound
  missed emptiesWithin incident: drain, within: 50s
         `a`: 1970-01-01T00:02:31Z, where 1970-01-01T00:02:30Z was the bound
  missed preempted jobs: a, atLeast: 0, atMost: 0
         `a`: once, where 0 times was the bound
"""
    )


def test_many_misses_are_counted_not_listed() -> None:
    misses = tuple(Miss(subject=f"j{n}", seen=2, bound=1, unit="times") for n in range(1200))
    text = render("x", 1, [Verdict(expectation=RunsAtMost(jobs="*", times=1), jobs=1200, misses=misses)])
    assert text.splitlines()[-1] == "         and 1,195 more"
