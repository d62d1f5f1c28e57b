"""The direction of preemptability: whether any preemption could be permitted that was not before."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from policyctl.check.conditions import implies, read_condition
from policyctl.diff.directions import Step
from policyctl.diff.spans import Span
from policyctl.model.change import Direction, Example, RightKind
from policyctl.model.policy import Freeze, Guard, Policy, Preemption
from policyctl.units import format_duration, format_percent

__all__ = ["brake_steps", "freeze_steps"]

_NONE = "none"
_UNLIMITED = "unlimited"


def brake_steps(base: Policy, head: Policy) -> Iterator[Step]:
    """Return the direction of each brake, at the account `/`, for which they all hold."""
    one, other = base.preemption, head.preemption
    if one.hysteresis != other.hysteresis:
        yield _step(
            _toward(more_brake=other.hysteresis > one.hysteresis),
            ("hysteresis", format_percent(one.hysteresis), format_percent(other.hysteresis)),
        )
    if one.notice != other.notice:
        yield _step(
            _toward(more_brake=other.notice > one.notice),
            ("notice", format_duration(one.notice), format_duration(other.notice)),
        )
    if one.per_job != other.per_job:
        yield _step(_per_job(one, other), ("perJob", _per_job_text(one), _per_job_text(other)))
    if one.max_gpu_hours_per_hour != other.max_gpu_hours_per_hour:
        yield _step(_per_pool(one, other), ("perPool", _per_pool_text(one), _per_pool_text(other)))
    yield from _guards(one.guards, other.guards)


def _toward(*, more_brake: bool) -> Direction:
    return Direction.TIGHTENS if more_brake else Direction.LOOSENS


def _step(direction: Direction, values: tuple[str, str, str]) -> Step:
    what, before, after = values
    return Step(
        account="/",
        kind=RightKind.PREEMPTABILITY,
        direction=direction,
        example=Example(what=what, before=before, after=after),
    )


def _per_job(one: Preemption, other: Preemption) -> Direction:
    before, after = one.per_job, other.per_job
    if before is None or after is None:
        return _toward(more_brake=before is None)
    if after.max >= before.max and after.within <= before.within:
        return Direction.LOOSENS
    if after.max <= before.max and after.within >= before.within:
        return Direction.TIGHTENS
    return Direction.INCOMPARABLE


def _per_job_text(one: Preemption) -> str:
    return (
        _UNLIMITED if one.per_job is None else f"{one.per_job.max} in {format_duration(one.per_job.within)}"
    )


def _per_pool(one: Preemption, other: Preemption) -> Direction:
    before, after = one.max_gpu_hours_per_hour, other.max_gpu_hours_per_hour
    if before is None or after is None:
        return _toward(more_brake=before is None)
    return _toward(more_brake=after < before)


def _per_pool_text(one: Preemption) -> str:
    return _UNLIMITED if one.max_gpu_hours_per_hour is None else _ratio(one.max_gpu_hours_per_hour)


def _ratio(value: Fraction) -> str:
    return str(value)


def _guards(before: tuple[Guard, ...], after: tuple[Guard, ...]) -> Iterator[Step]:
    """Compare what guards deny: one that no guard of the other side certainly covers is new, or is gone."""
    gone = [one for one in before if not _covered(one, after)]
    new = [one for one in after if not _covered(one, before)]
    undecided = _rewritten(gone, new)
    for one in gone:
        direction = Direction.INCOMPARABLE if one.name in undecided else Direction.LOOSENS
        yield _step(direction, (f"guard {one.name}", one.when.source, _now(one, after)))
    for one in new:
        if one.name not in undecided:
            yield _step(Direction.TIGHTENS, (f"guard {one.name}", _now(one, before), one.when.source))


def _covered(one: Guard, others: tuple[Guard, ...]) -> bool:
    condition = read_condition(one.when.tree)
    return any(
        one.when.tree == other.when.tree or implies(condition, read_condition(other.when.tree))
        for other in others
    )


def _rewritten(gone: list[Guard], new: list[Guard]) -> set[str]:
    """Return the guards that deny something else under the same name: neither side contains the other."""
    return {one.name for one in gone} & {one.name for one in new}


def _now(one: Guard, others: tuple[Guard, ...]) -> str:
    return next((other.when.source for other in others if other.name == one.name), _NONE)


def freeze_steps(base: Policy, head: Policy, over: tuple[Span, ...]) -> Iterator[Step]:
    """Return the direction of freezes, pool by pool, at every instant."""
    for span in over:
        before, after = (_frozen(policy, span) for policy in (base, head))
        for pool in sorted(before ^ after):
            yield Step(
                account="/",
                kind=RightKind.PREEMPTABILITY,
                direction=_toward(more_brake=pool in after),
                example=Example(
                    pool=pool,
                    at=span.at,
                    what="freeze",
                    before="frozen" if pool in before else _NONE,
                    after="frozen" if pool in after else _NONE,
                ),
            )


def _frozen(policy: Policy, span: Span) -> set[str]:
    return {
        one.grant.pool
        for one in policy.exceptions
        if isinstance(one.grant, Freeze) and one.period.in_force(span.at)
    }
