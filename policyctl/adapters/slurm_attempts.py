"""Attempts as Slurm reports them: settled by their state, counted once, heterogeneous parts put together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from policyctl.adapters.log_notes import BadRecord, LogNotes
from policyctl.adapters.log_record import LogRecord
from policyctl.adapters.slurm_words import LONGEST, Phase
from policyctl.model.jobs import Outcome
from policyctl.units import Instant, MilliGpu, Seconds, format_instant, parse_duration

__all__ = ["NO_PROOF", "Attempt", "Declared", "Gathered", "Settled", "declared_in", "gather", "settle"]


NO_PROOF = "sacct cannot show that a job was never preempted: preemption by suspension leaves no record"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """When an attempt ran and how it ended, by the rules of LogRecord."""

    start: Instant | None
    end: Instant | None
    outcome: Outcome | None


def settle(
    state: Outcome | Phase, *, start: Instant | None, end: Instant | None, elapsed: Seconds | None
) -> Settled:
    """Let the state decide which of the times mean something.

    Pending attempts have neither (Slurm prints an estimate), running ones no end (it prints the limit or the start
    again). Raises BadRecord where an ended attempt ends before it starts, or nobody can say when.
    """
    if state is Phase.PENDING or (state is Phase.RUNNING and start is None):
        return Settled(start=None, end=None, outcome=None)
    if isinstance(state, Phase):
        return Settled(start=start, end=None, outcome=None)
    if start is None:
        return Settled(start=None, end=end, outcome=state)
    if end is None:
        if elapsed is None:
            raise BadRecord("L003", f"it ended as `{state.value}`, and the log does not say when")
        if elapsed > LONGEST:
            raise BadRecord("L003", f"it ran for `{elapsed}` seconds, which is more than 100 years")
        end = Instant(start + elapsed)
    if end < start:
        raise BadRecord(
            "L003", f"it ends at `{format_instant(end)}`, before its start at `{format_instant(start)}`"
        )
    return Settled(start=start, end=end, outcome=state)


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """A record with what tells it from others: the database's own number, the heterogeneous job it is part of."""

    record: LogRecord
    identity: str
    part_of: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """Records, and how many rows were repetitions or parts of another."""

    records: tuple[LogRecord, ...]
    repeated: int
    merged: int


def gather(attempts: Iterable[Attempt], notes: LogNotes) -> Gathered:
    """Count every attempt once, and put the components of heterogeneous jobs together.

    An export that holds a row twice, or two exports of different days one after the other, bills nothing twice: of
    rows with equal cluster, identity and start (or submission, where they have no start) the one that knows more
    stays, and a pending row goes when another row of the same submission ran.
    """
    known: dict[tuple[str, str, Instant | None, Instant], Attempt] = {}
    repeated = 0
    for one in attempts:
        start = one.record.start
        key = (one.record.cluster, one.identity, start, one.record.submit if start is None else start)
        before = known.get(key)
        if before is None:
            known[key] = one
            continue
        repeated += 1
        kept, left = sorted((before, one), key=lambda two: _knowledge(two.record))[::-1]
        known[key] = kept
        _note_repeated(left.record, notes)
    settled = _without_overtaken(list(known.values()), notes)
    repeated += len(known) - len(settled)
    records = _merged(settled, notes)
    return Gathered(
        records=tuple(sorted(records, key=lambda record: record.number)),
        repeated=repeated,
        merged=len(settled) - len(records),
    )


def _knowledge(record: LogRecord) -> tuple[object, ...]:
    return (
        record.outcome is not None,
        record.end or -1,
        record.gpus,
        record.state,
        record.user,
        record.group,
        -record.number,
    )


def _note_repeated(record: LogRecord, notes: LogNotes) -> None:
    notes.count(
        "L013",
        "{count} present more than once and counted once: {which}",
        number=record.number,
        line=record.line,
    )


def _without_overtaken(attempts: list[Attempt], notes: LogNotes) -> list[Attempt]:
    ran = {
        (one.record.cluster, one.record.id, one.record.submit)
        for one in attempts
        if one.record.start is not None or one.record.outcome is not None
        if one.record.outcome is None or not one.record.outcome.taken_away
    }
    kept: list[Attempt] = []
    for one in attempts:
        record = one.record
        waiting = record.start is None and record.outcome is None
        if waiting and (record.cluster, record.id, record.submit) in ran:
            _note_repeated(record, notes)
        else:
            kept.append(one)
    return kept


def _merged(attempts: list[Attempt], notes: LogNotes) -> list[LogRecord]:
    whole: list[LogRecord] = [one.record for one in attempts if not one.part_of]
    parts: dict[tuple[str, str, Instant], list[LogRecord]] = {}
    for one in attempts:
        if one.part_of:
            parts.setdefault((one.record.cluster, one.part_of, one.record.submit), []).append(one.record)
    for (_, name, _), components in sorted(parts.items()):
        components.sort(key=lambda record: record.number)
        whole.append(_together(name, components))
        for extra in components[1:]:
            notes.count(
                "L022",
                "{count} joined to the heterogeneous job they are part of: {which}",
                number=extra.number,
                line=extra.line,
            )
    return whole


def _together(name: str, components: list[LogRecord]) -> LogRecord:
    """Make one record of the components: it starts when all run, ends when the last ends, and holds all GPUs."""
    first = components[0]
    gpus = MilliGpu(sum(one.gpus for one in components))
    counted = any(one.gpus_counted for one in components)
    nodes = sum(one.nodes or 1 for one in components)
    starts = [one.start for one in components if one.start is not None]
    ends = [one.end for one in components if one.end is not None]
    running = [one for one in components if one.outcome is None]
    all_started = len(starts) == len(components)
    over = not running
    return replace(
        first,
        id=name,
        array="",
        gpus=gpus,
        gpus_counted=counted,
        nodes=nodes,
        start=max(starts) if all_started or (over and starts) else None,
        end=max(ends) if over and ends else None,
        outcome=first.outcome if over else None,
        state=(running or components)[0].state,
        placement=None,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """What a job's comment declares about it."""

    min_runtime: Seconds | None = None
    kind: Literal["batch", "interactive"] | None = None


def declared_in(comment: str) -> Declared:
    """Read `policyctl:min-runtime=30m;class=interactive`; other comments declare nothing.

    Raises BadQuantity for a minimum runtime that is not a duration.
    """
    if not comment.startswith("policyctl:"):
        return Declared()
    pairs = dict(item.partition("=")[::2] for item in comment.removeprefix("policyctl:").split(";"))
    written, word = pairs.get("min-runtime"), pairs.get("class")
    return Declared(
        min_runtime=None if written is None else parse_duration(written),
        kind="interactive" if word == "interactive" else "batch" if word == "batch" else None,
    )
