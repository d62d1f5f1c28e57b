"""Who a policy is compared with: other policies, bundles, and baselines, by what stands on the command line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from policyctl.cli.sources import LoadedPolicy, load_policy
from policyctl.errors import UsageProblem
from policyctl.sim.baselines import BASELINES
from policyctl.sim.contest import Contestant

__all__ = ["Field", "field_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """All contestants, the policy first, and the digests of those that are policies."""

    contestants: tuple[Contestant, ...]
    digests: Mapping[str, str]


def field_of(named: str, policy: LoadedPolicy, against: Sequence[str]) -> Field:
    """Load every contestant; raises UsageProblem for one that is given twice or is nothing known."""
    contestants = [Contestant(name=named, policy=policy.policy)]
    digests: dict[str, str] = {}
    for name in against:
        if name in {one.name for one in contestants}:
            raise UsageProblem(f"`{name}` takes part twice", help="give every contestant once")
        if name in BASELINES:
            contestants.append(Contestant(name=name, policy=policy.policy, baseline=name))
        else:
            other = _other(name)
            contestants.append(Contestant(name=name, policy=other.policy))
            digests[f"policy {name}"] = other.digest
    return Field(contestants=tuple(contestants), digests=digests)


def _other(name: str) -> LoadedPolicy:
    path = Path(name)
    if path.is_dir():
        return load_policy(path, None)
    if path.exists():
        return load_policy(None, name)
    known = ", ".join(f"`{one}`" for one in BASELINES)
    raise UsageProblem(
        f"`{name}` is no contestant", help=f"name the folder of a policy, a bundle, or one of {known}"
    )
