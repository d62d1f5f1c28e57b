"""What stands against preempting a running job, and when it can lapse."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from policyctl.model.decisions import Reason
from policyctl.units import Instant

__all__ = ["Mark", "lapse_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """One reason why a victim is not granted; `fault` marks an error rather than a refusal."""

    reason: Reason
    retry_at: Instant | None = None
    fault: bool = False


def lapse_of(marks: Sequence[Mark]) -> Instant | None:
    """Return when all marks can have lapsed, None where time alone does not lift one of them."""
    lapses = [mark.retry_at for mark in marks]
    known = [at for at in lapses if at is not None]
    return max(known) if known and len(known) == len(lapses) else None
