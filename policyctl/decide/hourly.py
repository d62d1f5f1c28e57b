"""The hourly limit: how much work one pool may lose to preemption within an hour."""

from __future__ import annotations

from policyctl.decide.case import Bench, Case
from policyctl.decide.choose import hourly_allowance
from policyctl.decide.judge import HOUR
from policyctl.decide.marks import Mark
from policyctl.decide.reasons import written
from policyctl.model.decisions import Reason
from policyctl.model.policy import place_of
from policyctl.units import Instant

__all__ = ["hourly_limit"]


def hourly_limit(case: Case, bench: Bench, at_risk: int) -> Mark | None:
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
        "written": written(place_of(preemption, "perPool.maxGpuHoursPerHour")),
    }
    return Mark(reason=Reason("pool_hourly_limit", facts), retry_at=retry)
