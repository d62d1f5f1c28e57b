"""What every question needs: the policy, the state of the cluster, and the instant of the question."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click

from policyctl.adapters.state_json import read_state
from policyctl.cli import options
from policyctl.cli.sources import load_policy
from policyctl.decide.situation import Situation
from policyctl.diagnostics import Report
from policyctl.errors import Exit, UsageProblem
from policyctl.model.jobs import ClusterState
from policyctl.model.policy import Policy
from policyctl.render.basis import Basis
from policyctl.render.findings_text import render
from policyctl.units import Instant, format_duration, format_instant
from policyctl.workspace.files import read_bytes

__all__ = ["Question", "ask", "pool_option", "pools_asked", "question"]

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A situation to be asked about, and the digest of what the policy that answers means."""

    situation: Situation
    meaning: str

    @property
    def policy(self) -> Policy:
        """The policy that answers."""
        return self.situation.policy

    @property
    def basis(self) -> Basis:
        """What every answer says it stands on."""
        return Basis(meaning=self.meaning, now=self.now, state_time=self.situation.state.time)

    @property
    def now(self) -> Instant:
        """The instant of the question."""
        return self.situation.now


def question(function: Callable[..., None]) -> Callable[..., None]:
    """Take `--policy`, `--bundle`, `--state` and `--now`, and pass the `Question` they make as `asked`.

    A question at another instant than the state's is noted on standard error, except for programs that read json.
    """

    @wraps(function)
    def asking(
        *arguments: Any, policy: Path | None, bundle: str | None, state: str, now: Instant | None, **rest: Any
    ) -> None:
        asked = ask(policy, bundle, state, now)
        if rest.get("output") != "json":
            _note_distance(asked.now, asked.situation.state.time)
        function(*arguments, asked=asked, **rest)

    return options.policy_source(options.state(options.now_or_state(asking)))


def ask(policy: Path | None, bundle: str | None, state: str, now: Instant | None) -> Question:
    """Load policy and state; `now` None is the time of the state.

    Ends the command with exit code 1 where the state has errors, after showing all of them on standard error.
    """
    if bundle == "-" and state == "-":
        raise UsageProblem(
            "bundle and state cannot both come from standard input", help="give one of them as a file"
        )
    loaded = load_policy(policy, bundle)
    known = read_cluster(state, loaded.policy)
    return Question(
        situation=Situation(loaded.policy, known, known.time if now is None else now), meaning=loaded.digest
    )


def _note_distance(now: Instant, state_time: Instant) -> None:
    if now == state_time:
        return
    away = f"{format_duration(abs(now - state_time))} {'after' if now > state_time else 'before'}"
    gap = "what happened since is not in it" if now > state_time else "it knows what happened later"
    click.echo(
        f"note: the question is of {format_instant(now)}, {away} the state of {format_instant(state_time)}: {gap}",
        err=True,
    )


def read_cluster(state: str, policy: Policy) -> ClusterState:
    """Read a state file against the pools of a policy; findings go to standard error."""
    name = "(standard input)" if state == "-" else state
    data = read_bytes(state)
    read = read_state(data, file=name, pools=frozenset(pool.name for pool in policy.pools))
    if read.findings:
        report = Report(findings=read.findings, files=1, sources={name: data.decode(errors="replace")})
        click.echo(render(report, colour=options.coloured(sys.stderr)), err=True, nl=False)
    if read.state is None:
        raise click.exceptions.Exit(Exit.FINDINGS)
    return read.state


def pool_option(function: Decorated) -> Decorated:
    """Pass `pool`: one pool instead of all."""
    return click.option("--pool", metavar="POOL", help="Only this pool.  [default: all]")(function)


def pools_asked(situation: Situation, pool: str | None) -> tuple[str, ...]:
    """Return the pool asked for, or all; raises UsageProblem for one that does not exist."""
    if pool is None:
        return situation.pools()
    return (situation.pool(pool).pool.name,)
