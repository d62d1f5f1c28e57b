"""`policyctl preempt`: may these jobs be preempted for that one, and which ones should be."""

from __future__ import annotations

import click

from policyctl.cli import options
from policyctl.cli.asking import Question, question
from policyctl.decide.preempt import Preemptor
from policyctl.errors import Exit
from policyctl.model.decisions import Authorization
from policyctl.render import answers_json, preempt_text

__all__ = ["preempt"]

_EXITS = {"granted": Exit.OK, "refused": Exit.FINDINGS, "error": Exit.NO_ANSWER}


@click.group("preempt", context_settings={"help_option_names": ["-h", "--help"]})
def preempt() -> None:
    """Say whether running jobs may be preempted for a waiting one, with the reason for every answer.

    Exit code 0 if granted, 1 if refused, 3 if there is no answer, because a rule failed or the state has no such
    victim: an error never authorizes anything.
    """


@options.command(
    "authorize",
    examples=(
        "policyctl preempt authorize 48213 47102 47110 --state state.json",
        "policyctl preempt authorize 48213 47102 --bundle policy.bundle --state - < state.json",
    ),
)
@click.argument("job", metavar="JOB")
@click.argument("victims", metavar="VICTIM...", nargs=-1, required=True)
@question
@options.formats("text", "json")
@click.pass_context
def authorize(
    context: click.Context,
    job: str,
    victims: tuple[str, ...],
    asked: Question,
    output: str,
) -> None:
    """Answer whether exactly these VICTIMs may be preempted for JOB: all of them, or none.

    The victims may be the choice of any scheduler. The set is granted only if every victim is, JOB can start once they
    are gone, and it could not with any one of them left. A victim that the state does not have is an error, exit code 3.
    """
    _answer(context, asked, Preemptor(asked.situation).authorize(job, victims), output)


@options.command(
    "plan",
    examples=(
        "policyctl preempt plan 48213 --state state.json",
        "policyctl preempt plan 48213 --state state.json --format json | jq -r '.victims[].job'",
    ),
)
@click.argument("job", metavar="JOB")
@question
@options.formats("text", "json")
@click.pass_context
def plan(
    context: click.Context,
    job: str,
    asked: Question,
    output: str,
) -> None:
    """Choose the smallest set of victims that lets JOB start, or say why there is none and when that can change."""
    _answer(context, asked, Preemptor(asked.situation).plan(job), output)


def _answer(context: click.Context, asked: Question, answer: Authorization, output: str) -> None:
    if output == "json":
        text = answers_json.preemption(answer, asked.basis)
    else:
        text = preempt_text.render(answer, asked.basis, colour=options.coloured())
    click.echo(text, nl=False)
    context.exit(_EXITS[answer.outcome])


preempt.add_command(authorize)
preempt.add_command(plan)
