"""May these jobs be preempted for that one: every rule in turn, and for a plan every set there is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from policyctl.model.jobs import ClusterState, Job, Outcome
from policyctl.model.policy import Freeze
from tests.oracle.books import Books, Key
from tests.oracle.fitting import fits
from tests.oracle.rules import GUARD_RULES, Scene
from tests.oracle.shares import active, lineage

__all__ = ["at_risk", "authorized", "objections", "planned", "set_objections", "sufficient_sets"]

_HOUR = 3600


@dataclass(frozen=True, slots=True, kw_only=True)
class _Parting:
    """The children of the lowest common ancestor on the ways to two users."""

    mine: Key
    other: Key
    above: Key


def objections(books: Books, job: Job, victim: Job) -> set[str]:
    """Return the codes of everything that speaks against this victim by itself."""
    if not books.verdict[job.id].funded:
        return {"preemptor_opportunistic"}
    found = set()
    verdict = books.verdict[victim.id]
    assert victim.start is not None
    protected = verdict.funded and victim.start <= books.now < victim.start + verdict.protected
    if protected:
        found.add("victim_protected")
    if verdict.funded and not protected:
        found |= _past_protection(books, job, victim)
    if any(
        isinstance(one.grant, Freeze) and one.grant.pool == books.pool.name and active(one.period, books.now)
        for one in books.policy.exceptions
    ):
        found.add("frozen")
    rules = books.policy.preemption
    scene = Scene(
        job=job,
        victim=victim,
        now=books.now,
        protected=protected,
        funded=verdict.funded,
        at_risk=at_risk(victim, books.now),
    )
    if any(GUARD_RULES[guard.when.source](scene) for guard in rules.guards):
        found.add("guard")
    if rules.per_job is not None:
        recent = [at for at in victim.preemptions if books.now - rules.per_job.within < at <= books.now]
        if len(recent) >= rules.per_job.max:
            found.add("per_job_limit")
    return found


def _past_protection(books: Books, job: Job, victim: Job) -> set[str]:
    if job.account == victim.account:
        if job.user != victim.user:
            return {"same_account_other_user"}
        return set() if job.priority > victim.priority else {"priority_not_higher"}
    part = _parting(job, victim)
    share = books.share[part.other]
    if share == 0:
        return set()
    price = job.gpus * books.rate * books.verdict[job.id].protected
    if books.share[part.mine] == 0:
        return {"not_behind"}
    before = books.usage(part.mine) / books.share[part.mine]
    after = (books.usage(part.mine) + price) / books.share[part.mine]
    ahead = books.usage(part.other) / share
    if before >= ahead:
        return {"not_behind"}
    tolerance = 1 + books.policy.preemption.hysteresis
    floor = books.floor(part.above)
    if floor is None:
        return set() if after * tolerance <= ahead else {"not_behind"}
    limited = (max(after, floor) * tolerance, after * tolerance) <= (max(ahead, floor), ahead)
    return set() if limited else {"not_behind"}


def _parting(job: Job, victim: Job) -> _Parting:
    mine, other = _way(job), _way(victim)
    shared = 0
    while mine[shared] == other[shared]:
        shared += 1
    return _Parting(mine=mine[shared], other=other[shared], above=mine[shared - 1])


def _way(job: Job) -> list[Key]:
    return [*((path, None) for path in reversed(lineage(job.account))), (job.account, job.user)]


def at_risk(job: Job, until: int) -> Fraction:
    """Return the GPU-seconds that would be lost: since the last checkpoint, or since the start."""
    assert job.start is not None
    since = job.start if job.last_checkpoint is None else max(job.start, job.last_checkpoint)
    return Fraction(job.gpus, 1000) * max(0, until - since)


def set_objections(books: Books, state: ClusterState, job: Job, victims: Sequence[Job]) -> set[str]:
    """Return what speaks against a set although nothing speaks against any of its members."""
    found = set()
    limit = books.policy.preemption.max_gpu_hours_per_hour
    if limit is not None:
        lost = [
            at_risk(run.job, run.end)
            for run in state.usage
            if run.job.pool == books.pool.name
            and run.outcome is Outcome.PREEMPTED
            and books.now - _HOUR < run.end <= books.now
        ]
        total = sum((*lost, *(at_risk(victim, books.now) for victim in victims)), Fraction(0))
        if total > limit * _HOUR:
            found.add("pool_hourly_limit")
    gone = {victim.id for victim in victims}
    if not fits(job, books.pool, state, gone):
        found.add("would_not_start")
    elif any(fits(job, books.pool, state, gone - {victim.id}) for victim in victims):
        found.add("not_needed")
    return found


def authorized(books: Books, state: ClusterState, job: Job, victims: Sequence[Job]) -> bool:
    """Say whether the whole set is granted."""
    return not any(objections(books, job, victim) for victim in victims) and not set_objections(
        books, state, job, victims
    )


def planned(books: Books, state: ClusterState, job: Job) -> list[str]:
    """Return the set that `plan` should choose, sorted: in order of preference, then without whom it does not need."""
    able = [one for one in books.running if one.gpus and not objections(books, job, one)]
    able.sort(key=lambda victim: _preference(books, job, victim))
    chosen: list[str] = []
    for victim in able:
        chosen.append(victim.id)
        if fits(job, books.pool, state, chosen):
            break
    if fits(job, books.pool, state) or not fits(job, books.pool, state, chosen):
        return []
    for identity in reversed(tuple(chosen)):
        fewer = [one for one in chosen if one != identity]
        if fits(job, books.pool, state, fewer):
            chosen = fewer
    return sorted(chosen)


def _preference(books: Books, job: Job, victim: Job) -> tuple[bool, int, Fraction, Fraction, int, str]:
    """Opportunistic first, the branch furthest ahead, least work at risk, latest start, id."""
    assert victim.start is not None
    nearness, usage = 2, Fraction(0)
    if victim.account != job.account:
        other = _parting(job, victim).other
        nearness = 1 if books.absolute[other] else 0
        usage = books.usage(other) / (books.absolute[other] or 1)
    funded = books.verdict[victim.id].funded
    return funded, nearness, -usage, at_risk(victim, books.now), -victim.start, victim.id


def sufficient_sets(books: Books, state: ClusterState, job: Job) -> Iterator[tuple[Job, ...]]:
    """Yield every non-empty set of running jobs that would be granted, small sets first."""
    able = [victim for victim in books.running if not objections(books, job, victim)]
    for size in range(1, len(able) + 1):
        for chosen in combinations(able, size):
            if not set_objections(books, state, job, chosen):
                yield chosen
