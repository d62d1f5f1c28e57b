"""Who works in a lab: researchers on the accounts of a policy, in proportion to what the accounts are entitled to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from policyctl.errors import UsageProblem
from policyctl.model.policy import Policy
from policyctl.model.tree import tree_at
from policyctl.sim.workloads.dice import Dice
from policyctl.sim.workloads.mix import LabMix

__all__ = ["Researcher", "hire"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Researcher:
    """A person: `wants` is how much of each pool's demand is hers, beside that of the others; not normalised."""

    name: str
    account: str
    wants: Mapping[str, float]
    inflates: bool


def hire(policy: Policy, mix: LabMix) -> tuple[Researcher, ...]:
    """Spread the researchers over the leaf accounts that have a share at the start, everywhere at least one.

    Raises UsageProblem where no account has a share, or there are fewer people than accounts.
    """
    entitled = _entitled(policy, mix)
    if not entitled:
        raise UsageProblem(
            "no account has a share at the start of the workload",
            help="choose a start at which a budget is in effect",
        )
    if mix.researchers < len(entitled):
        raise UsageProblem(
            f"{mix.researchers} researchers cannot work for {len(entitled)} accounts",
            help=f"ask for at least {len(entitled)} researchers",
        )
    heads = _heads({account: sum(pools.values()) for account, pools in entitled.items()}, mix.researchers)
    found: list[Researcher] = []
    for account in sorted(entitled):
        dice = Dice(mix.seed, "people", account)
        leaning = dice.around(1.0, float(mix.skew))
        active = [dice.around(1.0, float(mix.unequal)) for _ in range(heads[account])]
        for one in active:
            part = leaning * one / sum(active)
            found.append(
                Researcher(
                    name=f"r{len(found) + 1:03d}",
                    account=account,
                    wants={pool: share * part for pool, share in entitled[account].items()},
                    inflates=dice.happens(float(mix.inflated)),
                )
            )
    return tuple(found)


def _entitled(policy: Policy, mix: LabMix) -> dict[str, dict[str, float]]:
    """Return the absolute share of every leaf account in every pool at the start, without those that have none."""
    entitled: dict[str, dict[str, float]] = {}
    for pool in policy.pools:
        for account in tree_at(policy, pool.name, mix.start).accounts:
            if account.leaf and account.absolute > 0 and account.path != "/":
                entitled.setdefault(account.path, {})[pool.name] = float(account.absolute)
    return entitled


def _heads(weights: Mapping[str, float], people: int) -> dict[str, int]:
    """Divide people by weight: one for each account first, then the largest remainder, ties by path."""
    total = sum(weights.values())
    exact = {path: weight / total * (people - len(weights)) for path, weight in weights.items()}
    heads = {path: 1 + int(part) for path, part in exact.items()}
    by_rest = sorted(exact, key=lambda path: (int(exact[path]) - exact[path], path))
    for path in by_rest[: people - sum(heads.values())]:
        heads[path] += 1
    return heads
