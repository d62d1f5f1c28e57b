"""May these jobs be preempted for that one, and which ones should be: `authorize` answers, `plan` chooses.

A set is granted only whole: every victim is granted by itself, the job can then start, and without any one of them it
could not. `plan` takes opportunistic victims before funded ones, then the branch furthest ahead (usage over absolute
share), then the least work at risk, the latest start, the id; drops whoever is not needed, the last taken first;
and puts what remains to `authorize`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from policyctl.decide.choose import choose, hourly_allowance
from policyctl.decide.claim import Claim
from policyctl.decide.judge import HOUR, Judgement, Mark, judge, lost_in_last_hour
from policyctl.decide.place import Capacity, Demand, Trial, capacity_of
from policyctl.decide.reasons import class_reasons, fault_reason, written
from policyctl.decide.situation import PoolSituation, Situation
from policyctl.decide.table import NEVER
from policyctl.model.decisions import Authorization, Outcome, Reason, VictimVerdict
from policyctl.model.jobs import Job
from policyctl.units import Instant, format_instant, gpus_text

__all__ = ["Preemptor"]

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One pending job before the bench: the pool, its row, what it needs, and its claim (None: it has none)."""

    situation: PoolSituation
    job: Job
    row: int
    demand: Demand
    claim: Claim | None
    objection: Mark | None


@dataclass(frozen=True, slots=True)
class Bench:
    """The running jobs of a pool, by row and by id, and where they are."""

    jobs: tuple[Job, ...]
    row_of: dict[str, int]
    pending_row_of: dict[str, int]
    capacity: Capacity
    lost: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Preemptor:
    """Answers about preemption over one situation; what it learns of a pool it keeps for the next question."""

    situation: Situation
    _benches: dict[str, Bench] = field(init=False, repr=False, compare=False, default_factory=dict)

    def authorize(self, job: str, victims: Sequence[str]) -> Authorization:
        """Answer whether exactly these running jobs may be preempted for that pending one."""
        case, bench = self._case(job)
        asked = sorted(set(victims))
        strangers = {
            identity: _stranger(case, identity, self.situation)
            for identity in asked
            if identity not in bench.row_of
        }
        return _authorize(case, bench, asked, strangers)

    def plan(self, job: str) -> Authorization:
        """Choose the victims for a pending job, or say why there are none."""
        case, bench = self._case(job)
        return _plan(case, bench)

    def _case(self, identity: str) -> tuple[Case, Bench]:
        job = self.situation.job(identity)
        pool = self.situation.pool(job.pool)
        bench = self._bench(pool)
        return _open_case(pool, job, bench.pending_row_of.get(job.id, -1)), bench

    def _bench(self, pool: PoolSituation) -> Bench:
        name = pool.pool.name
        if name not in self._benches:
            running = tuple(self.situation.jobs(name, running=True))
            self._benches[name] = Bench(
                running,
                {job.id: row for row, job in enumerate(running)},
                {identity: row for row, identity in enumerate(pool.pending.ids)},
                capacity_of(pool.pool, self.situation.state.nodes, running),
                tuple(lost_in_last_hour(pool)),
            )
        return self._benches[name]


def _open_case(pool: PoolSituation, job: Job, row: int) -> Case:
    objection = _objection(pool, job, row)
    claim = None
    if objection is None:
        charge = int(pool.pending.gpus[row]) * int(pool.waiting.seconds[row]) * pool.rates.protected
        claim = Claim(situation=pool, user=pool.book.of_user[job.account, job.user], charge=charge)
    return Case(situation=pool, job=job, row=row, demand=Demand.of(job), claim=claim, objection=objection)


def _objection(pool: PoolSituation, job: Job, row: int) -> Mark | None:
    """Return what keeps a job from preempting anybody: it runs already, it is opportunistic, a rule failed on it."""
    if job.start is not None:
        return Mark(reason=Reason("preemptor_not_pending", {"start": format_instant(job.start)}))
    failed = fault_reason(pool.waiting, row)
    if failed is not None:
        return Mark(reason=failed, fault=True)
    if not pool.waiting.funded[row]:
        return Mark(reason=Reason("preemptor_opportunistic", {"why": list(pool.waiting.reasons(row))}))
    return None


