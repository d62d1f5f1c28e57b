"""What one stage of a check said and how it ended, and which end of several is the worst."""

from __future__ import annotations

import io
import sys
import traceback
from collections.abc import Callable, Iterable, Mapping
from contextlib import redirect_stderr
from dataclasses import dataclass, field, replace
from typing import Final

import click

from policyctl.errors import Exit, NoAnswer, PolicyctlError

__all__ = ["NotCarriedOut", "Stage", "attempt", "worst"]

_WORST_LAST: Final = (
    Exit.OK,
    Exit.NOTHING_VERIFIED,
    Exit.FINDINGS,
    Exit.USAGE,
    Exit.NO_ANSWER,
    Exit.BUNDLE,
    Exit.BUG,
)
_LONGEST: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """One stage: `text` for people, `markdown` for a summary, `annotations` for a runner, reports by file name.

    Without annotations of its own (None), a stage that did not end well is annotated with its text. `answer` is the
    JSON that the command of the same name would write, None where there is no answer; `why` then says so in a line.
    """

    name: str
    exit: Exit
    text: str
    markdown: str = ""
    annotations: str | None = None
    reports: Mapping[str, str] = field(default_factory=dict)
    answer: str | None = None
    why: str | None = None


class NotCarriedOut(Exception):
    """A stage cannot take place because of how an earlier one ended, which has been said there."""

    def __init__(self, why: str, code: Exit) -> None:
        super().__init__(why)
        self.code = code


def attempt(name: str, work: Callable[[], Stage]) -> Stage:
    """Do the work of a stage; where it has no answer, that is the stage's end, and the others still take place.

    An interrupt is no end of a stage: it ends the command.
    """
    aside = io.StringIO()
    try:
        with redirect_stderr(aside):
            done = work()
    except PolicyctlError as problem:
        return _without_answer(name, Exit(problem.exit), str(problem), problem.help, aside.getvalue())
    except click.exceptions.Exit as end:
        if end.exit_code not in set(Exit):
            click.echo(aside.getvalue(), err=True, nl=False)
            raise
        return Stage(
            name=name,
            exit=Exit(end.exit_code),
            text=aside.getvalue(),
            why="there are findings in what it reads",
        )
    except NotCarriedOut as left:
        told = f"{aside.getvalue()}not carried out: {left}\n"
        return Stage(name=name, exit=left.code, text=told, annotations="", why=str(left))
    except OSError as problem:
        return _without_answer(name, Exit.NO_ANSWER, problem.strerror or str(problem), None, aside.getvalue())
    except MemoryError:
        lost = NoAnswer("there is not enough memory", help="replay fewer jobs, or fewer seeds")
        return _without_answer(name, Exit.NO_ANSWER, str(lost), lost.help, aside.getvalue())
    except Exception as bug:  # noqa: BLE001 - a stage that breaks must not hide what the others find
        line = ascii(str(bug).partition("\n")[0][:_LONGEST])[1:-1]
        said = f"a bug in policyctl: {type(bug).__name__}: {line}"
        if "--debug" in sys.argv:
            aside.write(traceback.format_exc())
        return _without_answer(
            name, Exit.BUG, said, "run it again with `--debug` to see where", aside.getvalue()
        )
    return replace(done, text=aside.getvalue() + done.text)


def _without_answer(name: str, code: Exit, message: str, way_out: str | None, aside: str) -> Stage:
    help_line = f"help: {way_out}\n" if way_out else ""
    return Stage(name=name, exit=code, text=f"{aside}error: {message}\n{help_line}", why=message)


def worst(ends: Iterable[Exit]) -> Exit:
    """Return the worst of several ends: 70 > 4 > 3 > 2 > 1 > 5 > 0."""
    return max(ends, key=_WORST_LAST.index, default=Exit.NOTHING_VERIFIED)
