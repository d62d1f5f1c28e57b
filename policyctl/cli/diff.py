"""`policyctl diff`: what a change of the policy means, and which way each right goes."""

from __future__ import annotations

from pathlib import Path

import click

from policyctl.cli import options
from policyctl.cli.sides import Side, base_policy, head_policy, sides
from policyctl.cli.workload_options import WorkloadOptions, replayed
from policyctl.diff.compare import compare
from policyctl.errors import NoAnswer, NothingVerified
from policyctl.model.change import Change, Compared, JobMove
from policyctl.model.impact import Impact
from policyctl.model.policy import Policy
from policyctl.render import diff_json, diff_markdown, diff_text
from policyctl.units import Instant

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
    ),
)
@click.argument("base", required=False)
@click.argument("head", required=False)
@click.option(
    "--policy",
    "folder",
    type=click.Path(path_type=Path),
    metavar="DIR",
    default=options.DEFAULT_POLICY,
    show_default=True,
    help="The folder of the policy, here and in every revision.",
)
@click.option("--staged", is_flag=True, help="Compare with what is staged instead of the working tree.")
@click.option("--state", metavar="FILE", help="Also say which jobs of this state stand differently.")
@replayed
@options.formats("text", "json", "markdown")
@options.now
def diff(  # noqa: PLR0917 - one for each option
    base: str | None,
    head: str | None,
    folder: Path,
    staged: bool,  # noqa: FBT001 - an option
    state: str | None,
    output: str,
    now: Instant,
    replay: WorkloadOptions | None,
) -> None:
    """Say what HEAD changes in BASE: who holds and pays what, and whose rights grow or shrink.

    BASE and HEAD are revisions, folders or bundles. By default BASE is where HEAD left the default branch, and HEAD
    the working tree. Nothing is checked out. Exit code 0 whatever changed, 1 if HEAD has errors, 3 if there is
    nothing to compare with, 5 if there is no policy file on either side.
    """
    compared = _compared(sides(base, head, folder, staged=staged), folder, state, now, replay)
    if output == "json":
        text = diff_json.render(compared)
    elif output == "markdown":
        text = diff_markdown.render(compared)
    else:
        text = diff_text.render(compared, colour=options.coloured(), columns=options.columns())
    click.echo(text, nl=False)


def _compared(
    two: tuple[Side, Side], folder: Path, state: str | None, now: Instant, replay: WorkloadOptions | None
) -> Compared:
    before, after = two
    if before.files == {} == after.files:
        raise NothingVerified(
            f"there is no policy file in `{folder}` on either side",
            help="say where the policy is: `--policy DIR`",
        )
    if before.files is not None and before.files == after.files:
        jobs = None if state is None else ()
        return Compared(base=before.label, head=after.label, change=Change(), same_files=True, jobs=jobs)
    new = head_policy(after, folder)
    old = base_policy(before)
    return Compared(
        base=before.label,
        head=after.label,
        change=None if old.policy is None else compare(old.policy, new, now=now),
        base_errors=old.errors,
        left_out=old.left_out,
        jobs=None if state is None or old.policy is None else _jobs(old.policy, new, state),
        impact=None if replay is None else _impact(old.policy, new, replay),
    )


def _impact(old: Policy | None, new: Policy, replay: WorkloadOptions) -> Impact:
    # Most comparisons replay nothing, and what replays takes long to load.
    from policyctl.cli.impact import impact_of  # noqa: PLC0415

    if old is None:
        raise NoAnswer("nothing of the base could be read, so there is no policy to replay under")
    return impact_of(old, new, replay)


def _jobs(old: Policy, new: Policy, state: str) -> tuple[JobMove, ...]:
    # Ranking needs numpy, which a comparison of texts does not.
    from policyctl.cli.asking import read_cluster  # noqa: PLC0415
    from policyctl.decide.situation import Situation  # noqa: PLC0415
    from policyctl.diff.decisions import job_moves  # noqa: PLC0415

    known = read_cluster(state, new)
    return job_moves(Situation(old, known, known.time), Situation(new, known, known.time))
