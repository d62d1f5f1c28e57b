"""The options that several commands share, and the only look at the clock and the terminal."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from policyctl.cli.named_path import NAMED_PATH
from policyctl.errors import NoAnswer
from policyctl.units import BadQuantity, Instant, parse_instant

if TYPE_CHECKING:
    from typing import TextIO

__all__ = [
    "DEFAULT_POLICY",
    "DEFAULT_TESTS",
    "clock",
    "coloured",
    "columns",
    "command",
    "debug",
    "formats",
    "instant",
    "now",
    "now_or_state",
    "policy_folder",
    "policy_source",
    "quantity",
    "report",
    "state",
]

DEFAULT_POLICY = "policies"
DEFAULT_TESTS = "policy-tests"

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


def command(name: str, *, examples: Sequence[str]) -> Callable[[Callable[..., Any]], click.Command]:
    """Make a command whose help ends with examples, and that knows `--debug`."""
    lines = "\n".join(f"  {example}" for example in examples)

    def made(function: Callable[..., Any]) -> click.Command:
        return click.command(name, epilog=f"\b\nExamples:\n{lines}")(debug(function))

    return made


def clock() -> Instant:
    """Return the system clock's instant, to the second."""
    return Instant(int(time.time()))


def instant(context: click.Context, option: click.Parameter, text: str | None) -> Instant:
    """Read the instant of an option; the system clock's where it is not given."""
    if text is None:
        return clock()
    try:
        return parse_instant(text)
    except BadQuantity as problem:
        raise click.BadParameter(f"{problem}: {problem.help}", context, option) from None


def quantity(
    parse: Callable[[str], object],
) -> Callable[[click.Context, click.Parameter, str | None], object]:
    """Make the callback of an option whose text is read by `parse`, which raises BadQuantity; None stays None."""

    def read(context: click.Context, option: click.Parameter, text: str | None) -> object:
        if text is None:
            return None
        try:
            return parse(text)
        except BadQuantity as problem:
            raise click.BadParameter(f"{problem}: {problem.help}", context, option) from None

    return read


def _instant_or_none(context: click.Context, option: click.Parameter, text: str | None) -> Instant | None:
    return None if text is None else instant(context, option, text)


def debug(function: Decorated) -> Decorated:
    """Accept `--debug`, which the program looks for itself once something went wrong."""
    return click.option(
        "--debug", is_flag=True, expose_value=False, help="Show the trace when something breaks."
    )(function)


def now(function: Decorated) -> Decorated:
    """Pass `now`: the instant of `--now`, else the system clock's, read once."""
    return click.option(
        "--now",
        callback=instant,
        metavar="INSTANT",
        help="Answer as of this instant, such as 2026-09-01T12:00:00Z.  [default: the system clock]",
    )(function)


def now_or_state(function: Decorated) -> Decorated:
    """Pass `now`: the instant of `--now`, or None for the time that the state file gives."""
    return click.option(
        "--now",
        callback=_instant_or_none,
        metavar="INSTANT",
        help="Answer as of this instant, such as 2026-09-01T12:00:00Z.  [default: the state's own time]",
    )(function)


def formats(*names: str) -> Callable[[Decorated], Decorated]:
    """Pass `output`: one of these formats, the first by default."""
    return click.option(
        "--format",
        "output",
        type=click.Choice(names),
        default=names[0],
        show_default=True,
        help="How to answer.",
    )


def policy_folder(function: Decorated) -> Decorated:
    """Pass `folder`: the argument that says where the policy lies."""
    return click.argument("folder", metavar="[DIR]", default=DEFAULT_POLICY, type=NAMED_PATH)(function)


def policy_source(function: Decorated) -> Decorated:
    """Pass `policy` and `bundle`, of which `policyctl.cli.sources.load_policy` takes at most one."""
    folder = click.option(
        "--policy",
        type=NAMED_PATH,
        metavar="DIR",
        help=f"The folder of the policy.  [default: {DEFAULT_POLICY}]",
    )
    bundle = click.option(
        "--bundle", metavar="FILE", help="A compiled policy instead; `-` is standard input."
    )
    return folder(bundle(function))


def report(what: str) -> Callable[[Decorated], Decorated]:
    """Pass `page`: the file of `--report`, which `what` says the content of, or None.

    What can only fail is refused before anything is computed: NoAnswer.
    """
    return click.option("--report", "page", callback=_a_place, metavar="FILE", help=what)


def _a_place(context: click.Context, option: click.Parameter, name: str | None) -> str | None:
    del context, option
    if name is None:
        return None
    path = Path(name)
    if path.is_dir():
        raise NoAnswer(f"cannot write `{name}`: it is a folder", help="name a file: `--report page.html`")
    if not path.parent.is_dir():
        raise NoAnswer(f"cannot write `{name}`: there is no folder `{path.parent}`", help="make it first")
    return name


def state(function: Decorated) -> Decorated:
    """Pass `state`: the name of the state file, or `-`."""
    return click.option(
        "--state", required=True, metavar="FILE", help="What the scheduler knows; `-` is standard input."
    )(function)


def coloured(stream: TextIO | None = None) -> bool:
    """Say whether to write colours to standard output, or to the stream given."""
    wanted = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return wanted and (stream or sys.stdout).isatty()


def columns() -> int | None:
    """Return how wide an answer may be: `COLUMNS`, else the terminal's width; None where nobody looks at one."""
    said = os.environ.get("COLUMNS", "")
    if said.isascii() and said.isdigit() and int(said):
        return int(said)
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None
