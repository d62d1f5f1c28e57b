"""`policyctl compile`: a policy as one reproducible file."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from policyctl.bundle.decode import decode
from policyctl.bundle.encode import encode
from policyctl.cli import options
from policyctl.cli.sources import policy_files, show_findings
from policyctl.compile import compile_texts
from policyctl.errors import Exit
from policyctl.workspace.files import write_beside
from policyctl.workspace.history import Origin, provenance
from policyctl.workspace.shipped import schemas

__all__ = ["compile_"]


@options.command(
    "compile",
    examples=(
        "policyctl compile -o policy.bundle",
        "policyctl compile budgets/ -o policy.bundle",
        "policyctl compile -o - | policyctl bundle show -",
    ),
)
@options.policy_folder
@click.option(
    "-o", "--output", required=True, metavar="BUNDLE", help="The file to write; `-` is standard output."
)
@click.pass_context
def compile_(context: click.Context, folder: Path, output: str) -> None:
    """Write the policy in DIR (default: policies) as one file, the bundle.

    The same files at the same commit give the same bytes, on any machine, at any time: the clock is never read.
    Findings go to standard error; with an error nothing is written and the exit code is 1.
    """
    files = policy_files(folder)
    compiled = compile_texts(files, schemas(), now=None)
    if compiled.report.findings:
        show_findings(compiled.report, folder)
    if compiled.policy is None:
        context.exit(Exit.FINDINGS)
    origin = provenance(folder, files)
    data = encode(compiled.policy, origin.provenance)
    made = decode(data)  # what could not be read back is not written
    _write(output, data)
    _say_origin(origin)
    to_stderr = output == "-"
    click.echo(f"wrote {output}: {len(data):,} bytes from {len(files)} files", err=True)
    click.echo(f"meaning {made.meaning}\ndigest  {made.digest}", err=to_stderr)


def _write(output: str, data: bytes) -> None:
    if output == "-":
        sys.stdout.buffer.write(data)
    else:
        write_beside(Path(output), data)


def _say_origin(origin: Origin) -> None:
    if origin.no_commit:
        click.echo(f"note: the bundle names no commit: {origin.no_commit}", err=True)
    if origin.help:
        click.echo(f"help: {origin.help}", err=True)
    if origin.provenance.dirty:
        click.echo("note: the policy files differ from the commit that the bundle names", err=True)
