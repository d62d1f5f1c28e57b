"""The table of commands, and one mapping of how they end to an exit code."""

from __future__ import annotations

import io
import sys
from typing import Final

import click

from policyctl.cli.collector import collect_seldom
from policyctl.cli.lazy import Entry, LazyGroup
from policyctl.cli.options import debug
from policyctl.errors import Exit, PolicyctlError
from policyctl.version import __version__

__all__ = ["COMMANDS", "policyctl", "run"]

COMMANDS: Final = {
    "init": Entry("policyctl.cli.init:init", "A policy repository that works, with its checks."),
    "validate": Entry(
        "policyctl.cli.validate:validate", "Every problem of a policy, at its line, with the fix."
    ),
    "test": Entry("policyctl.cli.test:test", "Whether a policy answers as its tests say."),
    "diff": Entry("policyctl.cli.diff:diff", "What a change of the policy means, and whose rights it moves."),
    "review": Entry("policyctl.cli.review:review", "Whether the approvals are there that a change needs."),
    "ci": Entry("policyctl.cli.ci:ci", "Everything that must hold before a change is merged, in one call."),
    "codeowners": Entry(
        "policyctl.cli.codeowners:codeowners", "Who owns which file of a policy, for the code host."
    ),
    "compile": Entry("policyctl.cli.compile:compile_", "A policy as one reproducible file, the bundle."),
    "bundle": Entry("policyctl.cli.bundle:bundle", "What a bundle says, and whether it is whole."),
    "state": Entry("policyctl.cli.state:state", "The state of a cluster, from a scheduler's own job log."),
    "workload": Entry(
        "policyctl.cli.workload:workload", "What a simulation runs: generated, or from a job log."
    ),
    "usage": Entry("policyctl.cli.usage:usage", "Allocation beside measured consumption, per account."),
    "rank": Entry("policyctl.cli.rank:rank", "Who runs next, in each pool."),
    "explain": Entry("policyctl.cli.explain:explain", "Why a job stands where it stands."),
    "quote": Entry(
        "policyctl.cli.quote:quote", "What a submission would buy, cost and where it would stand."
    ),
    "preempt": Entry(
        "policyctl.cli.preempt:preempt", "May these jobs be preempted for that one, and which should."
    ),
    "exceptions": Entry(
        "policyctl.cli.exceptions:exceptions", "Which exceptions are in force, end soon, or do nothing."
    ),
    "exception": Entry("policyctl.cli.exception:exception", "A new exception, valid or not at all."),
    "timeline": Entry("policyctl.cli.timeline:timeline", "What changes without a commit, and when."),
    "simulate": Entry(
        "policyctl.cli.simulate:simulate",
        "A workload replayed under a policy, beside what it is compared with.",
    ),
    "sweep": Entry(
        "policyctl.cli.sweep:sweep",
        "The same under many windows, caps and loads, and which window to choose.",
    ),
    "rehearse": Entry("policyctl.cli.rehearse:rehearse_", "Whether scenarios go as they should."),
    "rules": Entry("policyctl.cli.rules:rules", "What each code means, and how to mend it."),
}


@click.group(
    cls=LazyGroup,
    table=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit codes: 0 ok, 1 findings or refusal, 2 usage, 3 no answer, 4 bundle rejected, "
    "5 nothing verified, 70 a bug.",
)
@click.version_option(__version__, message="%(prog)s %(version)s")
@debug
def policyctl() -> None:
    """GPU budgets, protection and preemption as reviewed policy."""


def run(arguments: list[str]) -> int:
    """Run one command and return its exit code; problems go to standard error as `error:` and `help:`."""
    _speak_utf8()
    collect_seldom()
    try:
        with policyctl.make_context("policyctl", arguments) as context:
            policyctl.invoke(context)
    except click.exceptions.Exit as end:
        return end.exit_code
    except click.exceptions.NoArgsIsHelpError as lost:
        lost.show()
        return Exit.USAGE
    except click.ClickException as wrong:
        from policyctl.cli.complaints import complaint  # noqa: PLC0415 - only needed once something is already wrong

        _complain(*complaint(wrong))
        return Exit.USAGE
    except PolicyctlError as problem:
        _complain(str(problem), problem.help)
        return problem.exit
    return Exit.OK


def _complain(message: str, way_out: str | None) -> None:
    click.echo(f"error: {message}", err=True)
    if way_out:
        click.echo(f"help: {way_out}", err=True)


def _speak_utf8() -> None:
    # The same bytes under every locale; a name that is not text becomes an escape instead of a crash.
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")
