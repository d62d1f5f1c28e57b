"""Both sides of a change, replayed on one workload with the same luck."""

from __future__ import annotations

from typing import Final

import click

from policyctl.cli.comparing import Replayed
from policyctl.cli.progress import watching
from policyctl.cli.sources import LoadedPolicy
from policyctl.cli.workload_options import WorkloadOptions
from policyctl.cli.workload_source import asked_under
from policyctl.impact.difference import impact
from policyctl.model.policy import Policy
from policyctl.sim.contest import Contest, Contestant
from policyctl.workspace.processes import cores
from policyctl.workspace.racing import Stopped, race

__all__ = ["replayed_sides"]

_SIGNALLED: Final = 128


def replayed_sides(base: Policy, head: Policy, replay: WorkloadOptions) -> Replayed:
    """Replay both sides, and measure them by the shares of the base.

    Raises UsageProblem where both sides do not have the same nodes, and what reading the workload raises.
    """
    what = asked_under(LoadedPolicy(policy=base, digest=""), replay)
    contest = Contest(
        contestants=(Contestant(name="base", policy=base), Contestant(name="head", policy=head)),
        seeds=what.seeds,
        workloads=what.workloads,
        until=what.until,
    )
    with watching(contest.start, contest.until, 2 * len(what.seeds)) as watch:
        ended = race(contest, jobs=cores(), watch=watch)
    if isinstance(ended, Stopped):
        click.echo("error: the replay was interrupted", err=True)
        raise click.exceptions.Exit(_SIGNALLED + ended.signal)
    runs = tuple(one.measures for one in ended)
    old, new = runs[: len(what.seeds)], runs[len(what.seeds) :]
    digests = {name: digest for name, digest in what.digests.items() if name != "policy"}
    return Replayed(impact=impact(old, new), base=old, head=new, digests=digests)
