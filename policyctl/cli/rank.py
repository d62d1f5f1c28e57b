"""`policyctl rank`: who runs next."""

from __future__ import annotations

import click

from policyctl.cli import options
from policyctl.cli.asking import Question, pool_option, pools_asked, question
from policyctl.decide.rank import rank_pool
from policyctl.errors import Exit
from policyctl.render import answers_json, rank_text

__all__ = ["rank"]

_SCREEN = 20


@options.command(
    "rank",
    examples=(
        "policyctl rank --state state.json",
        "policyctl rank --state state.json --pool h100 --top 50",
        "policyctl rank --bundle policy.bundle --state - --format json < state.json",
    ),
)
@question
@pool_option
@click.option(
    "--top",
    type=click.IntRange(min=0),
    metavar="N",
    help="The first N of each pool, 0 for all.  [default: 20, json: all]",
)
@options.formats("text", "json")
@click.pass_context
def rank(
    context: click.Context,
    asked: Question,
    pool: str | None,
    top: int | None,
    output: str,
) -> None:
    """Order the waiting jobs of each pool: funded ones first, each class by hierarchical fair share.

    Jobs on which a rule of the policy fails are listed beside the order, and then the exit code is 1.
    """
    count = (_SCREEN if output == "text" else 0) if top is None else top
    pools = [
        rank_pool(asked.situation.pool(name), top=count or None)
        for name in pools_asked(asked.situation, pool)
    ]
    if output == "json":
        text = answers_json.ranking(pools, asked.basis)
    else:
        text = rank_text.render(pools, asked.basis, colour=options.coloured(), columns=options.columns())
    click.echo(text, nl=False)
    context.exit(Exit.FINDINGS if any(one.errors for one in pools) else Exit.OK)
