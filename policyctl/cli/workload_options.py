"""The options that say what is simulated, as they were given: nothing of them is read here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any

import click

from policyctl.adapters.log_formats import FORMATS
from policyctl.cli import options
from policyctl.errors import UsageProblem
from policyctl.units import Instant, parse_instant

__all__ = ["OPTIONS", "WorkloadOptions", "replayed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkloadOptions:
    """The options as they were given."""

    policy: Path | None = None
    bundle: str | None = None
    workload: str | None = None
    log: str | None = None
    log_format: str | None = None
    map_file: str | None = None
    gpu_only: bool = False
    scenario: str | None = None
    since: Instant | None = None
    until: Instant | None = None
    seeds: tuple[int, ...] = ()


_SCENARIO = click.option(
    "--scenario", metavar="NAME|FILE", help="A rehearsal that comes with policyctl, or your own."
)
OPTIONS = (
    click.option("--workload", metavar="FILE", help="What is submitted, as `policyctl workload` writes it."),
    click.option("--log", metavar="FILE", help="What was submitted: a scheduler's export, gzip or not."),
    click.option("--log-format", type=click.Choice(list(FORMATS)), help="What the export is."),
    click.option("--map", "map_file", metavar="FILE", help="How the log's words become accounts and pools."),
    click.option("--gpu-only", is_flag=True, help="Only the jobs of the log that have GPUs."),
    _SCENARIO,
    click.option(
        "--from",
        "since",
        callback=options.quantity(parse_instant),
        metavar="INSTANT",
        help="Only what the log has from then on.",
    ),
    click.option(
        "--until",
        callback=options.quantity(parse_instant),
        metavar="INSTANT",
        help="Simulate up to then.  [default: the end of what was read]",
    ),
    click.option(
        "--seed",
        "seeds",
        type=click.IntRange(min=0),
        multiple=True,
        metavar="N",
        help="What chance depends on; several are so many runs.",
    ),
)


def replayed(function: Callable[..., None]) -> Callable[..., None]:
    """Take a workload or a log with their options, none of which is required; pass `replay`, what was given or None."""
    kept = [one for one in WorkloadOptions.__slots__ if one not in {"policy", "bundle", "scenario"}]

    @wraps(function)
    def asking(*arguments: Any, **given: Any) -> None:
        replay = WorkloadOptions(**{name: given.pop(name) for name in kept})
        function(*arguments, replay=_known(replay), **given)

    made: Callable[..., None] = asking
    for option in reversed([one for one in OPTIONS if one is not _SCENARIO]):
        made = option(made)
    return made


def _known(given: WorkloadOptions) -> WorkloadOptions | None:
    if given == WorkloadOptions():
        return None
    if given.workload is None and given.log is None:
        raise UsageProblem(
            "nothing says which jobs are replayed",
            help="give `--workload FILE`, or `--log FILE` with its map",
        )
    return given
