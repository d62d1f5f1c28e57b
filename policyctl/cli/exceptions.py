"""`policyctl exceptions`: which temporary changes are in force, end soon, are over, or do nothing."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import click

from policyctl.agenda.effect import Effect, Effects
from policyctl.agenda.exceptions import Phase, Review, review
from policyctl.agenda.extensions import extensions
from policyctl.cli import options
from policyctl.cli.asking import read_cluster
from policyctl.cli.sources import load_policy
from policyctl.decide.situation import Situation
from policyctl.errors import Exit, UsageProblem
from policyctl.model.jobs import ClusterState
from policyctl.model.policy import Policy
from policyctl.render import exceptions_json, exceptions_text
from policyctl.units import Instant, Seconds, parse_duration, parse_instant
from policyctl.workspace.versions import file_versions

__all__ = ["exceptions"]


@options.command(
    "exceptions",
    examples=(
        "policyctl exceptions",
        "policyctl exceptions --expiring 7d --strict",
        "policyctl exceptions --state state.json --format json",
    ),
)
@options.policy_source
@click.option(
    "--expiring",
    default="14d",
    show_default=True,
    callback=options.quantity(parse_duration),
    metavar="DURATION",
    help="How near an end counts as expiring.",
)
@click.option(
    "--state", metavar="FILE", help="Compare decisions on this state with and without each exception."
)
@click.option("--strict", is_flag=True, help="Exit code 1 for one that expired or was renewed too often.")
@click.option(
    "--now",
    callback=options.quantity(parse_instant),
    metavar="INSTANT",
    help="Answer as of this instant.  [default: the state's own time, else the system clock]",
)
@options.formats("text", "json")
@click.pass_context
def exceptions(
    context: click.Context,
    *,
    policy: Path | None,
    bundle: str | None,
    expiring: Seconds,
    state: str | None,
    strict: bool,
    now: Instant | None,
    output: str,
) -> None:
    """Say of every exception whether it is in force, how long still, and whether it does anything.

    Expired ones do not fail, unless with --strict: nobody's main branch turns red overnight. Renewals are counted from
    the documents and, for a folder in git, from the history of each file.
    """
    if bundle == "-" and state == "-":
        raise UsageProblem(
            "bundle and state cannot both come from standard input", help="give one of them as a file"
        )
    loaded = load_policy(policy, bundle)
    known = None if state is None else read_cluster(state, loaded.policy)
    at = now if now is not None else options.clock() if known is None else known.time
    moved = _extended(loaded.policy) if bundle is None else {}
    reviews = review(loaded.policy, now=at, soon=expiring, extended=moved)
    effects = _effects(loaded.policy, known, at, reviews)
    click.echo(_rendered(reviews, effects, at, loaded.digest, output), nl=False)
    lapsed = any(one.phase is Phase.EXPIRED or one.too_often for one in reviews)
    context.exit(Exit.FINDINGS if strict and lapsed else Exit.OK)


def _rendered(
    reviews: tuple[Review, ...], effects: Mapping[str, Effect], now: Instant, meaning: str, output: str
) -> str:
    if output == "json":
        return exceptions_json.render(reviews, effects, now=now, meaning=meaning)
    return exceptions_text.render(
        reviews, effects, now=now, meaning=meaning, colour=options.coloured(), columns=options.columns()
    )


def _extended(policy: Policy) -> dict[str, int]:
    """Count the extensions of each exception from the history of its file; what is not known is said once."""
    found, missing = {}, set()
    for one in policy.exceptions:
        path = Path(one.place.file)
        versions = file_versions(path.parent, path.name)
        found[one.name] = extensions(versions.texts, one.name)
        missing |= {versions.missing} - {None}
    for why in sorted(missing, key=str):
        click.echo(f"note: there may be more renewals than the files tell: {why}", err=True)
    return found


def _effects(
    policy: Policy, state: ClusterState | None, now: Instant, reviews: tuple[Review, ...]
) -> Mapping[str, Effect]:
    """Compare the decisions of every exception that may bear on a job: an expired one may on those that still run."""
    if state is None:
        return {}
    effects = Effects(Situation(policy, state, now))
    return {
        one.exception.name: effects.of(one.exception.name)
        for one in reviews
        if one.phase is not Phase.UPCOMING
    }
