"""What is answered for one victim: granted, refused or an error, from the marks against it."""

from __future__ import annotations

from collections.abc import Sequence

from policyctl.decide.marks import Mark
from policyctl.diagnostics import nearest
from policyctl.model.decisions import Outcome, Reason, VictimVerdict
from policyctl.model.jobs import ClusterState, Job
from policyctl.units import Instant

__all__ = ["granted", "refused", "stranger"]


def granted(victim: Job, grant: Reason) -> VictimVerdict:
    """Grant a victim, for a reason."""
    return _verdict(victim.id, victim, (grant,), outcome="granted", code=grant.code)


def refused(victim: Job, marks: Sequence[Mark]) -> VictimVerdict:
    """Refuse a victim for its marks; where all of them are faults there is no answer."""
    return _marked(victim.id, victim, marks)


def stranger(state: ClusterState, identity: str, pool: str) -> VictimVerdict:
    """Answer for a victim that does not run in the pool."""
    found = next((job for job in state.jobs if job.id == identity), None)
    if found is None:
        close = nearest(
            identity, (job.id for job in state.jobs if job.pool == pool and job.start is not None)
        )
        unknown = Reason("unknown_victim", {"job": identity, "nearest": close})
        return _marked(identity, None, (Mark(reason=unknown, fault=True),))
    if found.start is None:
        return refused(found, (Mark(reason=Reason("victim_not_running")),))
    return refused(found, (Mark(reason=Reason("other_pool", {"pool": found.pool, "needed_in": pool})),))


def _marked(identity: str, victim: Job | None, marks: Sequence[Mark]) -> VictimVerdict:
    refusals = [mark for mark in marks if not mark.fault]
    deciding = refusals or list(marks)
    lapses = [mark.retry_at for mark in marks]
    known = [at for at in lapses if at is not None]
    return _verdict(
        identity,
        victim,
        tuple(mark.reason for mark in marks),
        outcome="refused" if refusals else "error",
        code=deciding[0].reason.code,
        retry_at=max(known) if known and len(known) == len(lapses) else None,
    )


def _verdict(
    identity: str,
    victim: Job | None,
    reasons: tuple[Reason, ...],
    *,
    outcome: Outcome,
    code: str,
    retry_at: Instant | None = None,
) -> VictimVerdict:
    return VictimVerdict(
        job=identity,
        account=None if victim is None else victim.account,
        user=None if victim is None else victim.user,
        gpus=None if victim is None else victim.gpus,
        outcome=outcome,
        code=code,
        retry_at=retry_at,
        reasons=reasons,
    )
