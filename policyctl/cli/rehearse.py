"""`policyctl rehearse`: do scenarios go as they should."""

from __future__ import annotations

from pathlib import Path

import click

from policyctl.cli import options
from policyctl.cli.scenarios import LoadedScenario, built_in, load_scenario
from policyctl.cli.sources import load_policy
from policyctl.errors import Exit, NothingVerified
from policyctl.render import rehearsal_json, rehearsal_text
from policyctl.sim.scenarios.rehearse import Rehearsal, rehearse

__all__ = ["rehearse_"]


@options.command(
    "rehearse",
    examples=(
        "policyctl rehearse                              # all that come with policyctl",
        "policyctl rehearse rack-failure budget-cut --seed 7",
        "policyctl rehearse scenarios/friday.yaml --policy policies",
    ),
)
@click.argument("scenarios", nargs=-1, metavar="[NAME|FILE]...")
@options.policy_source
@click.option(
    "--seed",
    "seeds",
    type=click.IntRange(min=0),
    multiple=True,
    metavar="N",
    help="Instead of the scenario's own seeds.",
)
@options.formats("text", "json")
@click.pass_context
def rehearse_(
    context: click.Context,
    /,
    *,
    scenarios: tuple[str, ...],
    policy: Path | None,
    bundle: str | None,
    seeds: tuple[int, ...],
    output: str,
) -> None:
    """Run scenarios and hold what happens to what they expect; exit code 1 if anything is missed.

    A scenario brings its own policy; with --policy or --bundle that one takes its place.
    """
    own = None if policy is None and bundle is None else load_policy(policy, bundle)
    loaded = [load_scenario(one, policy=own) for one in scenarios or built_in()]
    done = [(run, one.policy.digest) for one in loaded for run in _rehearsed(one, seeds)]
    if output == "json":
        text = rehearsal_json.render(done)
    else:
        text = "\n".join(rehearsal_text.render(run.scenario.name, run.seed, run.verdicts) for run, _ in done)
    click.echo(text, nl=False)
    context.exit(Exit.OK if all(run.held for run, _ in done) else Exit.FINDINGS)


def _rehearsed(loaded: LoadedScenario, seeds: tuple[int, ...]) -> list[Rehearsal]:
    scenario = loaded.scenario
    if not scenario.expectations:
        raise NothingVerified(f"`{scenario.name}` expects nothing", help="say what must hold, under `expect`")
    return [rehearse(scenario, loaded.policy.policy, seed=seed) for seed in seeds or scenario.seeds]
