"""How well the GPUs of a pool were used: offered, occupied, claimed and fragmented time, and how long drains took.

Every node is followed by itself. With `size` its GPUs, `used` what runs hold of it and `held` what belongs to jobs whose
victims have not all left, at each instant:

    offered = size while in service, used while failed or draining
    claimed = min(held, size - used) while in service
    idle    = offered - used - claimed, summed over nodes
    fragmentation = integral of idle over the instants at which a job waits whose GPUs <= idle

A job for which a plan was granted waits for its own GPUs meanwhile, and does not count as waiting for idle ones.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from policyctl.model.measures import Drain, PoolMeasures
from policyctl.model.workload import Incident, IncidentKind
from policyctl.sim.measure_columns import GPU_HOUR, PoolColumns
from policyctl.sim.measure_steps import Steps, steps_of
from policyctl.sim.nodes import Placement

__all__ = ["NodeTime", "node_time", "pool_measures"]

Ints = npt.NDArray[np.int64]
_NOBODY = 2**60


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeTime:
    """GPUs of a pool (thousandths) over time: on offer, held by runs, and standing empty for a planned start."""

    offered: Steps
    used: Steps
    claimed: Steps

    def idle(self, at: Ints) -> Ints:
        """Return the GPUs that nobody has, at each instant."""
        return self.offered.on(at) - self.used.on(at) - self.claimed.on(at)


class _Placed(Protocol):
    @property
    def placement(self) -> Placement: ...


def node_time(columns: PoolColumns, incidents: Sequence[Incident]) -> NodeTime:
    """Follow every node of a pool through the simulation."""
    record, runs, start, now = columns.record, columns.runs, columns.start, columns.now
    size = columns.pool.gpus_per_node * 1000
    run, run_node, run_gpus = _spots(record.runs)
    hold, hold_node, hold_gpus = _spots(record.holds)
    since = np.array([one.since for one in record.holds], dtype=np.int64)
    until = np.array([one.until for one in record.holds], dtype=np.int64)
    away = [one for one in incidents if one.pool == columns.pool.name and one.at < now]
    gone = [(node, one.at, min(one.until, now)) for one in away for node in one.nodes]
    out = np.array(gone, dtype=np.int64).reshape(-1, 3)
    changes = _Changes(
        np.concatenate((run_node, hold_node, out[:, 0])),
        np.concatenate((runs.start[run], since[hold], out[:, 1])),
        np.concatenate((runs.end[run], until[hold], out[:, 2])),
        np.concatenate((run_gpus, 0 * hold_gpus, 0 * out[:, 0])),
        np.concatenate((0 * run_gpus, hold_gpus, 0 * out[:, 0])),
        np.concatenate((0 * run_gpus, 0 * hold_gpus, 0 * out[:, 0] + 1)),
    )
    begin, end, used, held, absent = changes.segments()
    serving = absent == 0
    whole = steps_of(np.array([start]), np.array([now]), np.array([size * columns.pool.nodes]))
    missing = steps_of(begin, end, np.where(serving, 0, size - used))
    claimed = np.where(serving, np.minimum(held, size - used), 0)
    return NodeTime(
        offered=_less(whole, missing),
        used=steps_of(begin, end, used),
        claimed=steps_of(begin, end, claimed),
    )


@dataclass(frozen=True, slots=True)
class _Changes:
    """Intervals on nodes, each with what it adds to the node's `used`, `held` and `absent` while it lasts."""

    node: Ints
    start: Ints
    end: Ints
    used: Ints
    held: Ints
    absent: Ints

    def segments(self) -> tuple[Ints, Ints, Ints, Ints, Ints]:
        """Return the stretches of all nodes between two changes: start, end, and the three sums."""
        node = np.concatenate((self.node, self.node))
        at = np.concatenate((self.start, self.end))
        order = np.lexsort((at, node))
        node, at = node[order], at[order]
        # Every interval ends, so the sums are back at nothing where the next node begins.
        used, held, absent = (
            np.cumsum(np.concatenate((column, -column))[order])
            for column in (self.used, self.held, self.absent)
        )
        lasting = (node[1:] == node[:-1]) & (at[1:] > at[:-1])
        return at[:-1][lasting], at[1:][lasting], used[:-1][lasting], held[:-1][lasting], absent[:-1][lasting]


