"""`policyctl sweep`: one workload under many windows, half-lives, caps and loads, and which window to choose."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Final

import click

from policyctl.cli import options
from policyctl.cli.command_line import reproducing
from policyctl.cli.progress import watching
from policyctl.cli.workload_source import Asked, asked
from policyctl.model.sweep import CapChange, Score
from policyctl.render import sweep_html, sweep_json, sweep_text
from policyctl.sim.grid import PROPORTIONAL, grid
from policyctl.sim.sweep import Sweep, SweepRun, report
from policyctl.units import BadQuantity, Seconds, parse_duration, parse_rate
from policyctl.version import __version__
from policyctl.workspace.dask_cluster import sweep_on_dask
from policyctl.workspace.files import write_beside
from policyctl.workspace.processes import cores
from policyctl.workspace.sweeping import Broken, sweep_here

__all__ = ["sweep"]

_SEEDS: Final = (1, 2, 3)
_JITTER: Final = Seconds(600)
_MOST_LOAD: Final = 100
_SIGNALLED: Final = 128


def _each(parse: Callable[[str], object]) -> Callable[[str], object]:
    """Make the reader of several values with commas between them."""
    return lambda text: tuple(dict.fromkeys(parse(part.strip()) for part in text.split(",")))


def _length(text: str) -> Seconds:
    length = parse_duration(text)
    if length:
        return length
    raise BadQuantity(f"`{text}` is no time at all", help="write a duration above zero: `14d`")


def _half_life(text: str) -> Seconds | str | None:
    if text == "none":
        return None
    return PROPORTIONAL if text == PROPORTIONAL else _length(text)


def _cap(text: str) -> CapChange | None:
    if text == "own":
        return None
    if text.startswith("x"):
        return CapChange(factor=_above_zero(text[1:]))
    return CapChange(default=_length(text))


def _load(text: str) -> Fraction:
    load = _above_zero(text)
    if load <= _MOST_LOAD:
        return load
    raise BadQuantity(f"`{text}` is more than {_MOST_LOAD} times", help="write a factor such as `1.5`")


def _above_zero(text: str) -> Fraction:
    value = parse_rate(text)
    if value > 0:
        return value
    raise BadQuantity(f"`{text}` is nothing at all", help="write a factor above zero: `1.5`")


def _list(
    name: str, target: str, parse: Callable[[str], object], metavar: str, text: str
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    return click.option(
        name, target, callback=options.quantity(_each(parse)), metavar=f"{metavar},…", help=text
    )


@options.command(
    "sweep",
    examples=(
        "policyctl sweep --workload workload.json --window 1d,3d,7d,14d,28d",
        "policyctl sweep --scenario returning-program --window 3d,14d --half-life none,proportional --cap own,x1/2",
        "policyctl sweep --log jobs.csv --log-format csv --map MAP.yaml --window 7d,14d --load 0.8,1,1.2 --report sweep.html",
        "policyctl sweep --workload workload.json --window 7d,14d --dask tcp://10.0.0.1:8786",
    ),
)
@asked(seeds=_SEEDS)
@_list("--window", "windows", _length, "DURATION", "Lengths of the window.  [default: the policy's]")
@_list(
    "--half-life",
    "half_lives",
    _half_life,
    "DURATION",
    "Half-lives; `none`, or `proportional` to the window as in the policy.  [default: proportional]",
)
@_list(
    "--cap",
    "caps",
    _cap,
    "DURATION",
    "Defaults of the cap of `/`; `x1/2` halves all caps, `own` changes none.  [default: own]",
)
@_list("--load", "loads", _load, "N", "Factors on the demand: jobs are left out or repeated.  [default: 1]")
@click.option(
    "--jitter",
    callback=options.quantity(parse_duration),
    metavar="DURATION",
    help="Submit up to that much later, by chance, so that seeds differ.  [default: 10m]",
)
@options.formats("text", "json")
@options.report("Write everything as one page with the chart, too.")
@click.option("--dask", metavar="ADDRESS", help="Run on the Dask cluster of this scheduler.")
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    default=cores,
    show_default="all cores",
    metavar="N",
    help="How many runs at once.",
)
@click.pass_context
def sweep(
    context: click.Context,
    /,
    *,
    what: Asked,
    windows: tuple[Seconds, ...] | None,
    half_lives: tuple[Seconds | str | None, ...] | None,
    caps: tuple[CapChange, ...] | None,
    loads: tuple[Fraction, ...] | None,
    jitter: Seconds | None,
    output: str,
    page: str | None,
    dask: str | None,
    jobs: int,
) -> None:
    """Run a workload under every combination, and say which window to choose, and why, or that the data do not decide.

    A long window remembers: programs that come back are served at once, at the cost of those that stayed. A short one
    forgets: the placement hardly moves, and who was away has no credit. Every run is measured by the policy as it is.
    """
    points = grid(
        what.policy.policy,
        windows=windows or (),
        half_lives=half_lives or (),
        caps=caps or (),
        loads=loads or (),
    )
    made = Sweep(
        policy=what.policy.policy,
        points=points,
        seeds=what.seeds,
        workloads=what.workloads,
        jitter=_JITTER if jitter is None else jitter,
        until=what.until,
    )
    try:
        scores = _scores(made, jobs=jobs, dask=dask)
    except Broken as broken:
        click.echo("interrupted: nothing is kept of a sweep", err=True)
        context.exit(_SIGNALLED + broken.signal)
    _show(what, made, scores, output=output, page=page)


def _scores(made: Sweep, *, jobs: int, dask: str | None) -> Mapping[SweepRun, Score]:
    if dask is not None:
        return sweep_on_dask(made, dask)
    runs = len(made.points) * len(made.seeds)
    with watching(int(made.workloads[0].start), made.until, runs) as watch:
        return sweep_here(made, jobs=jobs, watch=watch)


def _show(
    what: Asked, made: Sweep, scores: Mapping[SweepRun, Score], *, output: str, page: str | None
) -> None:
    found = report(
        made, scores, title=what.title, command=reproducing(), version=__version__, digests=what.digests
    )
    if page is not None:
        write_beside(Path(page), sweep_html.render(found).encode())
    if output == "json":
        click.echo(sweep_json.render(found), nl=False)
    else:
        text = sweep_text.render(found, colour=options.coloured(), columns=options.columns())
        click.echo(text, nl=False)
