"""What an import made of a log: where every record went, in lines that add up."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["render"]

_FATES = (
    ("queue", "wait in the queue"),
    ("running", "run"),
    ("usage", "ended: kept as usage"),
    ("before_window", "ended before the window: left out"),
    ("not_yet_submitted", "not yet submitted at the instant"),
    ("never_ran", "ended without ever running"),
    ("superseded", "superseded by another record of the same job"),
    ("without_pool", "on no pool: rejected"),
)
_ROWS = (
    ("expanded", "more jobs than rows: arrays were expanded"),
    ("rejected", "rows could not be read: rejected"),
    ("aside", "rows are steps or the like: set aside"),
    ("repeated", "rows repeat another: counted once"),
    ("merged", "rows are parts of one job: merged"),
)
_OF_THOSE = (
    ("default_account", "on the map's default account"),
    ("default_pool", "on the map's default pool"),
    ("default_user", "without a user"),
    ("without_gpus", "without GPUs"),
    ("provisional", "running with no end in the log"),
)


def render(rows: Mapping[str, int], counts: Mapping[str, int], *, output: str | None) -> str:
    """Write what became of the rows, then of the records; `output` names the file written, None where none was."""
    size = max(len(f"{number:,}") for number in (*counts.values(), *rows.values()))
    lines = [f"{rows['rows']:>{size},} rows"]
    lines += [f"  {rows[name]:>{size},} {told}" for name, told in _ROWS if rows[name]]
    lines.append(f"{counts['records']:>{size},} jobs and attempts")
    lines += [f"  {counts[name]:>{size},} {told}" for name, told in _FATES if counts[name]]
    lines += [
        f"    of those in the state, {counts[name]:,} {told}" for name, told in _OF_THOSE if counts[name]
    ]
    lines.append(f"wrote {output}" if output else "nothing was written")
    return "\n".join(lines) + "\n"