def _authorize(
    case: Case, bench: Bench, victims: list[str], strangers: Mapping[str, VictimVerdict]
) -> Authorization:
    running = [identity for identity in victims if identity not in strangers]
    rows = np.array([bench.row_of[identity] for identity in running], dtype=np.int64)
    verdicts = dict(strangers)
    if case.claim is None:
        assert case.objection is not None
        verdicts |= {identity: _verdict(identity, (case.objection,), None) for identity in running}
    else:
        judged = judge(case.claim, case.job, case.row, [bench.jobs[row] for row in rows.tolist()], rows)
        busy = _hourly_limit(case, bench, int(judged.at_risk.sum()))
        for place, identity in enumerate(running):
            marks = judged.marks(place)
            if busy is not None:
                marks = (*marks, busy)
            verdicts[identity] = _verdict(identity, marks, None if marks else judged.grant(place))
    ordered = tuple(verdicts[identity] for identity in victims)
    return _close(case, bench, ordered)


def _stranger(case: Case, identity: str, state: Situation) -> VictimVerdict:
    """Judge a victim that does not run in the pool."""
    found = next((job for job in state.state.jobs if job.id == identity), None)
    if found is None:
        return _verdict(
            identity, (Mark(reason=Reason("unknown_victim", {"job": identity}), fault=True),), None
        )
    if found.start is None:
        return _verdict(identity, (Mark(reason=Reason("victim_not_running")),), None)
    facts = {"pool": found.pool, "needed_in": case.job.pool}
    return _verdict(identity, (Mark(reason=Reason("other_pool", facts)),), None)


def _verdict(identity: str, marks: Sequence[Mark], grant: Reason | None) -> VictimVerdict:
    if not marks:
        assert grant is not None
        return VictimVerdict(
            job=identity, outcome="granted", code=grant.code, retry_at=None, reasons=(grant,)
        )
    refusals = [mark for mark in marks if not mark.fault]
    deciding = refusals or list(marks)
    lapses = [mark.retry_at for mark in marks]
    known = [at for at in lapses if at is not None]
    return VictimVerdict(
        job=identity,
        outcome="refused" if refusals else "error",
        code=deciding[0].reason.code,
        retry_at=max(known) if known and len(known) == len(lapses) else None,
        reasons=tuple(mark.reason for mark in marks),
    )


def _hourly_limit(case: Case, bench: Bench, at_risk: int) -> Mark | None:
    """Return a refusal where preempting this much work would exceed what the pool may lose in an hour."""
    preemption = case.situation.policy.preemption
    limit, allowed = preemption.max_gpu_hours_per_hour, hourly_allowance(preemption)
    if limit is None or allowed is None:
        return None
    before = sum(lost for _, lost in bench.lost)
    if before + at_risk <= allowed:
        return None
    retry, left = None, before
    for end, lost in bench.lost:
        left -= lost
        if left + at_risk <= allowed:
            retry = Instant(end + HOUR)
            break
    facts = {
        "lost_gpu_hours": before / (HOUR * 1000),
        "at_risk_gpu_hours": at_risk / (HOUR * 1000),
        "max_gpu_hours_per_hour": float(limit),
        "written": written(preemption.place),
    }
    return Mark(reason=Reason("pool_hourly_limit", facts), retry_at=retry)


def _close(case: Case, bench: Bench, verdicts: tuple[VictimVerdict, ...]) -> Authorization:
    """Decide the set: every victim granted, the job can start, and no victim too many."""
    refused = [one for one in verdicts if one.outcome == "refused"]
    failed = [one for one in verdicts if one.outcome == "error"]
    reasons: list[Reason] = []
    if case.objection is not None:
        reasons.append(case.objection.reason)
    elif refused:
        reasons.append(Reason("victims_refused", {"jobs": [one.job for one in refused]}))
    if failed:
        reasons.append(Reason("victims_failed", {"jobs": [one.job for one in failed]}))
    fit = _fit_reasons(case, bench, [one.job for one in verdicts if one.job in bench.row_of])
    reasons.extend(fit)
    outcome: Outcome = "granted"
    objection_faults = case.objection is not None and case.objection.fault
    if (
        refused
        or (case.objection is not None and not objection_faults)
        or any(one.code != "can_start" for one in fit)
    ):
        outcome = "refused"
    elif failed or objection_faults:
        outcome = "error"
    lapses = [one.retry_at for one in (*refused, *failed)]
    known = [at for at in lapses if at is not None]
    return Authorization(
        outcome=outcome,
        job=case.job.id,
        pool=case.job.pool,
        victims=verdicts,
        retry_at=max(known) if known and len(known) == len(lapses) else None,
        notice=case.situation.policy.preemption.notice,
        reasons=tuple(reasons) + _placement_reason(bench),
    )


