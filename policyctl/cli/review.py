"""`policyctl review`: are the approvals there that this change needs."""

from __future__ import annotations

from pathlib import Path

import click

from policyctl.cli import options
from policyctl.cli.named_path import NAMED_PATH
from policyctl.cli.reviewing import approvals_of, judged_by, outcome
from policyctl.cli.sides import head_policy, sides
from policyctl.errors import Exit
from policyctl.govern.judge import Outcome
from policyctl.render import review_json, review_markdown, review_text
from policyctl.units import Instant

__all__ = ["review"]


@options.command(
    "review",
    examples=(
        "policyctl review --approvals approvals.json --members members.json",
        "policyctl review --approvals approvals.json origin/main HEAD --format json",
    ),
)
@click.argument("base", required=False)
@click.argument("head", required=False)
@click.option(
    "--approvals",
    required=True,
    metavar="FILE",
    help="GitHub's `reviews` and `commits` of the pull request as one JSON object; `-` is standard input.",
)
@click.option("--members", metavar="FILE", help='Who is in which team, as JSON: `{"@org/team": ["user"]}`.')
@click.option(
    "--policy",
    "folder",
    type=NAMED_PATH,
    metavar="DIR",
    default=options.DEFAULT_POLICY,
    show_default=True,
    help="The folder of the policy, here and in every revision.",
)
@options.formats("text", "json", "markdown")
@options.now
@click.pass_context
def review(
    context: click.Context,
    *,
    base: str | None,
    head: str | None,
    approvals: str,
    members: str | None,
    folder: Path,
    output: str,
    now: Instant,
) -> None:
    """Say which approvals a change needs by the rules of BASE, and which of them are there.

    BASE and HEAD are as for `diff`. An approval counts for the meaning that its commit had, so that it survives a push
    that changes none. Exit code 0 if every requirement is satisfied, 1 if not, 3 if the policy of BASE cannot be read.
    """
    known = approvals_of(approvals, members)
    before, after = sides(base, head, folder, staged=False)
    policies = judged_by(before), head_policy(after, folder)
    judged = outcome((before, after), policies, known, base=base, folder=folder, now=now)
    click.echo(_rendered(judged, output), nl=False)
    context.exit(Exit.OK if judged.satisfied else Exit.FINDINGS)


def _rendered(judged: Outcome, output: str) -> str:
    match output:
        case "json":
            return review_json.render(judged)
        case "markdown":
            return review_markdown.render(judged)
        case _:
            return review_text.render(judged, columns=options.columns())
