"""A workload to its file, and what is in it to standard error."""

from __future__ import annotations

import gzip
from pathlib import Path

import click

from policyctl.adapters.workload_json import write_workload
from policyctl.model.workload import Workload
from policyctl.render import workload_text
from policyctl.workspace.files import write_beside

__all__ = ["output_option", "put"]

output_option = click.option(
    "-o",
    "--output",
    required=True,
    metavar="FILE",
    help="Where to write the workload, packed if the name ends in `.gz`; `-` is standard output.",
)


def put(workload: Workload, output: str, capacity: dict[str, int] | None) -> None:
    """Write a workload and say what it asks for; `capacity` has the GPUs of each pool, None where no policy is given."""
    data = write_workload(workload)
    if output == "-":
        click.echo(data, nl=False)
    else:
        packed = gzip.compress(data, mtime=0) if output.endswith(".gz") else data
        write_beside(Path(output), packed)
    click.echo(workload_text.render(workload, capacity=capacity), err=True, nl=False)
    if output != "-":
        click.echo(f"wrote {output}", err=True)
