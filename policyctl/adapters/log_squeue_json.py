"""`squeue --json` to log records: the live queue, with the nodes that running jobs hold."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from policyctl.adapters.log_notes import BadRecord, LogNotes
from policyctl.adapters.log_record import LogRead, LogRecord
from policyctl.adapters.slurm_attempts import Attempt, settle
from policyctl.adapters.slurm_json import instant_in, job_list, limit_in, number_in, text_in, words_in
from policyctl.adapters.slurm_rows import Row, Rows, mapping_of
from policyctl.adapters.slurm_words import Tres, array_tasks, host_names, outcome_of, parse_tres
from policyctl.units import MilliGpu

__all__ = ["read_squeue_json"]

_GRES = re.compile(r"(?:gres[:/])?gpu(?::[^:(,]+)?:(\d{1,6})(?:\(.*)?", re.ASCII)


def read_squeue_json(data: bytes, *, file: str, tres: Mapping[str, str] | None = None) -> LogRead:
    """Read what `squeue --json` printed; ended jobs that Slurm still remembers are past runs.

    Raises NoAnswer for text that is not that.
    """
    notes = LogNotes(file)
    rows = Rows(notes=notes)
    reader = _Reader(rows=rows, tres=dict(tres or {}))
    return rows.read(job_list(data, file=file, notes=notes), reader.row)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reader:
    """One entry to one attempt."""

    rows: Rows
    tres: dict[str, str]

    def row(self, value: object) -> Row | None:
        job = mapping_of(value)
        return Row(
            attempt=self._attempt(job), base=str(number_in(job, "array_job_id") or ""), tasks=_tasks(job)
        )

    def _attempt(self, job: Mapping[str, object]) -> Attempt:
        words = words_in(job.get("job_state"))
        settled = settle(
            outcome_of(words),
            start=instant_in(job, "start_time"),
            end=instant_in(job, "end_time"),
            elapsed=None,
        )
        submit, number = instant_in(job, "submit_time"), number_in(job, "job_id")
        if submit is None or number is None:
            raise BadRecord(
                "L002", "it has no time of submission" if submit is None else "it has no `job_id`"
            )
        used = self._tres(job, ran=settled.start is not None)
        declared = self.rows.declared(text_in(job, "comment"))
        het = number_in(job, "het_job_id") or 0
        gpus = used.gpus or MilliGpu(0)
        record = LogRecord(
            number=self.rows.number,
            line=1,
            id=str(number),
            cluster=text_in(job, "cluster"),
            user=text_in(job, "user_name"),
            group=text_in(job, "account"),
            partition=text_in(job, "partition"),
            qos=text_in(job, "qos"),
            name=text_in(job, "name"),
            array=_array(job),
            submit=submit,
            start=settled.start,
            end=settled.end,
            outcome=settled.outcome,
            state=words[0],
            gpus=gpus,
            gpus_counted=used.gpus is not None,
            processors=number_in(job, "cpus"),
            nodes=number_in(job, "node_count") or used.nodes,
            time_limit=limit_in(job, "time_limit"),
            priority=number_in(job, "priority"),
            resumable=job.get("requeue") is not False,
            declared=declared.min_runtime,
            kind=declared.kind or ("interactive" if job.get("batch_flag") is False else None),
            placement=_placement(job, gpus)
            if settled.start is not None and settled.outcome is None
            else None,
        )
        return Attempt(record=record, identity=str(number), part_of=str(het) if het else "")

    def _tres(self, job: Mapping[str, object], *, ran: bool) -> Tres:
        written = text_in(job, "tres_alloc_str") if ran else ""
        return self.rows.named(parse_tres(written or text_in(job, "tres_req_str"), self.tres))


def _array(job: Mapping[str, object]) -> str:
    base, task = number_in(job, "array_job_id"), number_in(job, "array_task_id")
    return f"{base}_{task}" if base and task is not None else ""


def _tasks(job: Mapping[str, object]) -> Sequence[int]:
    ranges = text_in(job, "array_task_string")
    waiting = ranges and number_in(job, "array_task_id") is None and number_in(job, "array_job_id")
    return array_tasks(ranges) if waiting else ()


def _placement(job: Mapping[str, object], gpus: MilliGpu) -> Mapping[str, MilliGpu] | None:
    """Return node and GPUs from `gres_detail`, which has one entry a node in the order of `nodes`.

    None where the two do not agree with each other or with the allocation.
    """
    details = job.get("gres_detail")
    names = host_names(text_in(job, "nodes"))
    if not isinstance(details, list) or len(details) != len(names) or not names:
        return None
    found = [_GRES.fullmatch(str(one)) for one in details]
    places = {name: MilliGpu(int(one[1]) * 1000) for name, one in zip(names, found, strict=True) if one}
    return places if len(places) == len(names) and sum(places.values()) == gpus else None
