"""Values in Slurm's JSON, whose shapes changed between versions, read the same way whatever the version."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from policyctl.adapters.json_text import NumberText, read_json
from policyctl.adapters.log_notes import BadRecord, LogNotes
from policyctl.adapters.slurm_times import epoch_instant
from policyctl.adapters.slurm_words import bounded_limit, set_number
from policyctl.errors import NoAnswer
from policyctl.units import Instant, Seconds

_WHOLE = re.compile(r"-?\d{1,20}", re.ASCII)

__all__ = ["instant_in", "job_list", "limit_in", "mapping_in", "number_in", "text_in", "words_in"]


def job_list(data: bytes, *, file: str, notes: LogNotes) -> Iterator[tuple[int, str, object]]:
    """Return the entries of `jobs` as line, path and value; notes the errors that Slurm itself wrote beside them.

    Raises NoAnswer for text that is not an object with a list `jobs`.
    """
    value = _document(data, file)
    errors = value.get("errors")
    for one in errors if isinstance(errors, list) else ():
        said = text_in(one, "description") or text_in(one, "error") if isinstance(one, dict) else str(one)
        notes.say(
            "L023",
            f"the export says: `{said[:120] or 'an error without words'}`",
            help="the list may be incomplete",
        )
    jobs = value.get("jobs")
    if not isinstance(jobs, list):
        raise NoAnswer(
            f"{file}: there is no list `jobs`", help="export with `sacct --json` or `squeue --json`"
        )
    return ((1, f"jobs[{index}]", job) for index, job in enumerate(jobs))


def _document(data: bytes, file: str) -> dict[str, object]:
    _, value = read_json(data.decode("utf-8-sig", errors="replace").encode(), file=file)
    if not isinstance(value, dict):
        raise NoAnswer(
            f"{file}: the export is not a JSON object", help="export with `sacct --json` or `squeue --json`"
        )
    return value


def mapping_in(record: Mapping[str, object], name: str) -> Mapping[str, object]:
    """Return a nested object, empty where there is none."""
    value = record.get(name)
    return value if isinstance(value, dict) else {}


def text_in(record: Mapping[str, object], name: str) -> str:
    """Return a text, empty for null."""
    value = record.get(name)
    return str(value) if isinstance(value, (str, int)) and not isinstance(value, bool) else ""


def number_in(record: Mapping[str, object], name: str) -> int | None:
    """Return `5` of `5`, of `{"set": true, "infinite": false, "number": 5}` and of `"5"`; None where it is not set."""
    value = record.get(name)
    if isinstance(value, dict):
        if value.get("set") is False or value.get("infinite") is True:
            return None
        value = value.get("number")
    if value is None or value == "" or isinstance(value, bool):
        return None
    if isinstance(value, (int, NumberText, str)):
        written = str(value).removesuffix(".0")
        if _WHOLE.fullmatch(written):
            return set_number(int(written))
    raise BadRecord("L002", f"`{str(value)[:40]}` is not a number in `{name}`")


def instant_in(record: Mapping[str, object], name: str) -> Instant | None:
    """Return Unix seconds as an instant; None for 0, 4294967294 and 4294967295."""
    return epoch_instant(number_in(record, name))


def limit_in(record: Mapping[str, object], name: str) -> Seconds | None:
    """Return a limit in minutes as seconds, None without one."""
    minutes = number_in(record, name)
    return None if minutes is None else bounded_limit(minutes * 60)


def words_in(value: object) -> list[str]:
    """Return the words of a state: of `"RUNNING"` and of `["RUNNING", "COMPLETING"]`."""
    if isinstance(value, str):
        return value.upper().split()[:1]
    if isinstance(value, list):
        return [str(word).upper() for word in value]
    raise BadRecord("L004", "the state is neither a word nor a list of words")
