"""The books of one pool at one instant: every account and user as a node, with its share and its usage.

Nodes are numbered from the root down, the children of one parent in the order in which ties between them are broken:
larger share first, then path. Accounts that the policy does not name are nodes with share 0 where their path puts
them. Users are nodes below the account they submit to: with equal shares, or with share 0 where the account is
divided among others (jobs belong to leaves).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

import numpy as np
import numpy.typing as npt

from policyctl.errors import NoAnswer
from policyctl.model.tree import Account, Tree, ancestors, parent_of

__all__ = ["Book", "Exactly", "Node", "number_nodes", "open_book", "virtual_key", "weigh"]

Ints = npt.NDArray[np.int64]
_SAFE_WEIGHT = 2**40
_SAFE_TICKS = 2**62


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """An account (`user` None) or one user of an account, `share` within its parent and `absolute` of the pool."""

    path: str
    user: str | None
    parent: int
    depth: int
    share: Fraction
    absolute: Fraction
    account: Account | None

    @property
    def label(self) -> str:
        """The account's path, or the path and the user's name."""
        return self.path if self.user is None else f"{self.path.rstrip('/')}/~{self.user}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Exactly:
    """Shares of siblings as whole weights: `v(c)` is proportional to usage over weight within one parent.

    `weight` is 0 for share 0, and `whole` False where some parent's weights are too large for exact products in 64
    bits; comparisons of close values then go through fractions.
    """

    weight: npt.NDArray[np.float64]
    integers: Ints
    whole: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Book:
    """The nodes of a pool and what each has used, in ticks; `of_user` finds the node of (account path, user)."""

    nodes: tuple[Node, ...]
    of_account: dict[str, int]
    of_user: dict[tuple[str, str], int]
    parent: Ints
    depth: Ints
    exactly: Exactly
    charged: Ints
    committed: Ints
    opportunistic: Ints

    @property
    def usage(self) -> Ints:
        """U of every node: what was charged in the window plus outstanding commitments."""
        return self.charged + self.committed

    def used(self, node: int) -> int:
        """Return U of one node."""
        return int(self.charged[node]) + int(self.committed[node])

    def chain(self, node: int) -> tuple[int, ...]:
        """Return the nodes from the one below the root down to and including the node."""
        above: list[int] = []
        while node > 0:
            above.append(node)
            node = self.nodes[node].parent
        return tuple(reversed(above))

    def children(self, node: int) -> Ints:
        """Return the children of a node, in the order in which ties are broken."""
        return np.flatnonzero(self.parent == node)

    def virtual_time(self, node: int, extra: int = 0) -> Fraction | None:
        """Return `v` of a node after `extra` more ticks, exactly; None where its share is 0 (it goes last)."""
        share = self.nodes[node].share
        if share <= 0:
            return None
        return Fraction(self.used(node) + extra) / share


def virtual_key(value: Fraction | None) -> tuple[int, Fraction]:
    """Return a key that puts share 0 (None) after every virtual time."""
    return (1, Fraction(0)) if value is None else (0, value)


def open_book(tree: Tree, posted: Mapping[tuple[str, str], tuple[int, int, int]]) -> Book:
    """Open the books of a pool: a node for every account and for every user posted, usage summed upwards.

    `posted` maps (account path, user) to ticks (charged, committed, opportunistic).
    """
    nodes = number_nodes(tree, posted)
    of_account = {node.path: number for number, node in enumerate(nodes) if node.user is None}
    of_user = {(node.path, node.user): number for number, node in enumerate(nodes) if node.user is not None}
    sums = [[0, 0, 0] for _ in nodes]
    for key, line in posted.items():
        sums[of_user[key]] = list(line)
    for number in range(len(nodes) - 1, 0, -1):
        above = sums[nodes[number].parent]
        for column, ticks in enumerate(sums[number]):
            above[column] += ticks
    if max(map(max, sums)) >= _SAFE_TICKS:
        raise NoAnswer(
            "the usage of this pool does not fit into 64 bits",
            help="use rates with smaller denominators, such as `1/2`",
        )
    columns = np.array(sums, dtype=np.int64)
    parent = np.array([node.parent for node in nodes], dtype=np.int64)
    return Book(
        nodes=nodes,
        of_account=of_account,
        of_user=of_user,
        parent=parent,
        depth=np.array([node.depth for node in nodes], dtype=np.int64),
        exactly=weigh(nodes),
        charged=columns[:, 0],
        committed=columns[:, 1],
        opportunistic=columns[:, 2],
    )


def number_nodes(tree: Tree, users: Iterable[tuple[str, str]]) -> tuple[Node, ...]:
    """Return a node for every account of the tree and every user (account path, name), numbered breadth first."""
    below: dict[str, set[str]] = defaultdict(set)
    for account in tree.accounts[1:]:
        below[parent_of(account.path)].add(account.path)
    people: dict[str, set[str]] = defaultdict(set)
    for path, user in users:
        people[path].add(user)
        for step in ancestors(path)[1:]:
            below[parent_of(step)].add(step)
    root = tree.accounts[0]
    nodes = [
        Node(path="/", user=None, parent=-1, depth=0, share=Fraction(1), absolute=Fraction(1), account=root)
    ]
    for number, node in enumerate(nodes):  # grows while it is read: breadth first
        if node.user is None:
            nodes.extend(_children(node, number, tree, below[node.path], people[node.path]))
    return tuple(nodes)


def _children(node: Node, number: int, tree: Tree, paths: set[str], people: set[str]) -> list[Node]:
    children = []
    for path in paths:
        account = tree.get(path)
        children.append(
            Node(
                path=path,
                user=None,
                parent=number,
                depth=node.depth + 1,
                share=account.share if account else Fraction(0),
                absolute=account.absolute if account else Fraction(0),
                account=account,
            )
        )
    divided = node.account is not None and not node.account.leaf
    each = Fraction(0) if divided else Fraction(1, max(1, len(people)))
    children.extend(
        Node(
            path=node.path,
            user=user,
            parent=number,
            depth=node.depth + 1,
            share=each,
            absolute=each * node.absolute,
            account=None,
        )
        for user in people
    )
    return sorted(children, key=lambda child: (-max(child.share, Fraction(0)), child.path, child.user or ""))


def weigh(nodes: Sequence[Node]) -> Exactly:
    """Return the shares of siblings as whole weights."""
    denominators: dict[int, int] = defaultdict(lambda: 1)
    for node in nodes[1:]:
        denominators[node.parent] = lcm(denominators[node.parent], node.share.denominator)
    exact = [1, *(max(0, int(node.share * denominators[node.parent])) for node in nodes[1:])]
    whole = max(exact) < _SAFE_WEIGHT
    return Exactly(
        weight=np.array(
            exact if whole else [max(0.0, float(node.share)) for node in nodes], dtype=np.float64
        ),
        integers=np.array(exact if whole else [0] * len(exact), dtype=np.int64),
        whole=whole,
    )
