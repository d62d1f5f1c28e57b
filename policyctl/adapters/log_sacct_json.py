"""`sacct --json` to log records, in the shapes of 22.05 to 24.11."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from policyctl.adapters.log_notes import BadRecord, LogNotes
from policyctl.adapters.log_record import LogRead, LogRecord
from policyctl.adapters.slurm_attempts import NO_PROOF, Attempt, settle
from policyctl.adapters.slurm_json import (
    instant_in,
    job_list,
    limit_in,
    mapping_in,
    number_in,
    text_in,
    words_in,
)
from policyctl.adapters.slurm_rows import Row, Rows, mapping_of
from policyctl.adapters.slurm_words import Tres, array_tasks, outcome_of, parse_tres
from policyctl.model.jobs import Outcome
from policyctl.units import MilliGpu, Seconds

__all__ = ["read_sacct_json"]


def read_sacct_json(data: bytes, *, file: str, tres: Mapping[str, str] | None = None) -> LogRead:
    """Read what `sacct --json` printed; steps are inside their job there and never looked at.

    Raises NoAnswer for text that is not that.
    """
    notes = LogNotes(file)
    rows = Rows(notes=notes)
    notes.say("L015", NO_PROOF)
    reader = _Reader(rows=rows, tres=dict(tres or {}))
    return rows.read(job_list(data, file=file, notes=notes), reader.row)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reader:
    """One entry to one attempt."""

    rows: Rows
    tres: dict[str, str]

    def row(self, value: object) -> Row | None:
        job = mapping_of(value)
        if "group" in job and job["group"] is None:
            self.rows.note(
                "L006", "{count} without a group left out, for Slurm did not know the job any more: {which}"
            )
            return None
        return Row(
            attempt=self._attempt(job),
            base=str(number_in(mapping_in(job, "array"), "job_id") or ""),
            tasks=_tasks(job),
        )

    def _attempt(self, job: Mapping[str, object]) -> Attempt:
        time, state = mapping_in(job, "time"), mapping_in(job, "state")
        words = words_in(state.get("current"))
        elapsed = number_in(time, "elapsed")
        start, end = instant_in(time, "start"), instant_in(time, "end")
        outcome = outcome_of(words)
        if words == ["RESIZING"] and start is not None and end is not None and end > start:
            outcome = Outcome.REQUEUED
        settled = settle(outcome, start=start, end=end, elapsed=None if elapsed is None else Seconds(elapsed))
        submit = instant_in(time, "submission")
        number = number_in(job, "job_id")
        if submit is None or number is None:
            raise BadRecord(
                "L002", "it has no time of submission" if submit is None else "it has no `job_id`"
            )
        used = self._tres(mapping_in(job, "tres"), ran=settled.start is not None)
        declared = self.rows.declared(_comment(job.get("comment")))
        het = number_in(mapping_in(job, "het"), "job_id") or 0
        association = mapping_in(job, "association")
        record = LogRecord(
            number=self.rows.number,
            line=1,
            id=str(number),
            cluster=text_in(job, "cluster") or text_in(association, "cluster"),
            user=text_in(job, "user") or text_in(association, "user"),
            group=text_in(job, "account") or text_in(association, "account"),
            partition=text_in(job, "partition"),
            qos=text_in(job, "qos"),
            name=text_in(job, "name"),
            array=_array(mapping_in(job, "array")),
            submit=submit,
            start=settled.start,
            end=settled.end,
            outcome=settled.outcome,
            state=words[0],
            cancelled_by=text_in(job, "kill_request_user"),
            gpus=used.gpus or MilliGpu(0),
            gpus_counted=used.gpus is not None,
            processors=number_in(mapping_in(job, "required"), "CPUs"),
            nodes=(number_in(job, "allocation_nodes") or None) if settled.start is not None else used.nodes,
            time_limit=limit_in(time, "limit"),
            priority=number_in(job, "priority"),
            declared=declared.min_runtime,
            kind=declared.kind,
        )
        return Attempt(record=record, identity=str(number), part_of=str(het) if het else "")

    def _tres(self, tres: Mapping[str, object], *, ran: bool) -> Tres:
        used = _listed(tres.get("allocated"), self.tres) if ran else None
        if used is None or used.text == "":
            used = _listed(tres.get("requested"), self.tres)
        return self.rows.named(used.tres)


@dataclass(frozen=True, slots=True)
class _Listed:
    text: str
    tres: Tres


def _listed(entries: object, names: dict[str, str]) -> _Listed:
    """Read a list of TRES objects through the text form that sacct prints for the same."""
    items: list[str] = []
    for one in entries if isinstance(entries, list) else ():
        if not isinstance(one, dict):
            raise BadRecord("L002", "an entry of `tres` is not an object")
        kind, name, count = text_in(one, "type"), text_in(one, "name"), number_in(one, "count")
        if kind and count is not None:
            items.append(f"{kind}/{name}={count}" if name else f"{kind}={count}")
        elif count is not None:
            items.append(f"{text_in(one, 'id')}={count}")
    text = ",".join(items)
    return _Listed(text, parse_tres(text, names))


def _array(array: Mapping[str, object]) -> str:
    """Return `51_3` for a task, `51` for tasks that wait together, nothing for a job that is no array."""
    base = number_in(array, "job_id")
    if not base:
        return ""
    task = number_in(array, "task_id")
    return f"{base}" if task is None else f"{base}_{task}"


def _tasks(job: Mapping[str, object]) -> Sequence[int]:
    array = mapping_in(job, "array")
    ranges = text_in(array, "task")
    return (
        array_tasks(ranges)
        if ranges and number_in(array, "task_id") is None and number_in(array, "job_id")
        else ()
    )


def _comment(value: object) -> str:
    return text_in(value, "job") if isinstance(value, dict) else str(value or "")