def _spots(placed: Iterable[_Placed]) -> tuple[Ints, Ints, Ints]:
    """Return one line per node of each placement: its number in the sequence, the node, and the GPUs there."""
    lines = [(number, node, gpus) for number, one in enumerate(placed) for node, gpus in one.placement]
    table = np.array(lines, dtype=np.int64).reshape(-1, 3)
    return table[:, 0], table[:, 1], table[:, 2]


def _less(one: Steps, other: Steps) -> Steps:
    at = np.union1d(one.at, other.at)
    return Steps(at, one.on(at) - other.on(at))


def pool_measures(columns: PoolColumns, incidents: Sequence[Incident], time: NodeTime) -> PoolMeasures:
    """Measure the use of a pool's nodes."""
    edges = np.array([columns.start, columns.now])
    offered, used, claimed = (
        int(steps.between(edges)[0]) / GPU_HOUR for steps in (time.offered, time.used, time.claimed)
    )
    return PoolMeasures(
        pool=columns.pool.name,
        gpus=columns.pool.gpus,
        capacity=columns.pool.gpus * (columns.now - columns.start) / 3600,
        offered=offered,
        occupied=used,
        claimed=claimed,
        fragmentation=_fragmentation(columns, time) / GPU_HOUR,
        drains=tuple(_drains(columns, incidents)),
    )


def _fragmentation(columns: PoolColumns, time: NodeTime) -> int:
    least = _least_waiting(columns)
    at = np.unique(np.concatenate((least.at, time.offered.at, time.used.at, time.claimed.at)))
    at = at[at <= columns.now]
    if len(at) < 2:
        return 0
    idle = time.idle(at[:-1])
    fits = (least.on(at[:-1]) <= idle) & (at[:-1] >= columns.start)
    return int((np.where(fits, idle, 0) * np.diff(at)).sum())


def _least_waiting(columns: PoolColumns) -> Steps:
    """Return over time the GPUs of the smallest job that waits for idle ones; a huge number while none does."""
    changes = sorted(_waiting_changes(columns))
    counts: dict[int, int] = {}
    sizes: list[int] = []
    at: list[int] = [columns.start]
    least: list[int] = [_NOBODY]
    for instant, gpus, change in changes:
        before = counts.get(gpus, 0)
        counts[gpus] = before + change
        if before == 0:
            insort(sizes, gpus)
        elif before + change == 0:
            del sizes[bisect_left(sizes, gpus)]
        now = sizes[0] if sizes else _NOBODY
        if instant == at[-1]:
            least[-1] = now
        elif now != least[-1]:
            at.append(instant)
            least.append(now)
    return Steps(np.array(at), np.array(least))


def _waiting_changes(columns: PoolColumns) -> Iterator[tuple[int, int, int]]:
    waits, gpus = columns.waits, columns.gpus
    lasting = waits.until > waits.since
    rows = waits.row[lasting]
    sizes = gpus[rows].tolist()
    for since, until, size in zip(
        waits.since[lasting].tolist(), waits.until[lasting].tolist(), sizes, strict=True
    ):
        yield since, size, 1
        yield until, size, -1
    for hold in columns.record.holds:
        if hold.until > hold.since:
            yield hold.since, int(gpus[hold.row]), -1
            yield hold.until, int(gpus[hold.row]), 1


def _drains(columns: PoolColumns, incidents: Sequence[Incident]) -> Iterator[Drain]:
    for incident in incidents:
        mine = incident.pool == columns.pool.name and incident.kind is IncidentKind.DRAIN
        if mine and incident.at < columns.now:
            nodes = frozenset(incident.nodes)
            last = max(
                (
                    run.end
                    for run in columns.record.runs
                    if run.start < incident.at < run.end and any(node in nodes for node, _ in run.placement)
                ),
                default=int(incident.at),
            )
            empty = last <= incident.until and last < columns.now
            yield Drain(
                pool=incident.pool,
                nodes=len(nodes),
                at=incident.at,
                until=incident.until,
                seconds=last - incident.at if empty else None,
            )
