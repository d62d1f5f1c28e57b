"""Slurm's own spellings: job states, durations, TRES lists, array ranges, host lists, numbers that mean nothing."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

from policyctl.adapters.log_notes import BadRecord
from policyctl.model.jobs import Outcome
from policyctl.units import MilliGpu, Seconds

__all__ = [
    "LONGEST",
    "MOST_TASKS",
    "Phase",
    "Tres",
    "array_tasks",
    "bounded_limit",
    "host_names",
    "outcome_of",
    "parse_elapsed",
    "parse_limit",
    "parse_tres",
    "set_number",
    "state_word",
]


class Phase(Enum):
    """What a state word says of an attempt that has not ended."""

    PENDING = "pending"
    RUNNING = "running"


MOST_TASKS = 100_000
"""A row of a pending array that claims more tasks than this is refused."""

_NOT_SET = frozenset({2**32 - 1, 2**32 - 2, 2**63, 2**63 - 1, 2**64 - 1, 2**64 - 2})

_BEYOND = 10**12
LONGEST = 100 * 366 * 86_400
"""Seconds: no run and no limit of this world is longer."""
_MOST_GPUS = 10**9

_STATES: dict[str, Outcome | Phase] = {
    "PENDING": Phase.PENDING,
    "RUNNING": Phase.RUNNING,
    "SUSPENDED": Phase.RUNNING,
    "COMPLETED": Outcome.COMPLETED,
    "CANCELLED": Outcome.CANCELLED,
    "FAILED": Outcome.FAILED,
    "TIMEOUT": Outcome.TIMEOUT,
    "NODE_FAIL": Outcome.NODE_FAIL,
    "PREEMPTED": Outcome.PREEMPTED,
    "BOOT_FAIL": Outcome.BOOT_FAIL,
    "DEADLINE": Outcome.DEADLINE,
    "OUT_OF_MEMORY": Outcome.OUT_OF_MEMORY,
    "REQUEUED": Outcome.REQUEUED,
    "REVOKED": Outcome.CANCELLED,
    "LAUNCH_FAILED": Outcome.BOOT_FAIL,
    "RECONFIG_FAIL": Outcome.BOOT_FAIL,
    "CONFIGURING": Phase.RUNNING,
    "COMPLETING": Phase.RUNNING,
    "STAGE_OUT": Phase.RUNNING,
    "SIGNALING": Phase.RUNNING,
    "STOPPED": Phase.RUNNING,
    "RESIZING": Phase.RUNNING,
    "POWER_UP_NODE": Phase.RUNNING,
    "EXPEDITING": Phase.PENDING,
    "REQUEUE_FED": Phase.PENDING,
    "REQUEUE_HOLD": Phase.PENDING,
    "RESV_DEL_HOLD": Phase.PENDING,
    "SPECIAL_EXIT": Phase.PENDING,
}
_BASE = frozenset(list(_STATES)[:12])


def state_word(text: str) -> tuple[str, str]:
    """Return the state's word and who cancelled: `CANCELLED by 1004` is `CANCELLED` and `1004`."""
    word, _, rest = text.strip().partition(" ")
    return word.rstrip("+").upper(), rest.removeprefix("by ").strip()


def outcome_of(words: list[str]) -> Outcome | Phase:
    """Return what the words of one state say; the first that is not a flag decides.

    Raises BadRecord for a word that Slurm does not have: a guess would bill or forget a job.
    """
    for word in words:
        if word not in _STATES:
            raise BadRecord(
                "L004", f"`{word}` is not a state of Slurm", help="the record is left out; mend the export"
            )
    if not words:
        raise BadRecord("L004", "the state is empty", help="the record is left out; mend the export")
    return _STATES[next((word for word in words if word in _BASE), words[0])]


def set_number(value: int | None) -> int | None:
    """Return the number, or None for those that mean not set or without limit: 2^32-1, 2^32-2, 2^63 and the like.

    Raises BadRecord for numbers that count nothing in this world.
    """
    if value is None or value in _NOT_SET or value < 0:
        return None
    if value >= _BEYOND:
        raise BadRecord("L002", f"`{value}` is too large a number")
    return value


_CLOCK = re.compile(r"(?:(\d+)-)?(\d+)(?::(\d+))?(?::(\d+))?(?:\.\d+)?", re.ASCII)


def parse_elapsed(text: str) -> Seconds:
    """Read a time that passed: `1-02:24:13`, `22:32:22`, `01:05.753` (minutes and seconds), to the whole second."""
    found = _CLOCK.fullmatch(text)
    if found is None or len(text) > 32:
        raise BadRecord(
            "L002", f"`{text}` is not a duration of Slurm", help="write `[days-]hours:minutes:seconds`"
        )
    days, *parts = found.groups()
    numbers = [int(part) for part in parts if part is not None]
    if days is not None:
        numbers += [0] * (3 - len(numbers))
    elif len(numbers) == 1:
        raise BadRecord(
            "L002", f"`{text}` is a number without a unit", help="write `minutes:seconds` at least"
        )
    seconds = 0
    for number in numbers:
        seconds = seconds * 60 + number
    total = int(days or 0) * 86_400 + seconds
    if total > LONGEST:
        raise BadRecord("L002", f"`{text}` is longer than 100 years")
    return Seconds(total)