def _placement_reason(bench: Bench) -> tuple[Reason, ...]:
    if not bench.capacity.pooled:
        return ()
    jobs = [job.id for job in bench.jobs if job.placement is None and job.gpus > 0]
    return (Reason("placement_unknown", {"jobs": len(jobs), "first": jobs[0]}),)


def _fit_reasons(case: Case, bench: Bench, victims: list[str]) -> list[Reason]:
    trial = Trial(bench.capacity, case.demand)
    for identity in victims:
        trial.remove(identity)
    facts: dict[str, object] = {
        "gpus": gpus_text(case.job.gpus),
        "nodes": case.job.nodes,
        "free_gpus": gpus_text(trial.free_gpus),
    }
    if not trial.fits():
        code = "would_not_start" if bench.capacity.ever_fits(case.demand) else "never_fits"
        return [Reason(code, facts)]
    spare = []
    for identity in victims:
        trial.restore(identity)
        if trial.fits():
            spare.append(identity)
        trial.remove(identity)
    if spare:
        return [Reason("not_needed", {"jobs": spare})]
    return [Reason("can_start", facts)]


def _plan(case: Case, bench: Bench) -> Authorization:
    trial = Trial(bench.capacity, case.demand)
    stands_back = case.objection is not None and case.objection.reason.code == "preemptor_opportunistic"
    if trial.fits() and (case.objection is None or stands_back):
        return _answer(case, bench, "granted", [Reason("fits_without_preemption", _free(trial))], None)
    if case.objection is not None and case.objection.fault:
        return _answer(case, bench, "error", [], None)  # the reasons of its class name the rule
    if case.objection is not None:
        return _close(case, bench, ())
    if not bench.capacity.ever_fits(case.demand):
        return _answer(case, bench, "refused", [Reason("never_fits", _free(trial) | _asked(case))], None)
    assert case.claim is not None
    rows = np.arange(len(bench.jobs))
    judged = judge(case.claim, case.job, case.row, bench.jobs, rows)
    wanted = judged.clear() & (case.situation.running.gpus > 0)
    lost = sum(gone for _, gone in bench.lost)
    chosen = choose(judged, trial, lambda place: bench.jobs[place].id, lost=lost, wanted=wanted)
    if chosen is None:
        return _no_set(case, bench, judged, trial)
    return _authorize(case, bench, sorted(bench.jobs[place].id for place in chosen), {})


def _no_set(case: Case, bench: Bench, judged: Judgement, trial: Trial) -> Authorization:
    """Refuse: even all victims that may be taken do not make room. Say what stands against the others."""
    clear = judged.clear()
    blocked = np.flatnonzero(~clear)
    retry = judged.retry()[blocked]
    counts: Counter[str] = Counter()
    soonest: dict[str, int] = {}
    for place, lapse in zip(blocked.tolist(), retry.tolist(), strict=True):
        code = judged.marks(place)[0].reason.code
        counts[code] += 1
        if lapse != NEVER:
            soonest[code] = min(lapse, soonest.get(code, lapse))
    reasons = [Reason("would_not_start", _free(trial) | _asked(case))]
    for code in sorted(counts):
        first = soonest.get(code)
        facts = {
            "why": code,
            "jobs": counts[code],
            "retry_at": None if first is None else format_instant(first),
        }
        reasons.append(Reason("not_available", facts))
    known = retry[retry != NEVER]
    lapses = [int(known.min())] if len(known) else []
    busy = _hourly_limit(case, bench, int(judged.at_risk[clear].sum()))
    if busy is not None:
        reasons.append(busy.reason)
        lapses += [busy.retry_at] if busy.retry_at is not None else []
    return _answer(case, bench, "refused", reasons, Instant(min(lapses)) if lapses else None)


def _free(trial: Trial) -> dict[str, object]:
    return {"free_gpus": gpus_text(trial.free_gpus)}


def _asked(case: Case) -> dict[str, object]:
    return {"gpus": gpus_text(case.job.gpus), "nodes": case.job.nodes, "block": case.demand.block}


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
