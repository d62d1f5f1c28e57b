"""`policyctl quote`: what a submission would buy, before it is submitted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any, TypeVar

import click

from policyctl.cli import options
from policyctl.cli.asking import Question, question
from policyctl.decide import quote as quoting
from policyctl.errors import Exit, UsageProblem
from policyctl.model.jobs import Job
from policyctl.render import answers_json, quote_text
from policyctl.units import parse_duration, parse_gpus

__all__ = ["quote"]

NEW = "(new)"
"""The id of a submission that has none yet; it sorts before the ids of schedulers."""

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


def _labels(context: click.Context, option: click.Parameter, texts: tuple[str, ...]) -> dict[str, str] | None:
    pairs = [text.partition("=") for text in texts]
    for key, equals, _ in pairs:
        if not key or not equals:
            raise click.BadParameter("a label is written KEY=VALUE", context, option)
    return {key: value for key, _, value in pairs} or None


def _account(context: click.Context, option: click.Parameter, text: str | None) -> str | None:
    if text is not None and not text.startswith("/"):
        raise click.BadParameter(f"an account is a path: did you mean `/{text}`?", context, option)
    return text


def submission(function: Decorated) -> Decorated:
    """Pass the fields of a submission, each None where it was not said."""
    for option in reversed(
        (
            click.option(
                "--account",
                callback=_account,
                metavar="PATH",
                help="The account to charge, such as /language/pretrain.",
            ),
            click.option("--user", metavar="NAME", help="Who submits."),
            click.option(
                "--pool", metavar="POOL", help="Where to run; needed if the policy has several pools."
            ),
            click.option(
                "--gpus",
                callback=options.quantity(parse_gpus),
                metavar="N",
                help="GPUs in all, such as 16 or 0.5.",
            ),
            click.option(
                "--nodes", type=click.IntRange(min=1), metavar="N", help="Nodes to spread over.  [default: 1]"
            ),
            click.option(
                "--min-runtime",
                callback=options.quantity(parse_duration),
                metavar="DURATION",
                help="Protection to ask for, such as 4h; none buys spare cycles.",
            ),
            click.option(
                "--time-limit",
                callback=options.quantity(parse_duration),
                metavar="DURATION",
                help="When it would be ended.",
            ),
            click.option(
                "--kind", type=click.Choice(["batch", "interactive"]), help="What it is.  [default: batch]"
            ),
            click.option("--priority", type=int, metavar="N", help="Among your own jobs only.  [default: 0]"),
            click.option(
                "--topology",
                type=click.Choice(["any", "block"]),
                help="Whether to stay in one block of nodes.",
            ),
            click.option(
                "--label",
                "labels",
                multiple=True,
                callback=_labels,
                metavar="KEY=VALUE",
                help="A label that rules may read; repeatable.",
            ),
        )
    ):
        function = option(function)
    return function


@options.command(
    "quote",
    examples=(
        "policyctl quote --account /language/pretrain --user r017 --pool h100 --gpus 64 --nodes 8 --min-runtime 8h \\",
        "                --state state.json",
        "policyctl quote 48213 --state state.json                     # a waiting job as it stands",
        "policyctl quote 48213 --min-runtime 2h --state state.json    # the same job, asking for less",
    ),
)
@click.argument("job", metavar="[JOB]", required=False)
@submission
@question
@options.formats("text", "json")
@click.pass_context
def quote(
    context: click.Context,
    /,
    job: str | None,
    asked: Question,
    output: str,
    **said: Any,
) -> None:
    """Say what a submission would buy, what it would cost, where it would stand, and what less protection would change.

    Without JOB the options describe a submission that does not exist yet. With JOB, a waiting job of the state, they
    change it before it is quoted.
    """
    answer = quoting.quote(
        asked.situation, _job(asked, job, {key: value for key, value in said.items() if value is not None})
    )
    if output == "json":
        text = answers_json.quotation(answer, asked.basis)
    else:
        text = quote_text.render(answer, asked.basis, colour=options.coloured())
    click.echo(text, nl=False)
    context.exit(Exit.OK if answer.klass else Exit.NO_ANSWER)


def _job(asked: Question, identity: str | None, said: dict[str, Any]) -> Job:
    if identity is not None:
        known = asked.situation.job(identity)
        if known.start is not None:
            raise UsageProblem(
                f"job `{identity}` runs already", help=f"`policyctl explain {identity}` says what it has"
            )
        return replace(known, **said)
    pools = asked.situation.pools()
    if len(pools) == 1:
        said.setdefault("pool", pools[0])
    missing = [name for name in ("account", "user", "pool", "gpus") if name not in said]
    if missing:
        flags = " and ".join(f"`--{name}`" for name in missing)
        raise UsageProblem(f"a submission needs {flags}", help="or name a waiting JOB of the state")
    asked.situation.pool(said["pool"])
    assert {field.name for field in fields(Job)} >= set(said)
    return Job(id=NEW, submit=asked.now, **said)
