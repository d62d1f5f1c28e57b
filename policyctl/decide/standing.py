"""Where an account stands at one instant, as far as buying protection goes: known, a leaf, with a share, suspended."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from policyctl.diagnostics import nearest
from policyctl.model.policy import Period, Policy, PolicyException, Suspension
from policyctl.model.tree import Tree, ancestors, policy_instants, tree_at
from policyctl.units import Instant

__all__ = ["Standing", "Timeline"]

Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """Columns over a table of account paths: `named` means that a budget in effect says a share for it."""

    named: Bools
    known: Bools
    inner: Bools
    positive: Bools
    suspended: Bools


@dataclass(frozen=True, slots=True)
class Timeline:
    """The trees of one pool over time; every stretch between two policy instants is resolved once."""

    policy: Policy
    pool: str
    _instants: tuple[Instant, ...] = field(init=False, repr=False)
    _until: tuple[Period, ...] = field(init=False, repr=False)
    _trees: dict[int, Tree] = field(init=False, repr=False, default_factory=dict)
    _meant: dict[tuple[int, str], str | None] = field(init=False, repr=False, default_factory=dict)

    def __post_init__(self) -> None:
        """Find the stretches."""
        instants = policy_instants(self.policy)
        object.__setattr__(self, "_instants", instants)
        object.__setattr__(self, "_until", tuple(Period(end=end) for end in (*instants, None)))

    def stretch(self, at: int) -> int:
        """Return the number of the stretch that contains an instant: the first that is not over."""
        return bisect_left(self._until, True, key=lambda one: one.in_force(at))  # noqa: FBT003 - what the key gives

    def stretches(self, at: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return the stretch of each instant."""
        instants, place = np.unique(at, return_inverse=True)
        return np.array([self.stretch(one) for one in instants.tolist()], np.int64)[place]

    def first_instant(self, stretch: int) -> int:
        """Return an instant inside a stretch."""
        if stretch:
            return self._instants[stretch - 1]
        return self._instants[0] - 1 if self._instants else 0

    def tree(self, at: int) -> Tree:
        """Return the tree at an instant."""
        stretch = self.stretch(at)
        if stretch not in self._trees:
            self._trees[stretch] = tree_at(self.policy, self.pool, self.first_instant(stretch))
        return self._trees[stretch]

    def meant(self, at: int, path: str) -> str | None:
        """Return the account with a share that an unknown path was probably meant to be, None where none is near."""
        key = self.stretch(at), path
        if key not in self._meant:
            leaves = (one.path for one in self.tree(at).accounts if one.leaf and one.absolute > 0)
            self._meant[key] = nearest(path, leaves)
        return self._meant[key]

    def suspensions(self, at: int) -> dict[str, PolicyException]:
        """Return the suspensions in force at an instant, by account."""
        return {
            one.grant.account: one
            for one in self.policy.exceptions
            if isinstance(one.grant, Suspension) and one.period.in_force(at)
        }

    def standing(self, at: int, paths: Sequence[str]) -> Standing:
        """Return how each account stands at an instant."""
        tree = self.tree(at)
        suspended = self.suspensions(at)
        found = [tree.get(path) for path in paths]
        return Standing(
            named=np.array(
                [one is not None and (one.parent < 0 or one.place is not None) for one in found], bool
            ),
            known=np.array([one is not None for one in found], bool),
            inner=np.array([one is not None and not one.leaf for one in found], bool),
            positive=np.array([one is not None and one.absolute > 0 for one in found], bool),
            suspended=np.array(
                [any(above in suspended for above in ancestors(path)) for path in paths], bool
            ),
        )
