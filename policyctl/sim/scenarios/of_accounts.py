"""Expectations of accounts: which part of a pool they hold, and in which order their jobs start."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import zip_longest
from typing import Literal

from policyctl.model.policy import Pool
from policyctl.sim.scenarios.expectations import Portion
from policyctl.sim.scenarios.history import JobHistory
from policyctl.sim.scenarios.miss import Miss
from policyctl.units import Instant

__all__ = ["below", "ignores_priorities", "portion"]


def below(account: str, jobs: Sequence[JobHistory], pool: str) -> list[JobHistory]:
    """Return the jobs of an account and of all below it in a pool."""
    return [
        job
        for job in jobs
        if job.task.job.pool == pool
        and (account == "/" or f"{job.task.job.account}/".startswith(f"{account}/"))
    ]


def portion(wanted: Portion, jobs: Sequence[JobHistory], pool: Pool, start: Instant) -> Iterator[Miss]:
    """Compare the GPU time that `jobs` held between two instants with all that the pool has."""
    since, until = start + wanted.since, start + wanted.until
    held = sum(
        job.task.job.gpus * max(0, min(run.end, until) - max(run.start, since))
        for job in jobs
        for run in job.runs
    )
    part = Fraction(held, pool.gpus * 1000 * (until - since))
    if part < wanted.at_least:
        yield Miss(subject=wanted.account, seen=part, bound=wanted.at_least, unit="part")
    if part > wanted.at_most:
        yield Miss(subject=wanted.account, seen=part, bound=wanted.at_most, unit="part")


def ignores_priorities(
    among: Literal["users", "accounts"], jobs: Sequence[JobHistory], twin: Sequence[JobHistory]
) -> Iterator[Miss]:
    """Yield the first start that is another one once priorities are erased."""
    for mine, other in zip_longest(_starts(jobs, among), _starts(twin, among)):
        if mine != other:
            at, who = mine or other or (0, "")
            yield Miss(subject=who, seen=at, bound=(other or (0, ""))[0], unit="instant")
            return


def _starts(jobs: Sequence[JobHistory], among: Literal["users", "accounts"]) -> list[tuple[int, str]]:
    return sorted(
        (run.start, job.task.job.user if among == "users" else job.task.job.account)
        for job in jobs
        for run in job.runs
    )
