"""`policyctl usage`: allocation beside measured consumption."""

from __future__ import annotations

import click

from policyctl.cli import options
from policyctl.cli.asking import Question, pool_option, pools_asked, question
from policyctl.decide.usage import pool_usage
from policyctl.render import answers_json, usage_text

__all__ = ["usage"]


@options.command(
    "usage",
    examples=(
        "policyctl usage --state state.json",
        "policyctl usage --state state.json --pool h100",
        "policyctl usage --state state.json --format json | jq '.pools.h100.accounts[].owed_gpu_hours'",
    ),
)
@question
@pool_option
@options.formats("text", "json")
def usage(asked: Question, pool: str | None, output: str) -> None:
    """Say for every account what it is entitled to, was charged, has committed, is owed, and used opportunistically.

    All figures are GPU-hours as the accounting window weighs them, at the charge rate of the pool.
    """
    pools = [pool_usage(asked.situation.pool(name)) for name in pools_asked(asked.situation, pool)]
    if output == "json":
        text = answers_json.usage(pools, asked.basis)
    else:
        text = usage_text.render(pools, asked.basis, colour=options.coloured(), columns=options.columns())
    click.echo(text, nl=False)