_NO_LIMIT = frozenset({"", "PARTITION_LIMIT", "UNLIMITED", "INVALID", "NONE", "UNKNOWN", "NOT_SET"})


def parse_limit(text: str) -> Seconds | None:
    """Read a time limit, where a bare number is minutes; None where it is not known or there is none."""
    plain = text.strip()
    if plain.upper() in _NO_LIMIT:
        return None
    if re.fullmatch(r"\d{1,20}", plain, re.ASCII):
        minutes = set_number(int(plain))
        return None if minutes is None else bounded_limit(minutes * 60)
    return parse_elapsed(plain)


def bounded_limit(seconds: int) -> Seconds | None:
    """Return a limit, or None for one of more than 100 years, which is none."""
    return Seconds(seconds) if seconds <= LONGEST else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tres:
    """The part of a TRES list that is read: GPUs (None where it counts none), nodes, and ids without a name."""

    gpus: MilliGpu | None
    nodes: int | None
    unnamed: tuple[str, ...]


_NAMED_BY_NUMBER = {
    "1": "cpu",
    "2": "mem",
    "3": "energy",
    "4": "node",
    "5": "billing",
    "6": "fs/disk",
    "7": "vmem",
    "8": "pages",
}


def parse_tres(text: str, names: dict[str, str]) -> Tres:
    """Read `cpu=4,gres/gpu=2,gres/gpu:h100=2` or `1=40,1001=4`; `names` names the site's own numbers.

    The entry without a type is the total, entries with a type are its parts and count only where there is no total.
    """
    total: int | None = None
    parts: int | None = None
    nodes: int | None = None
    unnamed: list[str] = []
    for item in filter(None, text.split(",")):
        key, equals, written = item.partition("=")
        key = names.get(key) or _NAMED_BY_NUMBER.get(key, key)
        if not equals:
            raise BadRecord(
                "L002", f"`{item[:40]}` is not an entry of a TRES list", help="write `name=count`"
            )
        if key.isdigit():
            unnamed.append(key)
        elif key == "gres/gpu":
            total = _tres_count(item, written)
        elif key.startswith("gres/gpu:"):
            parts = (parts or 0) + (_tres_count(item, written) or 0)
        elif key == "node":
            nodes = _tres_count(item, written)
    gpus = parts if total is None else total
    return Tres(gpus=None if gpus is None else MilliGpu(gpus * 1000), nodes=nodes, unnamed=tuple(unnamed))


def _tres_count(item: str, written: str) -> int | None:
    if not re.fullmatch(r"\d{1,20}", written, re.ASCII):
        raise BadRecord(
            "L002", f"`{item[:40]}` does not count anything", help="write `name=count` with a whole number"
        )
    count = set_number(int(written))
    if count is not None and count >= _MOST_GPUS:
        raise BadRecord("L002", f"`{item[:40]}` is too large a number")
    return count


_PIECE = re.compile(r"(\d+)(?:-(\d+)(?::(\d+))?)?", re.ASCII)


def array_tasks(text: str) -> list[int]:
    """Return the task numbers of `[2-7,12-17%4]` or `0-15:5`, in order; the limit after `%` is dropped."""
    tasks: set[int] = set()
    if "..." in text:
        way_out = "Slurm cut the range short: export with SLURM_BITSTR_LEN=0"
        raise BadRecord("L002", f"`{text[:40]}` does not name all its array tasks", help=way_out)
    for piece in text.strip("[]").partition("%")[0].split(","):
        found = _PIECE.fullmatch(piece.strip())
        if found is None or len(piece) > 32:
            raise BadRecord("L002", f"`{text[:40]}` is not a range of array tasks", help="write `[0-7,12%4]`")
        first, last, step = int(found[1]), int(found[2] or found[1]), int(found[3] or 1)
        if step == 0 or last < first or (last - first) // max(step, 1) >= MOST_TASKS:
            raise BadRecord("L002", f"`{text[:40]}` is not a range of at most {MOST_TASKS} array tasks")
        tasks.update(range(first, last + 1, step))
    return sorted(tasks)


_HOSTS = re.compile(r"([^,\[\]]+)(?:\[([\d,\-]+)\])?([^,\[\]]*)", re.ASCII)


def host_names(text: str) -> list[str]:
    """Return the nodes of a host list with at most one range a name, `n[1-3,07]`; empty for a form beyond that."""
    names: list[str] = []
    for item in re.split(r",(?![^\[]*\])", text):
        found = _HOSTS.fullmatch(item)
        if found is None:
            return []
        prefix, ranges, suffix = found.groups()
        for piece in (ranges or "").split(","):
            first, _, last = piece.partition("-")
            if not ranges:
                names.append(prefix + suffix)
            elif (
                not first.isdigit()
                or (last and not last.isdigit())
                or int(last or first) - int(first) > MOST_TASKS
            ):
                return []
            else:
                names += [
                    f"{prefix}{n:0{len(first)}d}{suffix}" for n in range(int(first), int(last or first) + 1)
                ]
    return names
