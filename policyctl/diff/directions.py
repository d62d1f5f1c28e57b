"""How directions add up: over instants, over pools, and over the parts of one right."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from policyctl.model.change import Direction, Example, Right, RightKind

__all__ = ["Step", "rights", "together"]

_MOST_EXAMPLES = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One comparison of one right of an account: where it went, and the values that say so."""

    account: str
    kind: RightKind
    direction: Direction
    example: Example


def together(directions: Iterable[Direction]) -> Direction:
    """Add up directions: what cannot be decided stays so, both ways are mixed, nothing is neutral."""
    found = set(directions) - {Direction.NEUTRAL}
    if Direction.INCOMPARABLE in found:
        return Direction.INCOMPARABLE
    if len(found) > 1:
        return Direction.MIXED
    return next(iter(found), Direction.NEUTRAL)


def rights(steps: Iterable[Step]) -> Iterator[Right]:
    """Return one right for each account and kind that any step moves, with the first example of each direction."""
    by_right: dict[tuple[str, RightKind], list[Step]] = {}
    for step in steps:
        if step.direction is not Direction.NEUTRAL:
            by_right.setdefault((step.account, step.kind), []).append(step)
    order = list(RightKind)
    for account, kind in sorted(
        by_right, key=lambda key: (key[0].strip("/").split("/"), order.index(key[1]))
    ):
        found = by_right[account, kind]
        firsts: dict[Direction, Example] = {}
        for step in found:
            firsts.setdefault(step.direction, step.example)
        yield Right(
            account=account,
            kind=kind,
            direction=together(firsts),
            examples=tuple(list(firsts.values())[:_MOST_EXAMPLES]),
        )
