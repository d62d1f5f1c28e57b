"""The accounts and users of a live pool: numbered once, with shares that change when the policy does."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from policyctl.decide.book import Book, Node, number_nodes, weigh
from policyctl.decide.live_usage import LiveUsage
from policyctl.model.jobs import Job
from policyctl.model.tree import Tree

__all__ = ["LiveNodes"]

Ints = npt.NDArray[np.int64]
_NOTHING = np.zeros(0, np.int64)


@dataclass(frozen=True, slots=True, kw_only=True)
class _LiveBook(Book):
    """The books of a live pool: usage is worked out for the nodes that a question reads."""

    usage_at: LiveUsage
    now: int

    def used(self, node: int) -> int:
        """Return U of one node."""
        return round(self.usage_at.used(node, self.now))


class LiveNodes:
    """A node for every account of the tree and for every user with a job, by number.

    `user` has the node of each job's user. `weight` and `tie` order siblings and, like `share`, change in place; `parent` never does.
    """

    def __init__(self, tree: Tree, jobs: Sequence[Job]) -> None:
        self._names = sorted({(job.account, job.user) for job in jobs})
        self.nodes = number_nodes(tree, self._names)
        self.of_account = {node.path: number for number, node in enumerate(self.nodes) if node.user is None}
        self.of_user = {
            (node.path, node.user): number for number, node in enumerate(self.nodes) if node.user is not None
        }
        self.user = [self.of_user[job.account, job.user] for job in jobs]
        self.users: Ints = np.array(self.user, dtype=np.int64)
        self.parent = [node.parent for node in self.nodes]
        self.weight: list[float] = [0] * len(self.nodes)
        self.share: list[float] = [0.0] * len(self.nodes)
        self.tie = [0] * len(self.nodes)
        self._exactly = weigh(self.nodes)
        self._parents = np.array(self.parent, dtype=np.int64)
        self._depths = np.array([node.depth for node in self.nodes], dtype=np.int64)
        self._chains = [_chain(self.parent, number) for number in range(len(self.nodes))]
        self._partings: dict[int, dict[int, tuple[int, int]]] = defaultdict(dict)

    def enter(self, tree: Tree) -> None:
        """Take the shares of another tree of the same policy."""
        self.nodes = _renewed(self.nodes, number_nodes(tree, self._names))
        self._exactly = weigh(self.nodes)
        exact = self._exactly
        self.weight[:] = exact.integers.tolist() if exact.whole else exact.weight.tolist()
        self.share[:] = [max(float(node.share), 0.0) for node in self.nodes]
        order = sorted(range(len(self.nodes)), key=lambda number: _tie_key(self.nodes[number]))
        for place, number in enumerate(order):
            self.tie[number] = place

    def partings(self, mine: int, others: Sequence[int]) -> list[tuple[int, int]]:
        """Return for each other user the nodes at which the ways down part; (0, 0) for another user of one account.

        For the user itself it is the user's node, twice.
        """
        known = self._partings[mine]
        return [known.get(other) or self._parting(mine, other) for other in others]

    def _parting(self, mine: int, other: int) -> tuple[int, int]:
        if mine != other and self.parent[mine] == self.parent[other]:
            parting = (0, 0)
        else:
            ways = zip(self._chains[mine], self._chains[other], strict=False)
            parting = next(((one, two) for one, two in ways if one != two), (mine, mine))
        self._partings[mine][other] = parting
        return parting

    def book(self, usage: LiveUsage, now: int) -> Book:
        """Return the books at an instant; usage is worked out as it is read."""
        return _LiveBook(
            nodes=self.nodes,
            of_account=self.of_account,
            of_user=self.of_user,
            parent=self._parents,
            depth=self._depths,
            exactly=self._exactly,
            charged=_NOTHING,
            committed=_NOTHING,
            opportunistic=_NOTHING,
            usage_at=usage,
            now=now,
        )


def _chain(parent: Sequence[int], node: int) -> tuple[int, ...]:
    above = []
    while node > 0:
        above.append(node)
        node = parent[node]
    return tuple(reversed(above))


def _renewed(old: tuple[Node, ...], new: tuple[Node, ...]) -> tuple[Node, ...]:
    """Return the nodes in their old order with their new shares.

    An account that only an exception named is gone from the tree with it; no job can be below it, or it would be there.
    """
    fresh = {(node.path, node.user): node for node in new}
    gone = (replace(node, share=Fraction(0), absolute=Fraction(0), account=None) for node in old)
    return tuple(
        replace(fresh.get((node.path, node.user), without), parent=node.parent)
        for node, without in zip(old, gone, strict=True)
    )


def _tie_key(node: Node) -> tuple[Fraction, str, str]:
    return (-max(node.share, Fraction(0)), node.path, node.user or "")
