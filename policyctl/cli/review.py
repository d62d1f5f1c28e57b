"""`policyctl review`: are the approvals there that this change needs."""

from __future__ import annotations

from pathlib import Path

import click

from policyctl.adapters.github_reviews import read_approvals, read_members
from policyctl.cli import options
from policyctl.cli.seen import Seen
from policyctl.cli.sides import Side, base_policy, head_policy, sides
from policyctl.diff.compare import compare
from policyctl.errors import Exit, NoAnswer, UsageProblem
from policyctl.govern.facts import change_digest
from policyctl.govern.judge import Members, Outcome, judge
from policyctl.govern.requirements import requirements
from policyctl.govern.reviews import ApprovalFile, standing
from policyctl.model.change import Change
from policyctl.model.policy import Policy
from policyctl.render import review_json, review_text
from policyctl.units import Instant
from policyctl.workspace.files import read_bytes

__all__ = ["review"]

_MOST = 64 * 1024**2


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
    type=click.Path(path_type=Path),
    metavar="DIR",
    default=options.DEFAULT_POLICY,
    show_default=True,
    help="The folder of the policy, here and in every revision.",
)
@options.formats("text", "json")
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
    that changes none. Exit code 0 if every requirement is satisfied, 1 if not, 3 if BASE has no policy to judge by.
    """
    if approvals == "-" and members == "-":
        raise UsageProblem("only one of both can come from standard input", help="give the other as a file")
    given = read_approvals(read_bytes(approvals, most=_MOST), approvals)
    known = {} if members is None else read_members(read_bytes(members, most=_MOST), members)
    before, after = sides(base, head, folder, staged=False)
    old, new = _base(before), head_policy(after, folder)
    change = compare(old, new, now=now)
    seen = Seen(digest=change_digest(old, new, change), policy=old, base=base, folder=folder, now=now)
    outcome = _judged((before.label, after.label), (old, new, change), given, known, seen)
    text = (
        review_json.render(outcome)
        if output == "json"
        else review_text.render(outcome, columns=options.columns())
    )
    click.echo(text, nl=False)
    context.exit(Exit.OK if outcome.satisfied else Exit.FINDINGS)


def _base(side: Side) -> Policy:
    """Return the policy that judges; one that cannot be read as a whole might lack the very rule that holds."""
    found = base_policy(side)
    if found.policy is None or found.left_out:
        raise NoAnswer(
            f"{side.label} has no policy that can be read as a whole, so nobody's rules are known",
            help="such a change is merged by whoever administers the repository",
        )
    return found.policy


def _judged(
    labels: tuple[str, str],
    compared: tuple[Policy, Policy, Change],
    given: ApprovalFile,
    members: Members,
    seen: Seen,
) -> Outcome:
    old, new, change = compared
    needed = requirements(old, new, change, given.author)
    same = seen.same(one.commit for one in given.reviews) if needed else {}
    return Outcome(
        base=labels[0],
        head=labels[1],
        author=given.author,
        digest=seen.digest,
        judged=judge(needed, standing(given, same), old.governance, members),
    )
