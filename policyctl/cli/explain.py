"""`policyctl explain`: why a job stands where it stands."""

from __future__ import annotations

import click

from policyctl.cli import options
from policyctl.cli.asking import Question, question
from policyctl.decide import explain as explaining
from policyctl.render import answers_json, explain_text

__all__ = ["explain"]


@options.command(
    "explain",
    examples=(
        "policyctl explain 48213 --state state.json",
        "policyctl explain 48213 --state state.json --format json",
    ),
)
@click.argument("job", metavar="JOB")
@question
@options.formats("text", "json")
def explain(job: str, asked: Question, output: str) -> None:
    """Say why JOB stands where it stands: its class, and its branch beside its siblings on every level.

    JOB is the id of a waiting or running job of the state.
    """
    answer = explaining.explain(asked.situation, job)
    if output == "json":
        text = answers_json.explanation(answer, asked.basis)
    else:
        text = explain_text.render(answer, asked.basis, colour=options.coloured(), columns=options.columns())
    click.echo(text, nl=False)
