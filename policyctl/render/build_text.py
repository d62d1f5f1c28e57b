"""What an import made of a log: where every record went, in lines that add up."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

__all__ = ["render"]

_FATES = (
    ("queue", "waits in the queue", "wait in the queue"),
    ("running", "runs", "run"),
    ("usage", "ended: kept as usage", ""),
    ("before_window", "ended before the window: left out", ""),
    ("not_yet_submitted", "not yet submitted at the instant", ""),
    ("never_ran", "ended without ever running", ""),
    ("superseded", "superseded by another record of the same job", ""),
    ("without_pool", "on no pool: rejected", ""),
)
_ROWS = (
    ("expanded", "more job than rows: arrays were expanded", "more jobs than rows: arrays were expanded"),
    ("rejected", "row could not be read: rejected", "rows could not be read: rejected"),
    ("aside", "row is a step or the like: set aside", "rows are steps or the like: set aside"),
    ("repeated", "row repeats another: counted once", "rows repeat another: counted once"),
    ("merged", "row is part of another's job: merged", "rows are parts of another's job: merged"),
)
_OF_THOSE = (
    ("default_account", "on the map's default account", ""),
    ("default_pool", "on the map's default pool", ""),
    ("default_user", "without a user", ""),
    ("without_gpus", "without GPUs", ""),
    ("provisional", "running with no end in the log", ""),
)


def render(rows: Mapping[str, int], counts: Mapping[str, int], *, output: str | None) -> str:
    """Write what became of the rows, then of the records; `output` names the file written, None where none was."""
    size = max(len(f"{number:,}") for number in (*counts.values(), *rows.values()))
    lines = [f"{rows['rows']:>{size},} {_form(rows['rows'], 'row', 'rows')}"]
    lines += [f"  {number:>{size},} {told}" for number, told in _told(rows, _ROWS)]
    jobs = _form(counts["records"], "job or attempt", "jobs and attempts")
    lines.append(f"{counts['records']:>{size},} {jobs}")
    lines += [f"  {number:>{size},} {told}" for number, told in _told(counts, _FATES)]
    lines += [f"    of those in the state, {number:,} {told}" for number, told in _told(counts, _OF_THOSE)]
    lines.append(f"wrote {output}" if output else "nothing was written")
    return "\n".join(lines) + "\n"


def _told(numbers: Mapping[str, int], words: Sequence[tuple[str, str, str]]) -> Iterator[tuple[int, str]]:
    for name, one, several in words:
        if numbers[name]:
            yield numbers[name], _form(numbers[name], one, several or one)


def _form(number: int, one: str, several: str) -> str:
    return one if number == 1 else several
