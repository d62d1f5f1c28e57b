"""A mix and a policy to a workload: the lab's days, the same bytes for the same seed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from policyctl.model.policy import Policy
from policyctl.model.workload import Stream, Task, Workload
from policyctl.sim.workloads.dice import Dice
from policyctl.sim.workloads.mix import LabMix
from policyctl.sim.workloads.people import hire
from policyctl.sim.workloads.rhythm import Rhythm
from policyctl.sim.workloads.submissions import Drawn, Submissions
from policyctl.units import Instant

__all__ = ["first_monday", "generate"]

_DAY = 86_400
_MORNING = 3600
_A_MONDAY = Instant(1_767_571_200)
"""2026-01-05T00:00:00Z."""


def generate(policy: Policy, mix: LabMix) -> Workload:
    """Return what a lab of this kind submits to the pools of a policy; accounts ask in proportion to their shares.

    Tasks come in the order of submission. Sessions follow the rhythm in a closed loop too: nobody queues them up.
    Raises UsageProblem where the policy and the mix do not go together.
    """
    people = hire(policy, mix)
    rhythm = Rhythm(mix)
    served = [pool for pool in policy.pools if any(one.wants.get(pool.name) for one in people)]
    drawn = [one for pool in served for one in Submissions(mix, pool, people, rhythm).drawn()]
    drawn.sort(key=lambda one: (one.task.job.submit, one.task.job.id))
    depth = mix.at_most if mix.queue_depth is None else mix.queue_depth
    queued = [one for one in drawn if depth is not None and one.task.job.kind == "batch"]
    walked_in = [one for one in drawn if depth is None or one.task.job.kind != "batch"]
    return Workload(
        start=mix.start,
        end=Instant(mix.start + mix.days * _DAY),
        tasks=tuple(one.task for one in walked_in),
        streams=() if depth is None else _streams(queued, mix, depth),
    )


def first_monday(policy: Policy) -> Instant:
    """Return the first Monday, in UTC, on which a budget divides the cluster: a start for who names none."""
    begins = [budget.period.start or _A_MONDAY for budget in policy.budgets if budget.account == "/"]
    first = max(_A_MONDAY, min(begins, default=_A_MONDAY))
    weeks = -(-(first - _A_MONDAY) // (7 * _DAY))
    return Instant(_A_MONDAY + weeks * 7 * _DAY)


def _streams(queued: Sequence[Drawn], mix: LabMix, depth: int) -> tuple[Stream, ...]:
    by_owner: dict[int, list[Task]] = {}
    for one in queued:
        by_owner.setdefault(one.owner, []).append(one.task)
    made: list[Stream] = []
    for owner in sorted(by_owner):
        first, tasks = mix.start, tuple(by_owner[owner])
        if mix.queue_depth is not None:
            first = Instant(mix.start + Dice(mix.seed, "first", owner).below(_MORNING))
            tasks = tuple(replace(task, job=replace(task.job, submit=first)) for task in tasks)
        made.append(Stream(tasks=tasks, depth=depth, first=first, pause=mix.pause))
    return tuple(made)
