"""What one stage of a check said and how it ended, and which end of several is the worst."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Mapping
from contextlib import redirect_stderr
from dataclasses import dataclass, field, replace
from typing import Final

import click

from policyctl.errors import Exit, PolicyctlError

__all__ = ["Stage", "attempt", "worst"]

_WORST_LAST: Final = (
    Exit.OK,
    Exit.NOTHING_VERIFIED,
    Exit.FINDINGS,
    Exit.USAGE,
    Exit.NO_ANSWER,
    Exit.BUNDLE,
    Exit.BUG,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """One stage: `text` for people, `markdown` for a summary, `annotations` for a runner, reports by file name.

    Without annotations of its own (None), a stage that did not end well is annotated with its text.
    """

    name: str
    exit: Exit
    text: str
    markdown: str = ""
    annotations: str | None = None
    reports: Mapping[str, str] = field(default_factory=dict)


def attempt(name: str, work: Callable[[], Stage]) -> Stage:
    """Do the work of a stage; where it has no answer, that is the stage's end, and the others still take place."""
    aside = io.StringIO()
    try:
        with redirect_stderr(aside):
            done = work()
    except PolicyctlError as problem:
        way_out = f"help: {problem.help}\n" if problem.help else ""
        told = f"{aside.getvalue()}error: {problem}\n{way_out}"
        return Stage(name=name, exit=Exit(problem.exit), text=told)
    except click.exceptions.Exit as end:
        return Stage(name=name, exit=Exit(end.exit_code), text=aside.getvalue())
    return replace(done, text=aside.getvalue() + done.text)


def worst(ends: Iterable[Exit]) -> Exit:
    """Return the worst of several ends: 70 > 4 > 3 > 2 > 1 > 5 > 0."""
    return max(ends, key=_WORST_LAST.index, default=Exit.NOTHING_VERIFIED)
