"""Whether a simulation did what was expected of it: for each expectation, what it looked at and where it fell short."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import assert_never

from policyctl.model.policy import Policy
from policyctl.sim.scenarios import of_accounts, of_jobs, of_nodes
from policyctl.sim.scenarios.expectations import (
    Completes,
    EmptiesWithin,
    Expectation,
    HitsOnly,
    IgnoresPriorities,
    KeepsContracts,
    LosesAtMost,
    Portion,
    Preempted,
    ProtectedAtMost,
    RunsAtMost,
    StartsWithin,
)
from policyctl.sim.scenarios.history import JobHistory, matching
from policyctl.sim.scenarios.miss import Miss, Verdict
from policyctl.sim.scenarios.scenario import Scenario

__all__ = ["Trial", "verdict"]

OfJobs = StartsWithin | Completes | RunsAtMost | Preempted | KeepsContracts | ProtectedAtMost | LosesAtMost


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """What happened in a scenario up to `now`: the history of every job.

    `twin` is the same with every priority erased; empty where no expectation asks for it.
    """

    scenario: Scenario
    policy: Policy
    now: int
    jobs: Mapping[str, JobHistory]
    twin: Mapping[str, JobHistory]


def verdict(wanted: Expectation, trial: Trial) -> Verdict:
    """Hold a trial to an expectation; one that is about no job at all is missed, for silence would read as success."""
    everyone = list(trial.jobs.values())
    match wanted:
        case Portion():
            pool = trial.policy.pool(wanted.pool)
            assert pool is not None, "readers refuse pools that do not exist"
            jobs = of_accounts.below(wanted.account, everyone, wanted.pool)
            return _said(wanted, len(jobs), of_accounts.portion(wanted, jobs, pool, trial.scenario.start))
        case HitsOnly():
            incident = trial.scenario.incidents[wanted.incident]
            return _said(wanted, len(everyone), of_nodes.hits_only(incident, everyone))
        case EmptiesWithin():
            incident = trial.scenario.incidents[wanted.incident]
            return _said(wanted, len(everyone), of_nodes.empties_within(wanted, incident, everyone))
        case IgnoresPriorities():
            twin = list(trial.twin.values())
            return _said(wanted, len(everyone), of_accounts.ignores_priorities(wanted.among, everyone, twin))
        case _:
            return _of_jobs(wanted, matching(trial.jobs, wanted.jobs), trial.now)


def _of_jobs(wanted: OfJobs, jobs: list[JobHistory], now: int) -> Verdict:
    if not any(job.submitted is not None for job in jobs):
        nothing = Miss(subject=wanted.jobs, seen=None, bound=1, unit="jobs")
        return Verdict(expectation=wanted, jobs=0, misses=(nothing,))
    match wanted:
        case StartsWithin():
            return _said(wanted, len(jobs), of_jobs.starts_within(wanted, jobs, now))
        case Completes():
            return _said(wanted, len(jobs), of_jobs.completes(wanted, jobs, now))
        case RunsAtMost():
            return _said(wanted, len(jobs), of_jobs.runs_at_most(wanted, jobs))
        case Preempted():
            return _said(wanted, len(jobs), of_jobs.preempted(wanted, jobs))
        case KeepsContracts():
            return _said(wanted, len(jobs), of_jobs.keeps_contracts(wanted, jobs))
        case ProtectedAtMost():
            return _said(wanted, len(jobs), of_jobs.protected_at_most(wanted, jobs))
        case LosesAtMost():
            return _said(wanted, len(jobs), of_jobs.loses_at_most(wanted, jobs))
        case _:
            assert_never(wanted)


def _said(wanted: Expectation, jobs: int, misses: Iterable[Miss]) -> Verdict:
    return Verdict(expectation=wanted, jobs=jobs, misses=tuple(misses))
