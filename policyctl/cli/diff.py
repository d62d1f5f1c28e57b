"""`policyctl diff`: what a change of the policy means, and which way each right goes."""

from __future__ import annotations

from pathlib import Path

import click

from policyctl.cli import options
from policyctl.cli.command_line import reproducing
from policyctl.cli.comparing import comparison
from policyctl.cli.named_path import NAMED_PATH
from policyctl.cli.sides import sides
from policyctl.cli.workload_options import WorkloadOptions, replayed
from policyctl.render import diff_json, diff_markdown, diff_text
from policyctl.units import Instant
from policyctl.workspace.files import write_beside

__all__ = ["diff"]


@options.command(
    "diff",
    examples=(
        "policyctl diff",
        "policyctl diff --staged",
        "policyctl diff v1.0 main --format json",
        "policyctl diff main --state state.json",
        "policyctl diff --workload workload.json --seed 1 --seed 2",
        "policyctl diff ../before/policies ./policies",
        "policyctl diff --format markdown > comment.md",
        "policyctl diff --workload workload.json --report change.html",
    ),
)
@click.argument("base", required=False)
@click.argument("head", required=False)
@click.option(
    "--policy",
    "folder",
    type=NAMED_PATH,
    metavar="DIR",
    default=options.DEFAULT_POLICY,
    show_default=True,
    help="The folder of the policy, here and in every revision.",
)
@click.option("--staged", is_flag=True, help="Compare with what is staged instead of the working tree.")
@click.option("--state", metavar="FILE", help="Also say which jobs of this state stand differently.")
@replayed
@options.formats("text", "json", "markdown")
@options.report("Write everything as one page, with charts of a replay, too.")
@options.now
def diff(  # noqa: PLR0917 - one for each option
    base: str | None,
    head: str | None,
    folder: Path,
    staged: bool,  # noqa: FBT001 - an option
    state: str | None,
    output: str,
    page: str | None,
    now: Instant,
    replay: WorkloadOptions | None,
) -> None:
    """Say what HEAD changes in BASE: who holds and pays what, and whose rights grow or shrink.

    BASE and HEAD are revisions, folders or bundles. By default BASE is where HEAD left the default branch, and HEAD
    the working tree. Nothing is checked out. Exit code 0 whatever changed, 1 if HEAD has errors, 3 if there is
    nothing to compare with, 5 if there is no policy file on either side.
    """
    found = comparison(sides(base, head, folder, staged=staged), folder, state, now, replay)
    compared = found.compared
    if page is not None:
        # Only a page is made from templates.
        from policyctl.cli.diff_page import page_of  # noqa: PLC0415

        write_beside(Path(page), page_of(found, reproducing(now=now), state=state).encode())
    if output == "json":
        text = diff_json.render(compared)
    elif output == "markdown":
        text = diff_markdown.render(compared)
    else:
        text = diff_text.render(compared, colour=options.coloured(), columns=options.columns())
    click.echo(text, nl=False)
