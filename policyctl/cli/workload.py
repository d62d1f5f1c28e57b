"""`policyctl workload`: the group of commands that make workloads."""

from __future__ import annotations

from typing import Final

import click

from policyctl.cli.lazy import Entry, LazyGroup

__all__ = ["TABLE", "workload"]

TABLE: Final = {
    "generate": Entry(
        "policyctl.cli.workload_generate:generate", "What a lab of a certain kind would submit, from a seed."
    ),
    "from-log": Entry(
        "policyctl.cli.workload_from_log:from_log", "What was submitted according to a job log."
    ),
}


@click.group("workload", cls=LazyGroup, table=TABLE)
def workload() -> None:
    """Make what a simulation runs: tasks with the work they have to do, and when they are submitted."""
