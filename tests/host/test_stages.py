"""A stage ends in each way that a command does, and never ends those after it; only an interrupt ends them all."""

from __future__ import annotations

import sys
from typing import NoReturn

import click
import pytest

from policyctl.cli.stages import NotCarriedOut, Stage, attempt
from policyctl.errors import BundleRejected, Exit, NoAnswer, NothingVerified, UsageProblem


def ended(problem: BaseException) -> Stage:
    def work() -> NoReturn:
        click.echo("said before", err=True)
        raise problem

    return attempt("one", work)


@pytest.mark.parametrize(
    ("problem", "code", "text"),
    [
        (UsageProblem("wrong", help="do it right"), 2, "error: wrong\nhelp: do it right\n"),
        (NoAnswer("unreadable"), 3, "error: unreadable\n"),
        (BundleRejected("damaged"), 4, "error: damaged\n"),
        (NothingVerified("nothing"), 5, "error: nothing\n"),
        (OSError(28, "No space left on device"), 3, "error: No space left on device\n"),
        (MemoryError(), 3, "error: there is not enough memory\nhelp: replay fewer jobs, or fewer seeds\n"),
        (
            ValueError("two\nlines"),
            70,
            "error: a bug in policyctl: ValueError: two\nhelp: run it again with `--debug` to see where\n",
        ),
        (NotCarriedOut("there is no policy", Exit.FINDINGS), 1, "not carried out: there is no policy\n"),
        (click.exceptions.Exit(1), 1, ""),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else "",
)
def test_each_end_of_a_stage(problem: Exception, code: int, text: str) -> None:
    found = ended(problem)
    assert (found.exit, found.text, found.answer) == (code, f"said before\n{text}", None)
    assert found.why


@pytest.mark.parametrize("problem", [click.exceptions.Exit(143), KeyboardInterrupt()])
def test_an_interrupt_is_no_end_of_a_stage(
    problem: BaseException, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(type(problem)):
        ended(problem)
    assert capsys.readouterr().err == ("said before\n" if isinstance(problem, Exception) else "")


def test_a_bug_shows_where_it_is_on_request(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["policyctl", "ci", "--debug"])
    assert "Traceback" in ended(ValueError("odd")).text
