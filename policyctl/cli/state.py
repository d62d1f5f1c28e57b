"""`policyctl state`: the state of a cluster, made from a scheduler's own job log."""

from __future__ import annotations

import sys
from dataclasses import asdict, dataclass
from pathlib import Path

import click

from policyctl.adapters.log_accounts import stray_accounts
from policyctl.adapters.log_formats import FORMATS, read_log
from policyctl.adapters.log_map import LogMap
from policyctl.adapters.log_record import LogRead
from policyctl.adapters.log_state import StateBuild, build_state
from policyctl.adapters.state_json import write_state
from policyctl.cli import options
from policyctl.cli.log_input import read_map_file
from policyctl.cli.sources import load_policy
from policyctl.diagnostics import Finding, Report, ordered
from policyctl.errors import Exit, NothingVerified
from policyctl.ledger.window import lookback
from policyctl.model.policy import Policy
from policyctl.render import build_text
from policyctl.render.findings_text import render
from policyctl.units import Instant
from policyctl.workspace.files import read_bytes, write_beside

__all__ = ["state"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """What a policy adds to an import: itself, the pools that exist, from when usage counts; None where none is given."""

    policy: Policy | None = None
    pools: frozenset[str] | None = None
    window_start: Instant | None = None


@click.group("state", context_settings={"help_option_names": ["-h", "--help"]})
def state() -> None:
    """Make the state of a cluster, which the other commands ask about, from a scheduler's own export."""


@options.command(
    "build",
    examples=(
        "policyctl state build --log sacct.psv --log-format sacct --map MAP.yaml \\",
        "                      --at 2026-11-30T09:00:00Z -o state.json",
        "policyctl state build --log jobs.swf.gz --log-format swf --map MAP.yaml --at 2026-11-30T09:00:00Z \\",
        "                      --policy policies -o state.json     # only the policy's pools and window",
        "squeue --json | policyctl state build --log - --log-format squeue-json --map MAP.yaml --at ... -o -",
    ),
)
@click.option("--log", required=True, metavar="FILE", help="The export, gzip or not; `-` is standard input.")
@click.option("--log-format", required=True, type=click.Choice(list(FORMATS)), help="What the export is.")
@click.option(
    "--map",
    "map_file",
    required=True,
    metavar="FILE",
    help="How groups, users and partitions become accounts and pools.",
)
@click.option(
    "--at",
    required=True,
    callback=options.instant,
    metavar="INSTANT",
    help="The instant to stand at, such as 2026-09-01T12:00:00Z.",
)
@click.option(
    "-o", "--output", required=True, metavar="FILE", help="Where to write the state; `-` is standard output."
)
@click.option("--strict", is_flag=True, help="Exit with 1, and write nothing, if any record is bad.")
@options.policy_source
@click.pass_context
def build(
    context: click.Context,
    /,
    *,
    log: str,
    log_format: str,
    map_file: str,
    at: Instant,
    output: str,
    strict: bool,
    policy: Path | None,
    bundle: str | None,
) -> None:
    """Write the queue, the running jobs and the usage as they stood at an instant of a job log.

    With a policy, only its pools are accepted, only runs inside its accounting window are kept as usage, and accounts
    that its budgets do not name are told; without, everything is kept. Bad records are listed with their number and the
    rest is imported.
    """
    bounds = _bounds(policy, bundle, at)
    log_map = read_map_file(map_file, bounds.pools)
    name = "(standard input)" if log == "-" else log
    read = read_log(read_bytes(log), log_format=log_format, file=name, log_map=log_map)
    if not read.rows:
        raise NothingVerified(f"`{name}` holds no record", help="is it the export that was meant?")
    built = build_state(
        read.records, log_map, at=at, window_start=bounds.window_start, pools=bounds.pools, file=name
    )
    strays = _strays(built, bounds, log_map, map_file)
    report = Report(findings=ordered((*read.findings, *built.findings, *strays)), files=2 if strays else 1)
    click.echo(render(report, colour=options.coloured(sys.stderr)), err=True, nl=False)
    failed = strict and report.failed
    if not failed:
        data = write_state(built.state)
        if output == "-":
            click.echo(data, nl=False)
        else:
            write_beside(Path(output), data)
    click.echo(_counts(read, built, None if failed else output), err=True, nl=False)
    context.exit(Exit.FINDINGS if failed else Exit.OK)


def _bounds(policy: Path | None, bundle: str | None, at: Instant) -> Bounds:
    if policy is None and bundle is None:
        return Bounds()
    loaded = load_policy(policy, bundle).policy
    return Bounds(
        policy=loaded,
        pools=frozenset(pool.name for pool in loaded.pools),
        window_start=Instant(lookback(loaded.accounting.window, at).start),
    )


def _counts(read: LogRead, built: StateBuild, output: str | None) -> str:
    rows = {
        name: getattr(read, name) for name in ("rows", "expanded", "rejected", "aside", "repeated", "merged")
    }
    return build_text.render(rows, asdict(built.counts), output=output)


def _strays(built: StateBuild, bounds: Bounds, log_map: LogMap, map_file: str) -> tuple[Finding, ...]:
    if bounds.policy is None:
        return ()
    name = "(standard input)" if map_file == "-" else map_file
    return stray_accounts(built.state, bounds.policy, default_account=log_map.default_account, file=name)


state.add_command(build)
