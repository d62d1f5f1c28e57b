"""Hierarchical fair share as a merge: the order of the greedy loop, one sort a level.

The greedy loop takes, at every account from the root down, the child with the smallest virtual time
`v(c) = (U(c) + projected(c)) / s(c)`, where `projected(c)` sums the charges of the jobs of `c` already taken. Within
one child the values of `v` at which its jobs are taken never fall. So a parent's sequence is the stable merge of its
children's sequences by `v`, and levels can be done from the users up: a cumulative sum in each child and one sort.

Virtual times are compared exactly. The sort key is the float nearest to usage over weight, which never puts two
rationals the wrong way round but can make them equal; pairs of neighbours that are that close are compared by whole
cross products, and a run that turns out to be wrong is sorted again with fractions.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cmp_to_key

import numpy as np
import numpy.typing as npt

from policyctl.decide.book import Book
from policyctl.errors import NoAnswer

__all__ = ["Queue", "merge_order"]

Ints = npt.NDArray[np.int64]
_CLOSE = 2.0**-48
_WHOLE = 2**51


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    """Jobs to order, each user's jobs already in that user's own order within each class.

    `user` is the node of each job's user in the book, `late` its class (0 funded, 1 opportunistic), `charge` the ticks
    that taking it projects onto its accounts.
    """

    user: Ints
    late: npt.NDArray[np.int8]
    charge: Ints


def merge_order(book: Book, queue: Queue) -> Ints:
    """Return the positions of the jobs of `queue` in the order in which they are taken."""
    if not len(queue.user):
        return np.empty(0, np.int64)
    if int(queue.charge.astype(np.float64).sum()) >= 2**61:
        raise NoAnswer(
            "the charges of the queue do not fit into 64 bits", help="lower the caps on protection"
        )
    first = _stable(_stable(np.arange(len(queue.user)), queue.late), queue.user)
    depth = book.depth[queue.user[first]]
    deepest = int(depth.max())
    order = np.empty(0, np.int64)
    node = np.empty(0, np.int64)
    for level in range(deepest, 0, -1):
        entering = first[depth == level]
        order = np.concatenate([order, entering])
        node = np.concatenate([node, queue.user[entering]])
        order, node = _merge(book, order, node, queue)
        node = book.parent[node]
    return order


def _stable(order: Ints, key: npt.NDArray[np.int64] | npt.NDArray[np.int8]) -> Ints:
    """Sort positions by a key, equal ones as they came; narrow keys sort in linear time."""
    top = int(key.max()) if len(key) else 0
    narrow = key.astype(np.uint16) if top < 2**16 else key
    return order[np.argsort(narrow[order], kind="stable")]


def _merge(book: Book, order: Ints, node: Ints, queue: Queue) -> tuple[Ints, Ints]:
    """Merge the sequences of the children at one level into one sequence for each parent."""
    by_node = np.argsort(node.astype(np.uint16) if len(book.nodes) < 2**16 else node, kind="stable")
    order, node = order[by_node], node[by_node]
    reached = _reached(book.usage[node], queue.charge[order], node)
    weight = book.exactly.weight[node]
    last = weight <= 0
    key = reached / np.where(last, 1.0, weight)
    group = (book.parent[node] * 2 + queue.late[order]) * 2 + last
    group = np.unique(group, return_inverse=True)[1] if int(group.max()) >= 2**16 else group
    sorting = np.argsort(key, kind="stable")
    narrow = group.astype(np.uint16) if int(group.max()) < 2**16 else group
    sorting = sorting[np.argsort(narrow[sorting], kind="stable")]
    _settle(book, sorting, node=node, group=group, reached=reached, key=key)
    return order[sorting], node[sorting]


def _reached(usage: Ints, charge: Ints, node: Ints) -> Ints:
    """Return the ticks of each job's node just before it is taken: usage plus the charges of its earlier jobs."""
    before = np.cumsum(charge) - charge
    starts = np.flatnonzero(np.r_[True, node[1:] != node[:-1]])
    lengths = np.diff(np.r_[starts, len(node)])
    reached: Ints = usage + before - np.repeat(before[starts], lengths)
    return reached


def _settle(
    book: Book, sorting: Ints, *, node: Ints, group: Ints, reached: Ints, key: npt.NDArray[np.float64]
) -> None:
    """Put right, in place, neighbours whose float keys are too close to tell their order."""
    weights = book.exactly
    if (
        weights.whole
        and int(reached.max()) < _WHOLE
        and float(reached.max()) * float(weights.weight.max()) < _WHOLE
    ):
        return  # every quotient is correctly rounded and no two different ones can collide
    left, right = sorting[:-1], sorting[1:]
    close = (group[left] == group[right]) & (key[right] - key[left] <= np.abs(key[right]) * _CLOSE)
    close &= node[left] != node[right]
    if weights.whole:
        one, other = weights.integers[node[left]], weights.integers[node[right]]
        # The true difference of close products is small, so it survives the wrap-around of 64 bits.
        difference = (reached[left] * np.maximum(other, 1)) - (reached[right] * np.maximum(one, 1))
        close &= (difference > 0) | ((difference == 0) & (node[left] > node[right]))
    if not close.any():
        return
    tight = (group[left] == group[right]) & (key[right] - key[left] <= np.abs(key[right]) * _CLOSE)
    edges = np.flatnonzero(~np.r_[False, tight, False])
    for start, end in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        if close[start : end - 1].any():
            sorting[start:end] = _exact_run(book, sorting[start:end], node, reached)


def _exact_run(book: Book, run: Ints, node: Ints, reached: Ints) -> list[int]:
    def value(position: int) -> Fraction:
        share = book.nodes[int(node[position])].share
        return Fraction(int(reached[position])) / share if share > 0 else Fraction(int(reached[position]))

    def compare(one: int, other: int) -> int:
        if node[one] == node[other]:
            return one - other
        first, second = (value(one), node[one]), (value(other), node[other])
        return -1 if first < second else 1

    return sorted(run.tolist(), key=cmp_to_key(compare))
