"""Exceptions that move shares, checked together with the budgets at every instant at which something changes.

Only the accounts on the way from the root to a donor or a recipient are resolved, with the one function that the
evaluator uses too (`policyctl.model.tree.tree_at`), so the cost follows the number of exceptions, not of accounts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from policyctl.catalogue import finding
from policyctl.check.index import Index
from policyctl.check.times import bounds
from policyctl.check.wording import amount, in_pools, share_text
from policyctl.diagnostics import Finding, Related
from policyctl.model.policy import Budget, PolicyException, ShareGrant, place_of
from policyctl.model.tree import Account, Tree, ancestors, parent_of, tree_at
from policyctl.units import format_instant

__all__ = ["moved_too_far", "moves_nothing"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Move:
    """An exception with a share grant."""

    exception: PolicyException
    grant: ShareGrant

    @property
    def name(self) -> str:
        return self.exception.name


@dataclass(frozen=True, slots=True, kw_only=True)
class _Lack:
    """An account that has too little at one instant: `missing` points of the whole pool; `moves` took it."""

    account: str
    at: int
    pool: str | None
    missing: Fraction
    named: bool
    moves: tuple[_Move, ...]


def moves_nothing(index: Index) -> Iterator[Finding]:
    """Find a donor and a recipient of which one is part of the other (E002)."""
    for move in _moves(index):
        to, source = move.grant.to, move.grant.source
        if to == source:
            message = f"`{to}` would lend to itself"
        elif to in ancestors(source):
            message = f"`{to}` already contains `{source}`, so it would gain nothing"
        elif source in ancestors(to):
            message = f"`{source}` already contains `{to}`, so nobody would pay for what it gains"
        else:
            continue
        yield finding(
            "E002",
            message,
            place_of(move.exception, "share.from"),
            help="name a donor that neither contains the recipient nor is part of it",
            subject=f"Exception {move.name}",
        )


def moved_too_far(index: Index) -> Iterator[Finding]:
    """Find a donor below zero (E001), or siblings above what their parent has left (A004), at any instant."""
    moves = [one for one in _moves(index) if _apart(one.grant) and _known(index, one.grant)]
    over = {one.name for one in index.policy.budgets if sum(share.share for share in one.shares) > 1}
    below: dict[tuple[str, str], _Lack] = {}
    above: dict[tuple[str, str], _Lack] = {}
    for moment in _moments(index, moves):
        lacking = list(_lacks(moment))
        for lack in lacking:
            _keep_worst(below, lack)
        # Where a donor is below zero, its siblings are above the whole for that reason alone.
        for lack in _overfull(index, moment, over) if not lacking else ():
            _keep_worst(above, lack)
    yield from map(_below_zero, below.values())
    yield from map(_above_parent, above.values())


def _keep_worst(found: dict[tuple[str, str], _Lack], lack: _Lack) -> None:
    """Keep for each account and exception the instant at which the most is missing, the earliest of several."""
    key = (lack.account, lack.moves[0].name)
    if key not in found or lack.missing > found[key].missing:
        found[key] = lack


def _moves(index: Index) -> list[_Move]:
    return [
        _Move(exception=one, grant=one.grant)
        for one in index.policy.exceptions
        if isinstance(one.grant, ShareGrant)
    ]


def _apart(grant: ShareGrant) -> bool:
    return grant.to not in ancestors(grant.source) and grant.source not in ancestors(grant.to)


def _known(index: Index, grant: ShareGrant) -> bool:
    return index.knows(grant.to) and index.knows(grant.source)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Moment:
    """The concerned accounts of one pool (None: of every pool) at one instant, with the moves in force."""

    at: int
    pool: str | None
    tree: Tree
    moves: tuple[_Move, ...]


def _moments(index: Index, moves: list[_Move]) -> Iterator[_Moment]:
    edges = _edges(index, moves)
    active: list[_Move] = []
    waiting = sorted(moves, key=lambda one: (bounds(one.exception.period)[0], one.name), reverse=True)
    for at in edges:
        while waiting and bounds(waiting[-1].exception.period)[0] <= at:
            active.append(waiting.pop())
        active = [one for one in active if one.exception.period.in_force(at)]
        if active:
            budgets = _concerned(index, active)
            narrow = replace(
                index.policy, budgets=tuple(budgets), exceptions=tuple(one.exception for one in active)
            )
            names: list[str | None] = [None]
            if any(budget.pool is not None for budget in budgets):
                names = [pool.name for pool in index.policy.pools]
            for name in names:
                tree = tree_at(narrow, name or "", at)
                yield _Moment(at=at, pool=name, tree=tree, moves=tuple(active))


def _edges(index: Index, moves: list[_Move]) -> list[int]:
    """Return the instants at which to look: each start of a move, and each change while one is in force."""
    starts = {bounds(one.exception.period)[0] for one in moves}
    changes = {edge for one in moves for edge in bounds(one.exception.period)}
    changes |= {edge for budget in _concerned(index, moves) for edge in bounds(budget.period)}
    return sorted(starts | changes)


def _concerned(index: Index, moves: list[_Move]) -> list[Budget]:
    ways = {path for one in moves for end in (one.grant.to, one.grant.source) for path in ancestors(end)}
    return [budget for path in sorted(ways) for budget in index.dividing.get(path, ())]


def _lacks(moment: _Moment) -> Iterator[_Lack]:
    for account in moment.tree.accounts:
        if account.absolute < 0 <= moment.tree.accounts[account.parent].absolute:
            yield _lack(moment, account, -account.absolute)


def _lack(moment: _Moment, account: Account, missing: Fraction) -> _Lack:
    return _Lack(
        account=account.path,
        at=moment.at,
        pool=moment.pool,
        missing=missing,
        named=account.place is not None,
        moves=_taking(moment.moves, account.path),
    )


def _taking(moves: tuple[_Move, ...], account: str) -> tuple[_Move, ...]:
    """Return the moves that take from an account or from where it gets its own share, the latest first."""
    way = ancestors(account)
    taking = [one for one in moves if one.grant.source in way or account in ancestors(one.grant.source)]
    return tuple(
        sorted(taking or moves, key=lambda one: (-bounds(one.exception.period)[0], one.exception.place))
    )


def _overfull(index: Index, moment: _Moment, over: set[str]) -> Iterator[_Lack]:
    """Find parents whose children together hold more than the parent, although the budgets alone fit."""
    tree = moment.tree
    sums = [Fraction(0)] * len(tree.accounts)
    for account in tree.accounts[1:]:
        sums[account.parent] += account.absolute
    for account, total in zip(tree.accounts, sums, strict=True):
        if total > account.absolute and not _over_already(index, account, over):
            yield _lack(moment, account, total - account.absolute)


def _over_already(index: Index, account: Account, over: set[str]) -> bool:
    return any(
        budget.name in over for path in ancestors(account.path) for budget in index.dividing.get(path, ())
    )


def _below_zero(lack: _Lack) -> Finding:
    move, *others = lack.moves
    when = f"at {format_instant(lack.at)} {in_pools([lack.pool])}"
    left = move.grant.add - lack.missing
    if not lack.named:
        way_out = f"no budget gives `{lack.account}` a share then: move the dates, or choose another donor"
    elif left > 0:
        way_out = f"write `add: {share_text(left)}`, or choose another donor"
    else:
        way_out = "choose another donor, or dates at which nothing else is lent"
    return finding(
        "E001",
        f"`{lack.account}` would be below zero {when}: {amount(lack.missing)} of the pool is missing",
        place_of(move.exception, "share.add"),
        help=way_out,
        subject=f"Exception {move.name}",
        related=_also(others, "also takes from it"),
    )


def _above_parent(lack: _Lack) -> Finding:
    move, *others = lack.moves
    return finding(
        "A004",
        f"the shares below `{lack.account}` are over 100% at {format_instant(lack.at)} {in_pools([lack.pool])}: "
        f"over by {amount(lack.missing)} of the pool",
        place_of(move.exception, "share"),
        help=f"lend less from `{move.grant.source}`, or let these exceptions not overlap",
        subject=f"Exception {move.name}",
        related=_also(others, f"also moves shares of `{parent_of(move.grant.source)}`"),
    )


def _also(moves: list[_Move], message: str) -> tuple[Related, ...]:
    return tuple(Related(place=one.exception.grant_place, message=message) for one in moves[:5])
