"""`policyctl simulate`: a workload under a policy, beside whatever it is compared with."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import click

from policyctl.cli import options
from policyctl.cli.command_line import reproducing
from policyctl.cli.contestants import Field, field_of
from policyctl.cli.progress import watching
from policyctl.cli.workload_source import Asked, asked
from policyctl.errors import UsageProblem
from policyctl.model.measures import SimulationReport
from policyctl.render import simulation_html, simulation_json, simulation_text
from policyctl.sim.baselines import BASELINES
from policyctl.sim.contest import Contest
from policyctl.units import BadQuantity, Seconds, format_instant, parse_duration
from policyctl.version import __version__
from policyctl.workspace.files import write_beside
from policyctl.workspace.processes import cores
from policyctl.workspace.racing import Finished, Keeping, Stopped, race

__all__ = ["simulate"]

_SEEDS: Final = (1,)
_SIGNALLED: Final = 128


def _period(text: str) -> object:
    period = parse_duration(text)
    if period:
        return period
    raise BadQuantity(f"`{text}` is no time at all", help="write a duration above zero: `7d`")


@options.command(
    "simulate",
    examples=(
        "policyctl simulate --workload workload.json",
        "policyctl simulate --scenario returning-program --against labels --against fifo",
        "policyctl simulate --policy policies --log jobs.csv --log-format csv --map MAP.yaml --against ../main/policies \\",
        "                   --report july.html",
        "policyctl simulate --workload lab.json.gz --seed 1 --seed 2 --seed 3 --checkpoint lab.ckpt --checkpoint-every 7d",
    ),
)
@asked(seeds=_SEEDS)
@click.option(
    "--against",
    multiple=True,
    metavar="WHOM",
    help=f"The folder of a policy, a bundle, or one of {', '.join(BASELINES)}; any number of them.",
)
@options.formats("text", "json")
@options.report("Write everything as one page with charts, too.")
@click.option("--csv", "folder", metavar="DIR", help="Write jobs.csv and decisions.csv there, too.")
@click.option(
    "--checkpoint", metavar="FILE", help="Keep the state there when interrupted, and go on from it."
)
@click.option(
    "--checkpoint-every",
    callback=options.quantity(_period),
    metavar="DURATION",
    help="Keep it after every stretch of simulated time as well.",
)
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    default=cores,
    show_default="all cores",
    metavar="N",
    help="How many runs at once.",
)
@click.pass_context
def simulate(
    context: click.Context,
    /,
    *,
    what: Asked,
    against: tuple[str, ...],
    output: str,
    page: str | None,
    folder: str | None,
    checkpoint: str | None,
    checkpoint_every: Seconds | None,
    jobs: int,
) -> None:
    """Replay a workload under a policy, and under whatever it is compared with: same jobs, same luck.

    All contestants are measured by the shares and the window of the policy. Each runs once for every seed. The answer
    does not depend on --jobs, nor on being interrupted and resumed.
    """
    field = field_of(what.named, what.policy, against)
    keeping = _keeping(what, field, checkpoint, checkpoint_every)
    contest = Contest(
        contestants=field.contestants, seeds=what.seeds, workloads=what.workloads, until=what.until
    )
    with watching(contest.start, contest.until, len(field.contestants) * len(what.seeds)) as watch:
        ended = race(contest, jobs=jobs, keeping=keeping, tables=folder is not None, watch=watch)
    if isinstance(ended, Stopped):
        _say_stopped(ended, checkpoint)
        context.exit(_SIGNALLED + ended.signal)
    report = _report(what, field, ended)
    if folder is not None:
        _write_tables(Path(folder), ended)
    if page is not None:
        write_beside(Path(page), simulation_html.render(report).encode())
    if output == "json":
        click.echo(simulation_json.render(report), nl=False)
    else:
        click.echo(simulation_text.render(report, colour=options.coloured()), nl=False)


def _keeping(what: Asked, field: Field, checkpoint: str | None, every: Seconds | None) -> Keeping | None:
    if checkpoint is None:
        if every is not None:
            raise UsageProblem("`--checkpoint-every` goes with `--checkpoint`", help="name a file")
        return None
    inputs = {
        "inputs": dict(sorted({**what.digests, **field.digests}.items())),
        "contestants": [one.name for one in field.contestants],
        "seeds": list(what.seeds),
        "period": json.dumps([[one.start, one.end] for one in what.workloads]),
    }
    return Keeping(path=Path(checkpoint), every=every, inputs=inputs)


def _say_stopped(stopped: Stopped, checkpoint: str | None) -> None:
    click.echo(f"interrupted at {format_instant(stopped.at)} of the simulation", err=True)
    if checkpoint is None:
        click.echo("help: with `--checkpoint FILE` the same command goes on from there", err=True)
    else:
        click.echo(f"help: the same command goes on from `{checkpoint}`", err=True)


def _report(what: Asked, field: Field, ended: Sequence[Finished]) -> SimulationReport:
    return SimulationReport(
        title=what.title,
        command=reproducing(),
        version=__version__,
        digests={**what.digests, **field.digests},
        contestants=tuple(one.measures for one in ended),
    )


def _write_tables(folder: Path, ended: Sequence[Finished]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, texts in (
        ("jobs.csv", [one.jobs for one in ended]),
        ("decisions.csv", [one.decisions for one in ended]),
    ):
        header, _, _ = texts[0].partition("\n")
        rows = (text.partition("\n")[2] for text in texts)
        write_beside(folder / name, "".join([header, "\n", *rows]).encode())
