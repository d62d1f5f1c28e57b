"""The few rule shapes that generated policies use, each beside what it means in plain Python."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction

from policyctl.model.jobs import Job

__all__ = ["CAP_RULES", "GUARD_RULES", "Fault", "Scene"]


class Fault(Exception):
    """The rule has no value on this job."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """What a guard looks at: who asks, who would go, how that one stands; `at_risk` counts GPU-seconds."""

    job: Job
    victim: Job
    now: int
    protected: bool
    funded: bool
    at_risk: Fraction


def _label(job: Job, name: str) -> str:
    if name not in job.labels:
        raise Fault(name)
    return job.labels[name]


CAP_RULES: dict[str, Callable[[Job, int], bool]] = {
    "true": lambda _job, _now: True,
    "false": lambda _job, _now: False,
    'job.kind == "interactive"': lambda job, _now: job.kind == "interactive",
    "job.gpus >= 2": lambda job, _now: job.gpus >= 2000,
    "job.gpus < 0.5 || job.priority > 0": lambda job, _now: job.gpus < 500 or job.priority > 0,
    'job.user == "u1" && !job.resumable': lambda job, _now: job.user == "u1" and not job.resumable,
    'job.account.startsWith("/a/")': lambda job, _now: job.account.startswith("/a/"),
    'job.min_runtime > duration("100s")': lambda job, _now: job.min_runtime > 100,
    'has(job.time_limit) && job.time_limit < duration("200s")': lambda job, _now: (
        job.time_limit is not None and job.time_limit < 200
    ),
    "now.getMinutes() % 2 == 0": lambda _job, now: datetime.fromtimestamp(now, UTC).minute % 2 == 0,
    '"team" in job.labels && job.labels["team"] == "x"': lambda job, _now: job.labels.get("team") == "x",
    'job.labels["team"] == "x"': lambda job, _now: _label(job, "team") == "x",
}
"""Conditions of cap rules by their text; the last one faults on a job without the label."""


GUARD_RULES: dict[str, Callable[[Scene], bool]] = {
    'victim.kind == "interactive"': lambda scene: scene.victim.kind == "interactive",
    'victim.running_for < duration("60s")': lambda scene: scene.now - (scene.victim.start or 0) < 60,
    'victim.class == "opportunistic" && job.gpus < 1': lambda scene: (
        not scene.funded and scene.job.gpus < 1000
    ),
    "victim.protected": lambda scene: scene.protected,
    "victim.work_at_risk > 0.125": lambda scene: scene.at_risk > 450,
    "preemptor.user == victim.user": lambda scene: scene.job.user == scene.victim.user,
    "now.getMinutes() % 2 == 1": lambda scene: datetime.fromtimestamp(scene.now, UTC).minute % 2 == 1,
    "job.priority <= victim.priority && job.nodes > 1": lambda scene: (
        scene.job.priority <= scene.victim.priority and scene.job.nodes > 1
    ),
}
"""Conditions of guards by their text."""
