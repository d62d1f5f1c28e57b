"""What a log became as a workload: where every job went, in lines that add up."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["render"]

_FATES = (
    ("tasks", "became tasks"),
    ("outside_range", "submitted outside of the range: left out"),
    ("without_gpus", "without GPUs: left out"),
    ("never_ran", "never ran: left out"),
    ("no_time", "ran for no time at all: left out"),
    ("without_pool", "on no pool: left out"),
)
_OF_THOSE = (
    ("repeated_runs", "runs were taken away, their work was done again by a later one"),
    ("longer_limits", "time limits were raised to what the job really ran"),
    ("provisional", "runs had not ended: their work is what the log saw of it"),
    ("default_account", "tasks on the map's default account"),
    ("default_pool", "tasks on the map's default pool"),
    ("default_user", "tasks without a user"),
)


def render(counts: Mapping[str, int]) -> str:
    """Write what became of the jobs of a log, by the names of its counts."""
    size = max(len(f"{number:,}") for number in counts.values())
    lines = [f"{counts['records']:>{size},} jobs and attempts", f"{counts['jobs']:>{size},} jobs"]
    lines += [f"  {counts[name]:>{size},} {told}" for name, told in _FATES if counts[name]]
    lines += [f"    of those, {counts[name]:,} {told}" for name, told in _OF_THOSE if counts[name]]
    return "\n".join(lines) + "\n"
