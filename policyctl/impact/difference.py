"""The impact of a change: what was measured of two policies, seed by seed, set against each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from policyctl.model.impact import Figure, FigureKind, Impact, ProgramImpact
from policyctl.model.measures import ALL, SIZES, Group, Measures

__all__ = ["impact"]

_Key = tuple[FigureKind, str | None]


def impact(before: Sequence[Measures], after: Sequence[Measures]) -> Impact:
    """Return the differences of runs that are pairs by their seeds, in one order; ValueError for others.

    A figure is kept where every run of both sides has it.
    """
    seeds = tuple(one.seed for one in before)
    if not seeds or seeds != tuple(one.seed for one in after):
        raise ValueError("runs are compared seed by seed")
    accounts = sorted({group.path for one in (*before, *after) for group in one.programs})
    return Impact(
        seeds=seeds,
        jobs=max(one.overall.jobs for one in before),
        programs=tuple(
            ProgramImpact(account=account, figures=tuple(_figures(before, after, account)))
            for account in ("/", *accounts)
        ),
    )


def _figures(before: Sequence[Measures], after: Sequence[Measures], account: str) -> Iterator[Figure]:
    old = [_values(one, account) for one in before]
    new = [_values(one, account) for one in after]
    for key in old[0]:
        if all(key in one for one in (*old, *new)):
            yield _figure(key, [one[key] for one in old], [one[key] for one in new])


def _figure(key: _Key, old: Sequence[float], new: Sequence[float]) -> Figure:
    moved = [after - before for before, after in zip(old, new, strict=True)]
    return Figure(
        kind=key[0],
        size=key[1],
        before=sum(old) / len(old),
        after=sum(new) / len(new),
        least=min(moved),
        most=max(moved),
    )


def _values(one: Measures, account: str) -> dict[_Key, float]:
    found: dict[_Key, float] = {}
    group = _group(one, account)
    if group is not None:
        if group.delivery_ratio is not None:
            found[FigureKind.DELIVERY, None] = group.delivery_ratio
        found[FigureKind.PREEMPTIONS, None] = float(group.preemptions)
        found[FigureKind.LOST, None] = group.lost
        found[FigureKind.PROTECTION, None] = group.protection_bought
    for size in (ALL, *SIZES):
        waits = one.wait(account=account, size=size)
        if waits is not None:
            found[FigureKind.WAIT, size] = float(waits.median)
    return found


def _group(one: Measures, account: str) -> Group | None:
    if account == "/":
        return one.overall
    return next((group for group in one.programs if group.path == account), None)
