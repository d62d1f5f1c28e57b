"""May these jobs be preempted for that one, and which ones should be: `authorize` answers, `plan` chooses.

A set is granted only whole: every victim is granted by itself, the job can then start, and without any one of them it
could not. A victim that the state does not have leaves the whole question without an answer. `plan` takes opportunistic
victims before funded ones, then the branch furthest ahead (usage over absolute share), then the least work at risk, the
latest start, the id; drops whoever is not needed, the last taken first; and puts what remains to `authorize`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from policyctl.decide.case import Bench, Case, bench_of, open_case
from policyctl.decide.choose import choose
from policyctl.decide.deadlock import asked, earliest, free, standing_against
from policyctl.decide.fitting import never_fits
from policyctl.decide.hourly import hourly_limit
from policyctl.decide.judge import judge
from policyctl.decide.place import Trial
from policyctl.decide.reasons import class_reasons
from policyctl.decide.situation import PoolSituation, Situation
from policyctl.decide.verdict import granted, refused, stranger
from policyctl.model.decisions import Authorization, Outcome, Reason, VictimVerdict
from policyctl.units import Instant

__all__ = ["Preemptor"]


@dataclass(frozen=True, slots=True)
class Preemptor:
    """Answers about preemption over one situation; what it learns of a pool it keeps for the next question."""

    situation: Situation
    _benches: dict[str, Bench] = field(init=False, repr=False, compare=False, default_factory=dict)

    def authorize(self, job: str, victims: Sequence[str]) -> Authorization:
        """Answer whether exactly these running jobs may be preempted for that pending one."""
        case, bench = self._case(job)
        chosen = sorted(set(victims))
        strangers = {
            identity: stranger(self.situation.state, identity, case.job.pool)
            for identity in chosen
            if identity not in bench.row_of
        }
        return _authorize(case, bench, chosen, strangers)

    def plan(self, job: str) -> Authorization:
        """Choose the victims for a pending job, or say why there are none."""
        case, bench = self._case(job)
        return _plan(case, bench)

    def _case(self, identity: str) -> tuple[Case, Bench]:
        job = self.situation.job(identity)
        pool = self.situation.pool(job.pool)
        bench = self._bench(pool)
        return open_case(pool, job, bench.pending_row_of.get(job.id, -1)), bench

    def _bench(self, pool: PoolSituation) -> Bench:
        name = pool.pool.name
        if name not in self._benches:
            self._benches[name] = bench_of(self.situation, pool)
        return self._benches[name]


def _authorize(
    case: Case, bench: Bench, victims: list[str], strangers: Mapping[str, VictimVerdict]
) -> Authorization:
    running = [identity for identity in victims if identity not in strangers]
    rows = np.array([bench.row_of[identity] for identity in running], dtype=np.int64)
    there = [bench.jobs[row] for row in rows.tolist()]
    verdicts = dict(strangers)
    if case.claim is None:
        assert case.objection is not None
        verdicts |= {victim.id: refused(victim, (case.objection,)) for victim in there}
    else:
        judged = judge(case.claim, case.job, case.row, there, rows)
        busy = hourly_limit(case, bench, int(judged.at_risk.sum()))
        for place, victim in enumerate(there):
            marks = judged.marks(place) + (() if busy is None else (busy,))
            verdicts[victim.id] = refused(victim, marks) if marks else granted(victim, judged.grant(place))
    return _close(case, bench, tuple(verdicts[identity] for identity in victims))


def _close(case: Case, bench: Bench, verdicts: tuple[VictimVerdict, ...]) -> Authorization:
    """Decide the set: every victim granted, the job can start, and no victim too many."""
    against = [one for one in verdicts if one.outcome == "refused"]
    failed = [one for one in verdicts if one.outcome == "error"]
    unknown = any(one.code == "unknown_victim" for one in failed)
    reasons: list[Reason] = []
    if case.objection is not None:
        reasons.append(case.objection.reason)
    elif against:
        reasons.append(Reason("victims_refused", {"jobs": [one.job for one in against]}))
    if failed:
        reasons.append(Reason("victims_failed", {"jobs": [one.job for one in failed]}))
    fit = (
        [] if unknown else _fit_reasons(case, bench, [one.job for one in verdicts if one.job in bench.row_of])
    )
    return Authorization(
        outcome=_outcome(case, fit, against=bool(against), failed=bool(failed), unknown=unknown),
        job=case.job.id,
        pool=case.job.pool,
        victims=verdicts,
        retry_at=_retry((*against, *failed)) if _can_start(fit) else None,
        notice=case.situation.policy.preemption.notice,
        reasons=(*reasons, *fit, *_placement_reason(bench)),
    )


def _outcome(case: Case, fit: Sequence[Reason], *, against: bool, failed: bool, unknown: bool) -> Outcome:
    """Return the outcome of a set; a refusal stands whatever else failed, unless the question itself was wrong."""
    faulted = case.objection is not None and case.objection.fault
    if unknown:
        return "error"
    if against or (case.objection is not None and not faulted) or not _can_start(fit):
        return "refused"
    return "error" if failed or faulted else "granted"


def _can_start(fit: Sequence[Reason]) -> bool:
    return all(one.code == "can_start" for one in fit)


def _retry(blocked: Sequence[VictimVerdict]) -> Instant | None:
    """Return when the last of these can have lapsed, None where time alone does not lift one of them."""
    lapses = [one.retry_at for one in blocked]
    known = [at for at in lapses if at is not None]
    return max(known) if known and len(known) == len(lapses) else None


def _placement_reason(bench: Bench) -> tuple[Reason, ...]:
    if not bench.capacity.pooled:
        return ()
    jobs = [job.id for job in bench.jobs if job.placement is None and job.gpus > 0]
    return (Reason("placement_unknown", {"jobs": len(jobs), "first": jobs[0]}),)


def _fit_reasons(case: Case, bench: Bench, victims: list[str]) -> list[Reason]:
    trial = Trial(bench.capacity, case.demand)
    for identity in victims:
        trial.remove(identity)
    if not trial.fits():
        if bench.capacity.ever_fits(case.demand):
            return [Reason("would_not_start", free(trial) | asked(case))]
        return [never_fits(case.job.pool, bench.capacity, case.demand)]
    spare = []
    for identity in victims:
        trial.restore(identity)
        if trial.fits():
            spare.append(identity)
        trial.remove(identity)
    if spare:
        return [Reason("not_needed", {"jobs": spare})]
    return [Reason("can_start", free(trial) | asked(case))]


def _plan(case: Case, bench: Bench) -> Authorization:
    trial = Trial(bench.capacity, case.demand)
    stands_back = case.objection is not None and case.objection.reason.code == "preemptor_opportunistic"
    if trial.fits() and (case.objection is None or stands_back):
        return _answer(case, bench, "granted", [Reason("fits_without_preemption", free(trial))], None)
    if case.objection is not None and case.objection.fault:
        return _answer(case, bench, "error", [], None)  # the reasons of its class name the rule
    if case.objection is not None:
        return _close(case, bench, ())
    if not bench.capacity.ever_fits(case.demand):
        return _answer(case, bench, "refused", [never_fits(case.job.pool, bench.capacity, case.demand)], None)
    assert case.claim is not None
    judged = judge(case.claim, case.job, case.row, bench.jobs, np.arange(len(bench.jobs)))
    wanted = judged.clear() & (case.situation.running.gpus > 0)
    lost = sum(gone for _, gone in bench.lost)
    chosen = choose(judged, trial, lambda place: bench.jobs[place].id, lost=lost, wanted=wanted)
    if chosen is None:
        reasons = standing_against(case, bench, judged)
        return _answer(case, bench, "refused", reasons, earliest(case, bench, judged))
    return _authorize(case, bench, sorted(bench.jobs[place].id for place in chosen), {})


def _answer(
    case: Case, bench: Bench, outcome: Outcome, reasons: Sequence[Reason], retry_at: Instant | None
) -> Authorization:
    why = class_reasons(case.situation, case.situation.waiting, case.situation.pending, case.row)
    return Authorization(
        outcome=outcome,
        job=case.job.id,
        pool=case.job.pool,
        victims=(),
        retry_at=retry_at,
        notice=case.situation.policy.preemption.notice,
        reasons=(*reasons, *_placement_reason(bench), *why),
    )
