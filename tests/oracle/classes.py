"""Funded or opportunistic, and for how long protected: one job at a time, straight from the words."""

from __future__ import annotations

from dataclasses import dataclass

from policyctl.model.jobs import Job
from policyctl.model.policy import Policy, ProtectionCap, ProtectionGrant, Suspension
from tests.oracle.rules import CAP_RULES, Fault
from tests.oracle.shares import Standing, active, lineage, shares_at

__all__ = ["Verdict", "judge"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Why a job is not funded (empty if it is), and its protected seconds; `fault` names a rule without value."""

    reasons: tuple[str, ...]
    protected: int
    fault: str | None = None

    @property
    def funded(self) -> bool:
        """Say whether the job is funded."""
        return not self.reasons and self.fault is None


def judge(policy: Policy, pool: str, job: Job, now: int, *, overdrawn: frozenset[str]) -> Verdict:
    """Judge a job at its own start, or at `now` if it waits; `overdrawn` accounts only stop jobs that wait."""
    at = began = now if job.start is None else job.start
    standing = shares_at(policy, pool, at).get(job.account)
    if standing is None or not standing.stated:
        at = now
        standing = shares_at(policy, pool, now).get(job.account)
    reasons = _reasons(job, standing)
    if _suspended(policy, job, began):
        reasons.append("suspended")
    if job.start is None and job.account in overdrawn:
        reasons.append("overdraft")
    if reasons:
        return Verdict(reasons=tuple(reasons), protected=0)
    try:
        cap = _cap(policy, job, at)
    except Fault as fault:
        return Verdict(reasons=(), protected=0, fault=str(fault))
    granted = _granted(policy, job, at)
    limits: list[int] = [job.min_runtime]
    if cap is not None:
        limits.append(cap if granted is None else max(cap, granted))
    return Verdict(reasons=(), protected=min(limits))


def _reasons(job: Job, standing: Standing | None) -> list[str]:
    reasons = []
    if job.min_runtime == 0:
        reasons.append("declared_zero")
    if standing is None:
        reasons.append("unknown_account")
    elif not standing.leaf:
        reasons.append("inner_account")
    if standing is not None and standing.absolute == 0:
        reasons.append("zero_share")
    return reasons


def _suspended(policy: Policy, job: Job, at: int) -> bool:
    return any(
        isinstance(one.grant, Suspension)
        and active(one.period, at)
        and one.grant.account in lineage(job.account)
        for one in policy.exceptions
    )


def _cap(policy: Policy, job: Job, at: int) -> int | None:
    limits = [_limit(cap, job, at) for cap in policy.caps if cap.account in lineage(job.account)]
    known = [limit for limit in limits if limit is not None]
    return min(known) if known else None


def _limit(cap: ProtectionCap, job: Job, at: int) -> int | None:
    for rule in cap.rules:
        if CAP_RULES[rule.when.source](job, at):
            return rule.max_protected
    return cap.default


def _granted(policy: Policy, job: Job, at: int) -> int | None:
    grants = [
        one.grant.max_protected
        for one in policy.exceptions
        if isinstance(one.grant, ProtectionGrant)
        and active(one.period, at)
        and (one.grant.job == job.id or one.grant.account in lineage(job.account))
    ]
    return max(grants) if grants else None
