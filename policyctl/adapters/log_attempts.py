"""The attempts of one job in order: when each entered the queue, since when the job waits, when it was preempted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from policyctl.adapters.log_record import LogRecord
from policyctl.model.jobs import Outcome
from policyctl.units import Instant

__all__ = ["Lived", "lived"]

_NEVER = 2**62


@dataclass(frozen=True, slots=True, kw_only=True)
class Lived:
    """A record with its place among the attempts of its job.

    `entered` is when this attempt began to wait: Slurm resets the time of submission when it requeues a job, other
    logs repeat the first. `first` is the job's first submission, from which its wait counts.
    """

    record: LogRecord
    id: str
    entered: Instant
    first: Instant
    preemptions: tuple[Instant, ...] = ()


def lived(records: Sequence[LogRecord]) -> list[Lived]:
    """Return every record with its place; ids carry the cluster where the log has more than one.

    Attempts of one job have one user: counters of ids begin again, and the next job of that id is somebody else's.
    """
    several = len({record.cluster for record in records}) > 1
    ids = [f"{record.cluster}/{record.id}" if several else record.id for record in records]
    times = Counter(ids)
    alone: list[Lived] = []
    together: dict[tuple[str, str], list[LogRecord]] = {}
    for record, name in zip(records, ids, strict=True):
        if times[name] == 1:
            alone.append(Lived(record=record, id=name, entered=record.submit, first=record.submit))
        else:
            together.setdefault((name, record.user), []).append(record)
    for (name, _), attempts in together.items():
        alone += _in_turn(name, attempts)
    return sorted(alone, key=lambda one: one.record.number)


def _in_turn(name: str, attempts: Iterable[LogRecord]) -> list[Lived]:
    ordered = sorted(attempts, key=_turn)
    first = min(record.submit for record in ordered)
    preempted: list[Instant] = []
    found: list[Lived] = []
    entered = first
    for record in ordered:
        entered = max(record.submit, entered)
        found.append(
            Lived(record=record, id=name, entered=entered, first=first, preemptions=tuple(preempted))
        )
        if record.end is not None:
            entered = max(entered, record.end)
            if record.outcome is Outcome.PREEMPTED:
                preempted.append(record.end)
    return found


def _turn(record: LogRecord) -> tuple[int, int, int]:
    begins = record.start if record.start is not None else record.end if record.end is not None else _NEVER
    return begins, record.submit, record.number
