"""How long a program that returns from an idle spell takes until it has its share of a pool again.

A program returns when it asks for GPUs after a day or more in which none of its jobs waited or ran there. It has its
share at the first instant, after everything of that instant was decided, at which none of its jobs waits, or at which
what it holds together with its smallest waiting job comes to more than its share of the pool's GPUs.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator
from itertools import groupby

from policyctl.decide.standing import Timeline
from policyctl.model.measures import Recovery
from policyctl.model.policy import Policy
from policyctl.model.tree import policy_instants
from policyctl.sim.measure_columns import PoolColumns

__all__ = ["IDLE", "recoveries"]

IDLE = 86_400
"""The shortest idle spell from which a program returns, in seconds."""

_Event = tuple[int, int, int, int]
"""An instant, the GPUs that change hands, and by how much the held jobs and the waiting jobs of that size change."""


def recoveries(columns: PoolColumns, policy: Policy, *, least: int = IDLE) -> Iterator[Recovery]:
    """Yield every return of a program to a pool in which it has a share, after at least `least` seconds without jobs."""
    timeline = Timeline(policy, columns.pool.name)
    for code, account in enumerate(columns.programs):
        events = _events(columns, code)
        for idle, returned in _returns(events, columns.start, least):
            found = timeline.tree(returned).get(account)
            if found is not None and found.absolute > 0:
                at = _recovered(events, returned, account, timeline, columns)
                yield Recovery(
                    pool=columns.pool.name,
                    account=account,
                    idle=idle,
                    returned=returned,
                    seconds=None if at is None else at - returned,
                )


def _events(columns: PoolColumns, code: int) -> list[_Event]:
    runs, waits, gpus = columns.runs, columns.waits, columns.gpus
    mine, queued = columns.program[runs.row] == code, columns.program[waits.row] == code
    held = gpus[runs.row[mine]].tolist()
    asked = gpus[waits.row[queued]].tolist()
    events: list[_Event] = []
    for start, end, size, goes_on in zip(
        runs.start[mine].tolist(),
        runs.end[mine].tolist(),
        held,
        (runs.outcome[mine] < 0).tolist(),
        strict=True,
    ):
        events.append((start, size, 1, 0))
        if not goes_on:
            events.append((end, size, -1, 0))
    for since, until, size, goes_on in zip(
        waits.since[queued].tolist(),
        waits.until[queued].tolist(),
        asked,
        waits.open[queued].tolist(),
        strict=True,
    ):
        events.append((since, size, 0, 1))
        if not goes_on:
            events.append((until, size, 0, -1))
    # Of one instant, what begins comes before what ends: a wait of no length is counted in before it is counted out.
    return sorted(events, key=lambda one: (one[0], -one[2], -one[3], one[1]))


def _instant(event: _Event) -> int:
    return event[0]


def _returns(events: list[_Event], start: int, least: int) -> Iterator[tuple[int, int]]:
    """Yield the idle spells that are long enough: their length and the instant at which they end."""
    present, since = 0, start
    for at, changes in groupby(events, key=_instant):
        if present == 0 and at - since >= least:
            yield at - since, at
        present += sum(held + waiting for _, _, held, waiting in changes)
        if present == 0:
            since = at


def _recovered(
    events: list[_Event], returned: int, account: str, timeline: Timeline, columns: PoolColumns
) -> int | None:
    held = 0
    sizes: list[int] = []
    coming = events[bisect_left(events, returned, key=_instant) :]
    moments = [(at, 0, 0, 0) for at in policy_instants(timeline.policy) if returned < at < columns.now]
    for at, changes in groupby(sorted([*coming, *moments], key=_instant), key=_instant):
        for _, size, runs, waits in changes:
            held += size * runs
            if waits > 0:
                insort(sizes, size)
            elif waits < 0:
                del sizes[bisect_left(sizes, size)]
        found = timeline.tree(at).get(account)
        share = found.absolute * columns.pool.gpus * 1000 if found is not None else 0
        if not sizes or held + sizes[0] > share:
            return at
    return None
