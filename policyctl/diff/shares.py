"""What each account holds before and after: shares, GPUs, GPU-hours in a window, and who pays for whom."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TypeVar

from policyctl.diff.directions import Step
from policyctl.diff.spans import Span, Trees
from policyctl.ledger.window import Lookback
from policyctl.model.change import Balance, Direction, Example, RightKind, ShareChange
from policyctl.model.policy import Policy, SlidingWindow, Window
from policyctl.model.tree import parent_of
from policyctl.units import Instant, format_ratio

__all__ = ["balances", "share_changes", "share_steps", "window_seconds"]

_DAY = 86_400
_NOMINAL = {"day": _DAY, "week": 7 * _DAY, "month": 30 * _DAY, "quarter": 91 * _DAY, "year": 365 * _DAY}
_NONE = (Fraction(0), Fraction(0), Fraction(0))

Dated = TypeVar("Dated", ShareChange, Balance)
Held = dict[str, tuple[Fraction, Fraction, Fraction]]


def window_seconds(window: Window) -> float:
    """Return what one GPU can be charged in a window, in seconds; a month counts as 30 days, a quarter as 91."""
    if isinstance(window, SlidingWindow):
        return Lookback(start=0, now=window.length, end=window.length, half_life=window.half_life).seconds
    return _NOMINAL[window.unit]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sides:
    pool: str
    span: Span
    before: Held
    after: Held


def _sides(
    base: Policy, head: Policy, trees: tuple[Trees, Trees], over: tuple[Span, ...]
) -> Iterator[_Sides]:
    for pool in sorted({one.name for policy in (base, head) for one in policy.pools}):
        for span in over:
            before, after = (
                _held(policy, trees_of, pool, span)
                for policy, trees_of in zip((base, head), trees, strict=True)
            )
            if before != after:
                yield _Sides(pool=pool, span=span, before=before, after=after)


def _held(policy: Policy, trees: Trees, pool: str, span: Span) -> Held:
    """Return for each account its share in its parent, of the pool, and in GPUs."""
    tree, found = trees.at(pool, span.at), policy.pool(pool)
    if tree is None or found is None:
        return {}
    return {one.path: (one.share, one.absolute, one.absolute * found.gpus) for one in tree.accounts}


def share_changes(
    base: Policy, head: Policy, trees: tuple[Trees, Trees], over: tuple[Span, ...]
) -> tuple[tuple[ShareChange, ...], tuple[Balance, ...]]:
    """Return what changed for whom, and who pays, in the order of account, pool and time."""
    hours = tuple(window_seconds(policy.accounting.window) / 3600 for policy in (base, head))
    changes: dict[tuple[str, str], list[ShareChange]] = {}
    paid: dict[tuple[str, str], list[Balance]] = {}
    for sides in _sides(base, head, trees, over):
        for account in sorted({*sides.before, *sides.after}):
            if sides.before.get(account, _NONE)[1:] != sides.after.get(account, _NONE)[1:]:
                _append(changes.setdefault((account, sides.pool), []), _changed(sides, account, hours))
        for balance in balances(sides):
            _append(paid.setdefault((balance.account, sides.pool), []), balance)
    return (
        tuple(one for key in sorted(changes, key=_order) for one in changes[key]),
        tuple(one for key in sorted(paid, key=_order) for one in paid[key]),
    )


def _order(key: tuple[str, str]) -> tuple[list[str], str]:
    return key[0].strip("/").split("/"), key[1]


def _changed(sides: _Sides, account: str, hours: tuple[float, ...]) -> ShareChange:
    before, after = sides.before.get(account, _NONE), sides.after.get(account, _NONE)
    return ShareChange(
        account=account,
        pool=sides.pool,
        start=sides.span.start,
        end=sides.span.end,
        share_before=before[0],
        share_after=after[0],
        absolute_before=before[1],
        absolute_after=after[1],
        gpus_before=before[2],
        gpus_after=after[2],
        gpu_hours_before=float(before[2]) * hours[0],
        gpu_hours_after=float(after[2]) * hours[1],
        inherited=before[0] == after[0] and account != "/",
    )


def _append(found: list[Dated], one: Dated) -> None:
    """Add a change; one that only goes on is joined to the one before it, whatever its parent's part does."""
    last = found[-1] if found else None
    if last is not None and last.end is not None and last.end == one.start and _same(last, one):
        found[-1] = replace(last, end=one.end)
    else:
        found.append(one)


def _same(last: ShareChange | Balance, one: ShareChange | Balance) -> bool:
    dated = replace(one, start=last.start, end=last.end)
    if isinstance(last, ShareChange) and isinstance(dated, ShareChange):
        return last == replace(dated, share_before=last.share_before, share_after=last.share_after)
    return last == dated


def balances(sides: _Sides) -> Iterator[Balance]:
    """Return the accounts that are divided anew, with what each child gains or loses."""
    before, after = sides.before, sides.after
    anew = {
        parent_of(path)
        for path in {*before, *after} - {"/"}
        if before.get(path, _NONE)[0] != after.get(path, _NONE)[0]
    }
    children: dict[str, list[tuple[str, Fraction]]] = {account: [] for account in anew}
    for path in sorted({*before, *after} - {"/"}):
        moved = after.get(path, _NONE)[2] - before.get(path, _NONE)[2]
        if moved and parent_of(path) in anew:
            children[parent_of(path)].append((path, moved))
    for account in sorted(anew):
        whole = after.get(account, _NONE)[2] - before.get(account, _NONE)[2]
        if children[account]:
            yield Balance(
                account=account,
                pool=sides.pool,
                start=sides.span.start,
                end=sides.span.end,
                children=tuple(children[account]),
                unassigned=whole - sum((moved for _, moved in children[account]), Fraction(0)),
                whole=whole,
            )


def share_steps(changes: tuple[ShareChange, ...]) -> Iterator[Step]:
    """Return the direction of each change: more GPUs loosen, fewer tighten."""
    for one in changes:
        if one.gpus_before != one.gpus_after:
            more = one.gpus_after > one.gpus_before
            resized = one.absolute_before == one.absolute_after or more is not (
                one.absolute_after > one.absolute_before
            )
            values = (
                (one.gpus_before, one.gpus_after) if resized else (one.absolute_before, one.absolute_after)
            )
            before, after = map(format_ratio, values)
            yield Step(
                account=one.account,
                kind=RightKind.SHARE,
                direction=Direction.LOOSENS if more else Direction.TIGHTENS,
                example=Example(
                    pool=one.pool,
                    at=one.start if one.start is not None or one.end is None else Instant(one.end - 1),
                    what="gpus" if resized else "absolute_share",
                    before=before,
                    after=after,
                ),
            )
