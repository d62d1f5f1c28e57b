"""What an answer says, as facts ready to be compared, and what it was about, which coverage counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from policyctl.decide.situation import Situation
from policyctl.govern.gates import Gate
from policyctl.govern.rules import RuleJudged
from policyctl.model.decisions import Authorization
from policyctl.model.jobs import Job
from policyctl.testing.case import Seen

__all__ = ["NONE", "AboutChange", "AboutJobs", "Answered"]

NONE = "none"
"""Stands for what an answer does not have: no cap, no rank, no instant."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AboutJobs:
    """The jobs of a situation that an answer is about; `everybody` says that it weighs all accounts of the pool.

    `judged` is the judgement of all victims that were looked at, None where the question was not about preemption.
    """

    situation: Situation
    pool: str
    jobs: tuple[Job, ...]
    everybody: bool = False
    judged: Authorization | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AboutChange:
    """What became of each approval rule and gate; none of them where the change means nothing.

    `limits` are those on exceptions that the change was held to, each with whether it refuses the change.
    """

    rules: tuple[RuleJudged, ...]
    gates: tuple[Gate, ...]
    limits: Mapping[str, bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """The facts of an answer by their path, and what it was about."""

    facts: Mapping[str, Seen]
    about: AboutJobs | AboutChange
