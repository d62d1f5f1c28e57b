"""`policyctl timeline`: what changes without a commit, and when."""

from __future__ import annotations

from pathlib import Path

import click

from policyctl.agenda.timeline import agenda
from policyctl.cli import options
from policyctl.cli.sources import load_policy
from policyctl.errors import UsageProblem
from policyctl.render import timeline_json, timeline_text
from policyctl.units import BadQuantity, Instant, format_instant, parse_instant

__all__ = ["timeline"]

_AHEAD = 90 * 86_400
_FURTHEST = 20 * 366 * 86_400


@options.command(
    "timeline",
    examples=(
        "policyctl timeline",
        "policyctl timeline --until 2027-01-01T00:00:00Z",
        "policyctl timeline --bundle policy.bundle --now 2026-09-01T00:00:00Z --format json",
    ),
)
@options.policy_source
@click.option("--until", metavar="INSTANT", help="The last instant to look at.  [default: 90 days after now]")
@options.now
@options.formats("text", "json")
def timeline(policy: Path | None, bundle: str | None, until: str | None, now: Instant, output: str) -> None:
    """Say every instant at which anything changes without a commit, and what changes then.

    Budgets and exceptions that begin or end, review dates, and where a calendar window begins anew. Shares are parts
    of the whole pool, before and after. Rules that read the clock are named, not resolved.
    """
    last = Instant(now + _AHEAD) if until is None else _instant(until)
    if last <= now:
        raise UsageProblem(
            f"`--until` is not after now, {format_instant(now)}",
            help="name a later instant, or an earlier `--now`",
        )
    if last - now > _FURTHEST:
        raise UsageProblem("`--until` is more than 20 years away", help="name an earlier instant")
    loaded = load_policy(policy, bundle)
    found = agenda(loaded.policy, now=now, until=last)
    if output == "json":
        text = timeline_json.render(found, meaning=loaded.digest)
    else:
        text = timeline_text.render(
            found, meaning=loaded.digest, colour=options.coloured(), columns=options.columns()
        )
    click.echo(text, nl=False)


def _instant(text: str) -> Instant:
    try:
        return parse_instant(text)
    except BadQuantity as problem:
        raise UsageProblem(f"`--until`: {problem}", help=problem.help) from None
