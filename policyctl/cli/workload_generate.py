"""`policyctl workload generate`: what a lab of a certain kind would submit."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final
from zoneinfo import available_timezones

import click

from policyctl.cli import options
from policyctl.cli.sources import load_policy
from policyctl.cli.workload_output import output_option, put
from policyctl.diagnostics import nearest
from policyctl.errors import UsageProblem
from policyctl.sim.workloads.lab import first_monday
from policyctl.sim.workloads.lab import generate as generated
from policyctl.sim.workloads.mix import LabMix
from policyctl.units import BadQuantity, parse_duration, parse_instant, parse_rate, parse_share

__all__ = ["generate"]

_LONGEST_DAYS = 366
_MOST_PEOPLE = 100_000


def _load(text: str) -> object:
    load = parse_rate(text)
    if 0 < load <= 100:
        return load
    raise BadQuantity(f"`{text}` is not a load", help="write demand over capacity: `2.5`")


def _length(text: str) -> object:
    length = parse_duration(text)
    if length:
        return length
    raise BadQuantity(f"`{text}` is no time at all", help="write a duration above zero: `30m`")


def _every(text: str) -> object:
    return 0 if text == "never" else _length(text)


def _timezone(text: str) -> object:
    known = available_timezones()
    if text in known:
        return text
    close = nearest(text, known)
    raise BadQuantity(
        f"`{text}` is not a time zone", help=f"did you mean `{close}`?" if close else "write `UTC`"
    )


_People: Final = click.IntRange(1, _MOST_PEOPLE)
_SAID: Final[tuple[tuple[str, str, Callable[[str], object], str, str], ...]] = (
    (
        "--start",
        "start",
        parse_instant,
        "INSTANT",
        "When it begins.  [default: the first Monday of the budgets]",
    ),
    ("--load", "load", _load, "N", "Demand over capacity, in each pool.  [default: 2.5]"),
    (
        "--pause",
        "pause",
        parse_duration,
        "DURATION",
        "With --queue or --at-most: from an end to the next submission.  [default: 5m]",
    ),
    ("--timezone", "timezone", _timezone, "ZONE", "Whose office hours the days follow.  [default: UTC]"),
    (
        "--night",
        "night",
        parse_share,
        "PART",
        "Submissions in an hour of the night, of the busiest hour.  [default: 20%]",
    ),
    (
        "--weekend",
        "weekend",
        parse_share,
        "PART",
        "Submissions on a day of the weekend, of a weekday.  [default: 1/3]",
    ),
    (
        "--skew",
        "skew",
        parse_rate,
        "N",
        "How unequally accounts ask, measured by their shares.  [default: 0.25]",
    ),
    (
        "--unequal",
        "unequal",
        parse_rate,
        "N",
        "How unequally the researchers of an account ask.  [default: 0.6]",
    ),
    (
        "--block",
        "block",
        parse_share,
        "PART",
        "Jobs over several nodes that insist on one block.  [default: 50%]",
    ),
    (
        "--zero",
        "zero_declared",
        parse_share,
        "PART",
        "Submissions that declare no minimum runtime.  [default: 20%]",
    ),
    (
        "--inflated",
        "inflated",
        parse_share,
        "PART",
        "Researchers who declare a multiple of what they need.  [default: 30%]",
    ),
    (
        "--most-declared",
        "most_declared",
        _length,
        "DURATION",
        "The most that anybody declares.  [default: 1d]",
    ),
    ("--urgent", "urgent", parse_share, "PART", "Submissions that their owner calls urgent.  [default: 10%]"),
    ("--interactive", "interactive", parse_share, "PART", "Submissions that are sessions.  [default: 10%]"),
    (
        "--resumable",
        "resumable",
        parse_share,
        "PART",
        "Batch jobs that can go on after a stop.  [default: 90%]",
    ),
    (
        "--checkpoint-every",
        "checkpoint_every",
        _every,
        "DURATION",
        "How often they save, or `never`.  [default: 30m]",
    ),
    (
        "--save-time",
        "save_time",
        parse_duration,
        "DURATION",
        "The notice that one last save needs.  [default: 1m]",
    ),
    (
        "--restart-overhead",
        "restart_overhead",
        parse_duration,
        "DURATION",
        "What each restart costs.  [default: 5m]",
    ),
    ("--restart-failure", "restart_failure", parse_share, "PART", "Restarts that fail.  [default: 2%]"),
)


def _mix_options(function: Callable[..., None]) -> Callable[..., None]:
    """Pass each field of the mix that was said, and None for the others."""
    for flag, name, parse, metavar, told in reversed(_SAID):
        function = click.option(flag, name, callback=options.quantity(parse), metavar=metavar, help=told)(
            function
        )
    return function


@options.command(
    "generate",
    examples=(
        "policyctl workload generate --seed 1 -o workload.json.gz",
        "policyctl workload generate --policy policies --seed 1 --days 30 --load 2.5 --queue 4 -o workload.json",
        "policyctl workload generate --seed 1 --at-most 75 --unequal 1.8 -o heavy-users.json.gz",
        "policyctl workload generate --seed 7 --inflated 100% --zero 0% --urgent 90% -o everyone-urgent.json",
    ),
)
@options.policy_source
@click.option(
    "--seed", required=True, type=click.IntRange(min=0), metavar="N", help="The same seed, the same bytes."
)
@click.option("--days", type=click.IntRange(1, _LONGEST_DAYS), metavar="N", help="How long.  [default: 30]")
@click.option("--researchers", type=_People, metavar="N", help="How many people.  [default: 150]")
@click.option(
    "--queue",
    "queue_depth",
    type=_People,
    metavar="N",
    help="Closed loop: each researcher keeps N batch jobs waiting or running.  [default: open loop]",
)
@click.option(
    "--at-most",
    type=_People,
    metavar="N",
    help="Nobody has more than N batch jobs waiting or running: the rest comes when there is room.",
)
@_mix_options
@output_option
def generate(*, policy: Path | None, bundle: str | None, output: str, **said: Any) -> None:
    """Write what a lab would submit to the pools of a policy, from one seed.

    Researchers work for the accounts that have a share, and ask about in proportion to it.
    """
    if said["queue_depth"] and said["at_most"]:
        raise UsageProblem(
            "`--queue` and `--at-most` exclude each other",
            help="a queue is always full, or has a limit: give one of them",
        )
    if said["pause"] is not None and not (said["queue_depth"] or said["at_most"]):
        raise UsageProblem(
            "`--pause` goes with `--queue` or `--at-most`", help="in an open loop nobody waits for an end"
        )
    loaded = load_policy(policy, bundle).policy
    mix = {name: value for name, value in said.items() if value is not None}
    if mix.get("checkpoint_every") == 0:
        mix["checkpoint_every"] = None
    workload = generated(loaded, LabMix(**{"start": first_monday(loaded)} | mix))
    put(workload, output, {pool.name: pool.gpus for pool in loaded.pools})
