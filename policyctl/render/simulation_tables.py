"""The tables of a simulation for people, as rows of text: who got what, who waited, what became of the rest."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from policyctl.model.measures import ALL, Group, Interactive, Measures, WaitLine
from policyctl.render.quantity_text import ratio, span
from policyctl.render.table_text import hours
from policyctl.units import format_duration, format_instant

__all__ = ["TABLES", "TableKind"]

_MOST = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class TableKind:
    """A table of one contestant; `texts` are the columns that hold words, all others hold numbers."""

    name: str
    title: str
    header: tuple[str, ...]
    texts: frozenset[int]
    rows: Callable[[Measures], list[tuple[str, ...]]]


def _groups(one: Measures) -> list[tuple[str, ...]]:
    groups = [one.overall, *sorted((*one.programs, *one.projects), key=lambda group: group.path.split("/"))]
    return [_group(group) for group in groups]


def _group(group: Group) -> tuple[str, ...]:
    return (
        group.path,
        f"{group.jobs:,}",
        hours(group.demand),
        hours(group.owed),
        hours(group.delivered),
        ratio(group.delivery_ratio),
        ratio(group.opportunistic_share),
        hours(group.lost),
        f"{group.preemptions:,}",
        ratio(group.restart_success),
        hours(group.protection_bought),
        hours(group.protection_unused),
    )


def _waits(one: Measures) -> list[tuple[str, ...]]:
    # Every cut of everybody's waits, and of each pool's and each program's the one line that sums it up.
    return [
        _wait(line)
        for line in one.waits
        if (line.pool, line.account) == (ALL, "/")
        or ((line.size, line.klass) == (ALL, ALL) and (line.pool == ALL or line.account == "/"))
    ]


def _wait(line: WaitLine) -> tuple[str, ...]:
    waits = line.waits
    return (
        line.pool,
        line.account,
        line.size,
        line.klass,
        f"{waits.jobs:,}",
        f"{waits.never_started:,}",
        *(span(value) for value in (waits.median, waits.p90, waits.p99, waits.longest)),
    )


def _pools(one: Measures) -> list[tuple[str, ...]]:
    return [
        (
            pool.pool,
            f"{pool.gpus:,}",
            hours(pool.offered),
            hours(pool.occupied),
            ratio(pool.occupancy),
            hours(pool.fragmentation),
            hours(pool.claimed),
        )
        for pool in one.pools
    ]


def _longest(one: Measures) -> list[tuple[str, ...]]:
    return [
        (
            wait.size,
            wait.job,
            wait.pool,
            wait.account,
            format_instant(wait.since),
            span(wait.seconds) + (" so far" if wait.still_waiting else ""),
        )
        for wait in one.longest_waits
    ]


def _users(one: Measures) -> list[tuple[str, ...]]:
    worst = sorted(one.users, key=lambda user: (-user.unused, user.account, user.user))
    return [
        (
            user.user,
            user.account,
            f"{user.runs:,}",
            hours(user.bought),
            hours(user.unused),
            ratio(user.unused / user.bought if user.bought > 0 else None),
        )
        for user in worst[:_MOST]
        if user.unused > 0
    ]


def _sessions(one: Measures) -> list[tuple[str, ...]]:
    return [_session(one.interactive)] if one.interactive.sessions else []


def _session(found: Interactive) -> tuple[str, ...]:
    return (
        f"{found.sessions:,}",
        f"{found.started:,}",
        f"{found.completed:,}",
        f"{found.cut:,}",
        f"{found.cut_protected:,}",
        "–" if found.waits is None else span(found.waits.median),
        "–" if found.shortest_warning is None else span(found.shortest_warning),
        "–" if found.median_warning is None else span(found.median_warning),
    )


def _recoveries(one: Measures) -> list[tuple[str, ...]]:
    return [
        (
            recovery.account,
            recovery.pool,
            span(recovery.idle),
            format_instant(recovery.returned),
            "not yet" if recovery.seconds is None else span(recovery.seconds),
        )
        for recovery in one.recoveries
    ]


def _drains(one: Measures) -> list[tuple[str, ...]]:
    return [
        (
            drain.pool,
            f"{drain.nodes:,}",
            format_instant(drain.at),
            format_duration(drain.until - drain.at),
            "not in time" if drain.seconds is None else span(drain.seconds),
        )
        for pool in one.pools
        for drain in pool.drains
    ]


def _impossible(one: Measures) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = [
        (job.job, job.pool, job.account, f"{job.gpus:g}", f"{job.nodes:,}") for job in one.impossible[:_MOST]
    ]
    hidden = len(one.impossible) - len(rows)
    return [*rows, (f"... and {hidden:,} more", "", "", "", "")] if hidden else rows


TABLES: tuple[TableKind, ...] = (
    TableKind(
        name="accounts",
        title="Programs and projects, in GPU-hours",
        header=(
            *("account", "jobs", "demand", "owed", "delivered", "of owed", "opportunistic", "work lost"),
            *("preemptions", "restarts ok", "protection", "unused"),
        ),
        texts=frozenset({0}),
        rows=_groups,
    ),
    TableKind(
        name="pools",
        title="Pools, in GPU-hours",
        header=("pool", "GPUs", "on offer", "held by jobs", "occupancy", "fragmentation", "held for a job"),
        texts=frozenset({0}),
        rows=_pools,
    ),
    TableKind(
        name="wait-lines",
        title="Waits until the first start",
        header=(
            *("pool", "account", "GPUs", "class", "jobs", "never started"),
            *("median", "9 in 10", "99 in 100", "longest"),
        ),
        texts=frozenset({0, 1, 2, 3}),
        rows=_waits,
    ),
    TableKind(
        name="longest-waits",
        title="Longest wait of each size",
        header=("GPUs", "job", "pool", "account", "since", "wait"),
        texts=frozenset({0, 1, 2, 3, 4}),
        rows=_longest,
    ),
    TableKind(
        name="interactive",
        title="Interactive sessions",
        header=(
            *("sessions", "started", "completed", "cut", "cut while protected"),
            *("median wait", "shortest warning", "median warning"),
        ),
        texts=frozenset(),
        rows=_sessions,
    ),
    TableKind(
        name="recoveries",
        title="Programs that came back",
        header=("account", "pool", "idle for", "back at", "had its share after"),
        texts=frozenset({0, 1, 3}),
        rows=_recoveries,
    ),
    TableKind(
        name="drains",
        title="Maintenance",
        header=("pool", "nodes", "from", "for", "empty after"),
        texts=frozenset({0, 2}),
        rows=_drains,
    ),
    TableKind(
        name="users",
        title=f"Protection left unused, the {_MOST} users with most of it, in GPU-hours",
        header=("user", "account", "runs", "bought", "unused", "of bought"),
        texts=frozenset({0, 1}),
        rows=_users,
    ),
    TableKind(
        name="impossible",
        title="Jobs that their pool could not hold even if empty",
        header=("job", "pool", "account", "GPUs", "nodes"),
        texts=frozenset({0, 1, 2}),
        rows=_impossible,
    ),
)
