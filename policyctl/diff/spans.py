"""The stretches of time in which neither of two policies changes, each with an instant that stands for it."""

from __future__ import annotations

from dataclasses import dataclass

from policyctl.model.policy import Policy
from policyctl.model.tree import Tree, policy_instants, tree_at
from policyctl.units import Instant

__all__ = ["Span", "Trees", "spans"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A half-open stretch `[start, end)`, None is open; `at` lies in it."""

    start: Instant | None
    end: Instant | None
    at: Instant

    @property
    def named(self) -> Instant | None:
        """The instant to name as an example; None where the stretch is all of time."""
        return None if self.start is None and self.end is None else self.at


def spans(base: Policy, head: Policy) -> tuple[Span, ...]:
    """Return all of time, cut at every instant at which a budget or an exception of either starts or ends."""
    cuts = [Instant(one) for one in sorted({*policy_instants(base), *policy_instants(head)})]
    if not cuts:
        return (Span(start=None, end=None, at=Instant(0)),)
    inner = [Span(start=one, end=after, at=one) for one, after in zip(cuts, [*cuts[1:], None], strict=True)]
    return (Span(start=None, end=cuts[0], at=Instant(cuts[0] - 1)), *inner)


class Trees:
    """The account trees of one policy, resolved once for each division that is in force at some instant."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._made: dict[tuple[str, tuple[bool, ...]], Tree] = {}

    def at(self, pool: str, at: Instant) -> Tree | None:
        """Return the tree of a pool at an instant; None where the policy has no such pool."""
        policy = self._policy
        if policy.pool(pool) is None:
            return None
        periods = [one.period for one in policy.budgets] + [one.period for one in policy.exceptions]
        key = (pool, tuple(period.in_force(at) for period in periods))
        if key not in self._made:
            self._made[key] = tree_at(policy, pool, at)
        return self._made[key]
