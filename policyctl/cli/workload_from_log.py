"""`policyctl workload from-log`: what was submitted according to a scheduler's own log."""

from __future__ import annotations

import sys
from dataclasses import asdict
from fractions import Fraction
from pathlib import Path
from typing import Any

import click

from policyctl.adapters.log_formats import FORMATS, read_log
from policyctl.adapters.log_tasks import Habits
from policyctl.adapters.log_workload import WorkloadBuild, build_workload
from policyctl.cli import options
from policyctl.cli.log_input import read_map_file
from policyctl.cli.sources import load_policy
from policyctl.cli.workload_output import output_option, put
from policyctl.diagnostics import Report, ordered
from policyctl.errors import Exit, NothingVerified
from policyctl.render import workload_build_text
from policyctl.render.findings_text import render
from policyctl.units import BadQuantity, Instant, parse_duration, parse_instant, parse_rate, parse_share
from policyctl.workspace.files import read_bytes, write_beside

__all__ = ["from_log"]


def _scale(text: str) -> Fraction:
    scale = parse_rate(text)
    if 0 < scale <= 1000:
        return scale
    raise BadQuantity(f"`{text}` is not a factor", help="write a number above zero: `1.5`")


_duration = options.quantity(parse_duration)


@options.command(
    "from-log",
    examples=(
        "policyctl workload from-log --log jobs.swf.gz --log-format swf --map MAP.yaml -o workload.json.gz",
        "policyctl workload from-log --log sacct.psv --log-format sacct --map MAP.yaml --policy policies \\",
        "                            --from 2026-08-01T00:00:00Z --until 2026-09-01T00:00:00Z -o august.json",
        "policyctl workload from-log --log jobs.csv --log-format csv --map MAP.yaml --gpu-only --scale 1.5 -o more.json",
    ),
)
@click.option("--log", required=True, metavar="FILE", help="The export, gzip or not; `-` is standard input.")
@click.option("--log-format", required=True, type=click.Choice(list(FORMATS)), help="What the export is.")
@click.option(
    "--map", "map_file", required=True, metavar="FILE", help="How the log's words become accounts and pools."
)
@click.option(
    "--from",
    "since",
    callback=options.quantity(parse_instant),
    metavar="INSTANT",
    help="Only what was submitted from then on.",
)
@click.option(
    "--until",
    callback=options.quantity(parse_instant),
    metavar="INSTANT",
    help="Only what was submitted before.",
)
@click.option("--gpu-only", is_flag=True, help="Only jobs that have GPUs.")
@click.option(
    "--scale",
    callback=options.quantity(_scale),
    metavar="N",
    help="Let the jobs come N times as fast.  [default: 1]",
)
@click.option(
    "--checkpoint-every",
    callback=_duration,
    metavar="DURATION",
    help="How often jobs save.  [default: never]",
)
@click.option(
    "--save-time",
    callback=_duration,
    metavar="DURATION",
    help="The notice that one last save needs.  [default: they do not]",
)
@click.option(
    "--restart-overhead",
    callback=_duration,
    metavar="DURATION",
    help="What each restart costs.  [default: 0s]",
)
@click.option(
    "--restart-failure",
    callback=options.quantity(parse_share),
    metavar="PART",
    help="Restarts that fail.  [default: 0%]",
)
@click.option("--left-out", metavar="FILE", help="Where to list the jobs that become no task, as CSV.")
@options.policy_source
@output_option
@click.option("--strict", is_flag=True, help="Exit with 1, and write nothing, if any record is bad.")
@click.pass_context
def from_log(
    context: click.Context,
    /,
    *,
    policy: Path | None,
    bundle: str | None,
    left_out: str | None,
    output: str,
    strict: bool,
    **said: Any,
) -> None:
    """Write the jobs of a log as tasks: submitted when they were, with the work that their useful runs did.

    With a policy, only its pools are accepted. Jobs that never ran are counted, and listed with --left-out.
    """
    loaded = None if policy is None and bundle is None else load_policy(policy, bundle).policy
    capacity = None if loaded is None else {pool.name: pool.gpus for pool in loaded.pools}
    built, report = _built(capacity, **said)
    click.echo(render(report, colour=options.coloured(sys.stderr)), err=True, nl=False)
    click.echo(workload_build_text.render(asdict(built.counts)), err=True, nl=False)
    if strict and report.failed:
        click.echo("nothing was written", err=True)
        context.exit(Exit.FINDINGS)
    if left_out is not None:
        write_beside(Path(left_out), _listed(built))
    put(built.workload, output, capacity)


def _built(
    capacity: dict[str, int] | None,
    *,
    log: str,
    log_format: str,
    map_file: str,
    since: Instant | None,
    until: Instant | None,
    gpu_only: bool,
    scale: Fraction | None,
    **habits: Any,
) -> tuple[WorkloadBuild, Report]:
    """Read the log by its map, and make the workload of it."""
    log_map = read_map_file(map_file, capacity)
    name = "(standard input)" if log == "-" else log
    read = read_log(read_bytes(log), log_format=log_format, file=name, log_map=log_map)
    if not read.rows:
        raise NothingVerified(f"`{name}` holds no record", help="is it the export that was meant?")
    built = build_workload(
        read.records,
        log_map,
        since=since,
        until=until,
        scale=scale or Fraction(1),
        gpu_jobs_only=gpu_only,
        habits=Habits(**{field: value for field, value in habits.items() if value is not None}),
        pools=capacity,
        file=name,
    )
    return built, Report(findings=ordered((*read.findings, *built.findings)), files=1)


def _listed(built: WorkloadBuild) -> bytes:
    rows = [f"{one.number},{_cell(one.id)},{one.reason}" for one in built.left_out]
    return ("\n".join(["record,job,reason", *rows]) + "\n").encode()


def _cell(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if set(text) & set(',"\r\n') else text
