"""What one answer about jobs saw hold and not hold: rules of caps, defaults, guards, limits and exceptions."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Literal, assert_never

import numpy as np
import numpy.typing as npt

from policyctl.decide.preempt import Preemptor
from policyctl.decide.protection import Protection, protect
from policyctl.decide.situation import Situation
from policyctl.decide.table import rule_columns, table_of
from policyctl.expr.evaluate import evaluate
from policyctl.model.decisions import Authorization, VictimVerdict
from policyctl.model.jobs import Job
from policyctl.model.policy import (
    Freeze,
    Policy,
    PolicyException,
    ProtectionCap,
    ProtectionGrant,
    ShareGrant,
    Suspension,
)
from policyctl.model.tree import ancestors
from policyctl.testing.answered import AboutJobs
from policyctl.testing.case import Seen

__all__ = ["Kind", "Sighting", "of_jobs"]

Kind = Literal["cap", "default", "guard", "limit", "exception", "approval", "unless", "gate"]
Sighting = tuple[Kind, str, bool]
_NO_CLAIM = frozenset({"preemptor_opportunistic", "preemptor_not_pending"})
_NOT_THERE = frozenset({"unknown_victim", "victim_not_running", "other_pool"})
_LIMITS = {"perJob": "per_job_limit", "perPool": "pool_hourly_limit"}


def of_jobs(policy: Policy, about: AboutJobs, facts: Mapping[str, Seen]) -> Iterator[Sighting]:
    """Yield each condition that the answer had to ask, with its truth."""
    if about.jobs:
        yield from _caps(policy, about)
    yield from _victims(policy, about)
    yield from _overdraft(about, facts)
    for exception in policy.exceptions:
        if _concerns(exception, about):
            yield "exception", exception.name, exception.period.in_force(about.situation.now)


def _caps(policy: Policy, about: AboutJobs) -> Iterator[Sighting]:
    jobs, now = about.jobs, about.situation.now
    at = np.array([now if job.start is None else job.start for job in jobs], dtype=np.int64)
    bought = protect(policy, table_of(jobs), np.arange(len(jobs)), at)
    line = 0
    for cap in policy.caps:
        below = [row for row, job in enumerate(jobs) if cap.account in ancestors(job.account)]
        line += len(cap.rules)
        if below:
            yield from _rules(cap, [jobs[row] for row in below], at[below])
            yield from _default(cap, line, bought, [(row, jobs[row]) for row in below])
        line += 1


def _rules(cap: ProtectionCap, jobs: Sequence[Job], at: npt.NDArray[np.int64]) -> Iterator[Sighting]:
    table = table_of(jobs)
    left = np.arange(len(jobs))
    for rule in cap.rules:
        if not len(left):
            return
        truth = evaluate(rule.when.tree, rule_columns(table, left, at[left]))
        holds, fails = truth.values & ~truth.faults, ~truth.values & ~truth.faults
        name = f"{cap.name}/{rule.name}"
        if holds.any():
            yield "cap", name, True
        if fails.any():
            yield "cap", name, False
        left = left[fails]


def _default(
    cap: ProtectionCap, line: int, bought: Protection, jobs: Sequence[tuple[int, Job]]
) -> Iterator[Sighting]:
    """See the default of a cap hold where it leaves a job less than it declares; `line` is its number among all."""
    if cap.default is None:
        return
    for row, job in jobs:
        if job.min_runtime > 0 and row not in bought.faults:
            binds = int(bought.bound[row]) == line and int(bought.seconds[row]) < job.min_runtime
            yield "default", cap.name, binds


def _victims(policy: Policy, about: AboutJobs) -> Iterator[Sighting]:
    judged = about.judged
    if judged is None or _NO_CLAIM & {reason.code for reason in judged.reasons}:
        return
    there = [verdict for verdict in judged.victims if verdict.code not in _NOT_THERE]
    for verdict in there:
        said = {(reason.code, reason.facts.get("rule")) for reason in verdict.reasons}
        for guard in policy.preemption.guards:
            if ("rule_failed", guard.name) not in said:
                yield "guard", guard.name, ("guard", guard.name) in said
        for name, code in _LIMITS.items():
            yield "limit", name, (code, None) in said
    if policy.preemption.hysteresis:
        yield from _hysteresis(policy, about.situation, judged, there)


def _hysteresis(
    policy: Policy, situation: Situation, judged: Authorization, there: Sequence[VictimVerdict]
) -> Iterator[Sighting]:
    """See the margin hold where a victim is kept that would be taken without it."""
    plain = dataclasses.replace(policy.preemption, hysteresis=Fraction(0))
    without = Situation(dataclasses.replace(policy, preemption=plain), situation.state, situation.now)
    again = Preemptor(without).authorize(judged.job, [one.job for one in there])
    taken = {one.job for one in again.victims if _says(one, "still_behind") or one.outcome == "granted"}
    for one in there:
        if _says(one, "not_behind") and one.job in taken:
            yield "limit", "hysteresis", True
        elif _says(one, "still_behind"):
            yield "limit", "hysteresis", False


def _says(verdict: VictimVerdict, code: str) -> bool:
    return any(reason.code == code for reason in verdict.reasons)


def _overdraft(about: AboutJobs, facts: Mapping[str, Seen]) -> Iterator[Sighting]:
    """See the overdraft on jobs that wait: it stops new protection, and never touches a job that runs."""
    waiting = {job.id for job in about.jobs if job.start is None}
    for path, seen in facts.items():
        whose = path.partition(".")[2] if path.startswith("why.") else None
        if isinstance(seen, tuple) and waiting and (path == "reasons" or whose in waiting):
            if "overdraft" in seen:
                yield "limit", "overdraft", True
            elif "funded" in seen:
                yield "limit", "overdraft", False


def _concerns(exception: PolicyException, about: AboutJobs) -> bool:
    match exception.grant:
        case Freeze(pool=pool):
            return about.judged is not None and about.pool == pool
        case Suspension(account=account):
            return _below(about, account)
        case ProtectionGrant(account=account, job=identity):
            if account is not None:
                return _below(about, account)
            return any(job.id == identity for job in about.jobs)
        case ShareGrant(to=to, source=source):
            return about.everybody or _below(about, to) or _below(about, source)
        case _:
            assert_never(exception.grant)


def _below(about: AboutJobs, account: str) -> bool:
    return any(account in ancestors(job.account) for job in about.jobs)
