"""What a policy is compared with: first come first served, priority labels, hard partitions, plain fair share.

None of them preempts or protects. `labels` is what batch schedulers do with priorities: the first job of the line has a
place in time, and others pass it as long as it can start no later. Under all others the first job that fits starts, and
one that does not fit keeps its place and is passed. All jobs count as opportunistic, as nobody granted them anything.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from policyctl.decide.live import LivePool
from policyctl.model.jobs import Job
from policyctl.model.policy import Charge, Policy, Pool, ShareGrant, SlidingWindow, Window
from policyctl.sim.baseline_backfill import BackfillLane
from policyctl.sim.baseline_order import OrderedLane, by_label, by_submission
from policyctl.sim.baseline_partitions import PartitionLane
from policyctl.sim.lane import Lane
from policyctl.sim.replay import MakeLane
from policyctl.units import Instant, Seconds

__all__ = ["BASELINES", "fairshare", "fifo", "labels", "labels_first_fit", "partitions"]

_HALF_LIFE = Seconds(7 * 86_400)
_HALVES_KEPT = 8


def fifo(policy: Policy, pool: Pool, jobs: Sequence[Job], start: Instant) -> Lane:  # noqa: ARG001 - a MakeLane
    """Order by submission alone."""
    return OrderedLane(jobs, by_submission)


def labels(policy: Policy, pool: Pool, jobs: Sequence[Job], start: Instant) -> Lane:  # noqa: ARG001 - a MakeLane
    """Order by the priority that users put on their jobs, then by submission; backfill by time limits."""
    return BackfillLane(jobs, by_label)


def labels_first_fit(policy: Policy, pool: Pool, jobs: Sequence[Job], start: Instant) -> Lane:  # noqa: ARG001 - a MakeLane
    """Order by the priority that users put on their jobs, then by submission; a job that does not fit is passed."""
    return OrderedLane(jobs, by_label)


def partitions(policy: Policy, pool: Pool, jobs: Sequence[Job], start: Instant) -> Lane:
    """Give every program its share of the GPUs and no more, in order of submission within."""
    return PartitionLane(policy, pool, jobs, start)


def fairshare(policy: Policy, pool: Pool, jobs: Sequence[Job], start: Instant) -> Lane:
    """Order by decayed fair share: the shares of the policy, every GPU-second charged alike, nothing protected."""
    plain = [replace(job, min_runtime=Seconds(0)) for job in jobs]
    return LivePool(_only_shares(policy), pool, plain, start)


def _only_shares(policy: Policy) -> Policy:
    accounting = policy.accounting
    charge = Charge(opportunistic=Fraction(1))
    return replace(
        policy,
        accounting=replace(
            accounting, charge=charge, window=_decaying(accounting.window), credit_limit=None, overdraft=None
        ),
        caps=(),
        preemption=replace(policy.preemption, guards=()),
        exceptions=tuple(one for one in policy.exceptions if isinstance(one.grant, ShareGrant)),
    )


def _decaying(window: Window) -> SlidingWindow:
    """Return a window that forgets gradually: the policy's own, half as long, or a week as schedulers come set up."""
    if isinstance(window, SlidingWindow):
        half = window.half_life or Seconds(max(1, window.length // 2))
        return SlidingWindow(length=window.length, half_life=half)
    return SlidingWindow(length=Seconds(_HALF_LIFE * _HALVES_KEPT), half_life=_HALF_LIFE)


BASELINES: Mapping[str, MakeLane] = {
    "fifo": fifo,
    "labels": labels,
    "labels-first-fit": labels_first_fit,
    "partitions": partitions,
    "fairshare": fairshare,
}
"""Makers of lanes by the name under which the command line knows them."""
