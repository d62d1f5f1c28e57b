"""The map beside a job log, as the commands that import logs take it."""

from __future__ import annotations

import sys
from collections.abc import Collection

import click

from policyctl.adapters.log_map import LogMap
from policyctl.adapters.log_map_read import read_map
from policyctl.cli import options
from policyctl.diagnostics import Report
from policyctl.errors import Exit
from policyctl.render.findings_text import render
from policyctl.workspace.files import read_bytes

__all__ = ["read_map_file"]


def read_map_file(source: str, pools: Collection[str] | None) -> LogMap:
    """Read a map; findings go to standard error, and with an error the command ends with exit code 1."""
    name = "(standard input)" if source == "-" else source
    text = read_bytes(source).decode(errors="replace")
    read = read_map(text, file=name, pools=pools)
    if read.findings:
        report = Report(findings=read.findings, files=1, sources={name: text})
        click.echo(render(report, colour=options.coloured(sys.stderr)), err=True, nl=False)
    if read.map is None:
        raise click.exceptions.Exit(Exit.FINDINGS)
    return read.map
