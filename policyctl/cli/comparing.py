"""Both sides read and compared, with the jobs of a state and the impact on a workload where they are asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from policyctl.cli.sides import BaseSide, Side, base_policy, head_policy
from policyctl.cli.workload_options import WorkloadOptions
from policyctl.diff.compare import compare
from policyctl.errors import NoAnswer, NothingVerified
from policyctl.model.change import Change, Compared, JobMove
from policyctl.model.impact import Impact
from policyctl.model.measures import Measures
from policyctl.model.policy import Policy
from policyctl.units import Instant

__all__ = ["Comparison", "Replayed", "comparison"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """What a replay came to, what was measured of each side, seed by seed, and what was replayed, by its SHA-256."""

    impact: Impact
    base: tuple[Measures, ...]
    head: tuple[Measures, ...]
    digests: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What was compared and what it came to; neither side was read where no file differs."""

    compared: Compared
    base: BaseSide = field(default_factory=lambda: BaseSide(policy=None))
    head: Policy | None = None
    replayed: Replayed | None = None


def comparison(
    two: tuple[Side, Side], folder: Path, state: str | None, now: Instant, replay: WorkloadOptions | None
) -> Comparison:
    """Compare two sides; findings of the head end the command with exit code 1.

    Raises NothingVerified where neither side has a policy, NoAnswer where the base cannot be replayed, and what reading
    a state or a workload raises.
    """
    before, after = two
    if before.files == {} == after.files:
        raise NothingVerified(
            f"there is no policy file in `{folder}` on either side",
            help="say where the policy is: `--policy DIR`",
        )
    if before.files is not None and before.files == after.files:
        same = Compared(base=before.label, head=after.label, change=Change(), same_files=True)
        return Comparison(compared=same if state is None else replace(same, jobs=()))
    new = head_policy(after, folder)
    old = base_policy(before)
    change = None if old.policy is None else compare(old.policy, new, now=now)
    jobs = None if state is None or old.policy is None else _jobs(old.policy, new, state)
    replayed = None if replay is None else _replayed(old.policy, new, replay)
    return Comparison(
        compared=Compared(
            base=before.label,
            head=after.label,
            change=change,
            base_errors=old.errors,
            left_out=old.left_out,
            jobs=jobs,
            impact=None if replayed is None else replayed.impact,
        ),
        base=old,
        head=new,
        replayed=replayed,
    )


def _replayed(old: Policy | None, new: Policy, replay: WorkloadOptions) -> Replayed:
    # Most comparisons replay nothing, and what replays takes long to load.
    from policyctl.cli.impact import replayed_sides  # noqa: PLC0415

    if old is None:
        raise NoAnswer("nothing of the base could be read, so there is no policy to replay under")
    return replayed_sides(old, new, replay)


def _jobs(old: Policy, new: Policy, state: str) -> tuple[JobMove, ...]:
    # Ranking needs numpy, which a comparison of texts does not.
    from policyctl.cli.asking import read_cluster  # noqa: PLC0415
    from policyctl.decide.situation import Situation  # noqa: PLC0415
    from policyctl.diff.decisions import job_moves  # noqa: PLC0415

    known = read_cluster(state, new)
    return job_moves(Situation(old, known, known.time), Situation(new, known, known.time))
