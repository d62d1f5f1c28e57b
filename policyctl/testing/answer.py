"""A question to the facts of its answer, and to what the answer was about."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import assert_never

from policyctl.decide.explain import explain
from policyctl.decide.preempt import Preemptor
from policyctl.decide.quote import quote
from policyctl.decide.rank import rank_pool
from policyctl.decide.situation import Situation
from policyctl.decide.usage import pool_usage
from policyctl.model.decisions import Authorization, Reason
from policyctl.model.jobs import Job
from policyctl.model.policy import Policy
from policyctl.testing.answered import NONE, AboutJobs, Answered
from policyctl.testing.case import (
    AboutState,
    Authorize,
    Case,
    Explain,
    Plan,
    QuoteKnown,
    QuoteNew,
    Rank,
    Review,
    Seen,
    Unreadable,
    Usage,
)
from policyctl.testing.review import review
from policyctl.units import Instant, format_duration, format_instant

__all__ = ["answer"]


def answer(policy: Policy, case: Case) -> Answered:
    """Ask a policy the question of a case; raises UsageProblem for a job or pool that does not exist."""
    asked = case.question
    assert not isinstance(asked, Unreadable), "a case that cannot be read is not asked"
    if isinstance(asked, Review):
        return review(policy, asked, case.now)
    return _of_situation(Situation(policy, case.state, case.now), asked)


def _of_situation(situation: Situation, asked: AboutState) -> Answered:
    match asked:
        case Rank():
            return _rank(situation, asked.pool)
        case Usage():
            return _usage(situation, asked.pool)
        case QuoteKnown():
            return _quote(situation, situation.job(asked.job))
        case QuoteNew():
            return _quote(situation, asked.job)
        case Explain():
            return _explain(situation, asked.job)
        case Authorize():
            given = Preemptor(situation).authorize(asked.job, asked.victims)
            return _preempt(situation, given, given)
        case Plan():
            preemptor = Preemptor(situation)
            pool = situation.job(asked.job).pool
            running = [job.id for job in situation.jobs(pool, running=True)]
            return _preempt(
                situation, preemptor.plan(asked.job), preemptor.authorize(asked.job, sorted(running))
            )
        case _:
            assert_never(asked)


def _codes(reasons: Iterable[Reason]) -> tuple[str, ...]:
    """Name reasons by their code, and by what is behind it where there is such a thing: `guard:live-sessions`."""
    named = [(one.code, _behind(one)) for one in reasons]
    return tuple(f"{code}:{name}" if name else code for code, name in named)


def _behind(reason: Reason) -> str | None:
    facts = reason.facts
    return facts.get("why" if reason.code == "not_available" else "rule") or facts.get("exception")


def _at(instant: Instant | None) -> str:
    return NONE if instant is None else format_instant(instant)


def _rank(situation: Situation, pool: str) -> Answered:
    ranking = rank_pool(situation.pool(pool))
    facts: dict[str, Seen] = {
        "order": tuple(job.job for job in ranking.order),
        "funded": tuple(job.job for job in ranking.order if job.klass == "funded"),
        "opportunistic": tuple(job.job for job in ranking.order if job.klass == "opportunistic"),
        "failed": tuple(job.job for job in ranking.errors),
    }
    facts |= {f"why.{one.job}": _codes(one.reasons) for one in ranking.order}
    facts |= {f"why.{one.job}": _codes(one.reasons) for one in ranking.errors}
    jobs = situation.jobs(pool, running=False)
    return Answered(
        facts=facts,
        about=AboutJobs(situation=situation, pool=pool, jobs=tuple(jobs), everybody=True),
    )


def _usage(situation: Situation, pool: str) -> Answered:
    facts: dict[str, Seen] = {}
    for one in pool_usage(situation.pool(pool)).accounts:
        figures = {
            "share": Fraction(one.share),
            "absolute": Fraction(one.absolute_share),
            "entitled": Fraction(one.entitled_gpu_hours),
            "charged": Fraction(one.charged_gpu_hours),
            "committed": Fraction(one.committed_gpu_hours),
            "opportunistic": Fraction(one.opportunistic_gpu_hours),
            "owed": Fraction(one.owed_gpu_hours),
        }
        facts |= {f"accounts.{one.account}.{name}": figure for name, figure in figures.items()}
    jobs = situation.jobs(pool, running=True)
    return Answered(
        facts=facts,
        about=AboutJobs(situation=situation, pool=pool, jobs=tuple(jobs), everybody=True),
    )


def _quote(situation: Situation, job: Job) -> Answered:
    given = quote(situation, job)
    facts: dict[str, Seen] = {
        "class": given.klass or NONE,
        "protected": format_duration(given.protected),
        "cappedBy": given.capped_by.rule if given.capped_by else NONE,
        "cost": Fraction(given.cost_gpu_hours),
        "rank": NONE if given.rank is None else str(given.rank),
        "reasons": _codes(given.reasons),
    }
    return Answered(facts=facts, about=AboutJobs(situation=situation, pool=job.pool, jobs=(job,)))


def _explain(situation: Situation, identity: str) -> Answered:
    given = explain(situation, identity)
    facts: dict[str, Seen] = {
        "class": given.klass or NONE,
        "rank": NONE if given.rank is None else str(given.rank),
        "protectedUntil": _at(given.protected_until),
        "reasons": _codes(given.reasons),
    }
    about = AboutJobs(situation=situation, pool=given.pool, jobs=(situation.job(identity),))
    return Answered(facts=facts, about=about)


def _preempt(situation: Situation, given: Authorization, judged: Authorization) -> Answered:
    facts: dict[str, Seen] = {
        "outcome": given.outcome,
        "victims": tuple(one.job for one in given.victims),
        "retryAt": _at(given.retry_at),
        "notice": format_duration(given.notice),
        "reasons": _codes(given.reasons),
    }
    facts |= {f"why.{one.job}": _codes(one.reasons) for one in given.victims}
    known = {one.id: one for one in situation.state.jobs}
    named = dict.fromkeys((given.job, *(one.job for one in judged.victims)))
    jobs = tuple(known[identity] for identity in named if identity in known)
    about = AboutJobs(situation=situation, pool=given.pool, jobs=jobs, judged=judged)
    return Answered(facts=facts, about=about)
