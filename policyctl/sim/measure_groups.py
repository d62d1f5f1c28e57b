"""Totals of every program and project: jobs, GPU time by class, losses, preemptions, restarts, protection, what was owed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from policyctl.model.jobs import Outcome
from policyctl.model.measures import Group, PreemptionDay, UserProtection, WindowRow
from policyctl.sim.measure_columns import GPU_HOUR, OUTCOMES, PoolColumns

__all__ = ["groups", "preemption_days", "user_protection"]

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
_DAY = 86_400


@dataclass(slots=True)
class _Sums:
    """Whole numbers of one account: GPU time in thousandths of a GPU times seconds."""

    count: Counter[str] = field(default_factory=Counter)
    most_preemptions: int = 0


def groups(
    pools: Sequence[PoolColumns], rows: Sequence[WindowRow]
) -> tuple[Group, tuple[Group, ...], tuple[Group, ...]]:
    """Return everybody, the programs and the projects, each in the order of their paths."""
    everybody = {"/": _Sums()}
    programs: dict[str, _Sums] = {}
    projects: dict[str, _Sums] = {}
    for columns in pools:
        _add(everybody, ("/",), np.zeros(len(columns.tasks), np.int64), columns)
        _add(programs, columns.programs, columns.program, columns)
        _add(projects, columns.projects, columns.project, columns)
    owed: dict[str, list[WindowRow]] = {}
    for row in rows:
        owed.setdefault(row.account, []).append(row)
        if row.account.count("/") == 1:
            owed.setdefault("/", []).append(row)
    for path in owed:
        if path != "/":
            (programs if path.count("/") == 1 else projects).setdefault(path, _Sums())
    return (
        _group("/", everybody["/"], owed.get("/", [])),
        tuple(_group(path, programs[path], owed.get(path, [])) for path in sorted(programs)),
        tuple(_group(path, projects[path], owed.get(path, [])) for path in sorted(projects, key=_by_path)),
    )


def _by_path(path: str) -> list[str]:
    return path.split("/")


def _group(path: str, sums: _Sums, rows: Iterable[WindowRow]) -> Group:
    count, rows = sums.count, list(rows)
    return Group(
        path=path,
        jobs=count["jobs"],
        completed=count["completed"],
        delivered=(count["funded"] + count["opportunistic"]) / GPU_HOUR,
        funded=count["funded"] / GPU_HOUR,
        opportunistic=count["opportunistic"] / GPU_HOUR,
        lost=count["lost"] / GPU_HOUR,
        demand=sum(row.demand for row in rows),
        entitlement=sum(row.entitlement for row in rows),
        owed=sum(row.owed for row in rows),
        met=sum(min(row.delivered, row.owed) for row in rows),
        met_useful=sum(min(row.delivered - row.lost, row.owed) for row in rows),
        preemptions=count["preemptions"],
        preempted_jobs=count["preempted_jobs"],
        most_preemptions=sums.most_preemptions,
        restarts=count["restarts"],
        restarts_ok=count["restarts_ok"],
        restarts_failed=count["restarts_failed"],
        protection_bought=count["bought"] / GPU_HOUR,
        protection_unused=count["unused"] / GPU_HOUR,
    )


def _add(sums: dict[str, _Sums], names: Sequence[str], codes: Ints, columns: PoolColumns) -> None:
    """Add what happened in one pool to the sums of the accounts of one depth."""
    of_run = codes[columns.runs.row]
    totals = {what: _per_code(of_run, amounts, len(names)) for what, amounts in _of_runs(columns)}
    totals |= {what: _per_code(codes, amounts, len(names)) for what, amounts in _of_jobs(columns)}
    inside = codes >= 0
    most = np.zeros(len(names), np.int64)
    np.maximum.at(most, codes[inside], _preemptions(columns)[inside])
    for code, name in enumerate(names):
        mine = sums.setdefault(name, _Sums())
        mine.count.update({what: int(total[code]) for what, total in totals.items()})
        mine.most_preemptions = max(mine.most_preemptions, int(most[code]))


def _per_code(codes: Ints, amounts: Ints, size: int) -> Ints:
    inside = codes >= 0
    summed = np.zeros(size, np.int64)
    np.add.at(summed, codes[inside], amounts[inside].astype(np.int64))
    return summed


def _of_runs(columns: PoolColumns) -> Iterator[tuple[str, Ints]]:
    runs = columns.runs
    gpus = columns.gpus[runs.row]
    length = runs.end - runs.start
    again = runs.attempt > 1
    failed = again & runs.ended(Outcome.FAILED)
    yield "funded", np.where(runs.funded, gpus * length, 0)
    yield "opportunistic", np.where(runs.funded, 0, gpus * length)
    yield "lost", gpus * runs.lost
    yield "preemptions", runs.ended(Outcome.PREEMPTED).astype(np.int64)
    yield "restarts", again.astype(np.int64)
    yield "restarts_failed", failed.astype(np.int64)
    yield "restarts_ok", (again & ~failed & (runs.computed + runs.redone > 0)).astype(np.int64)
    yield "bought", np.where(runs.funded, gpus * runs.protection, 0)
    yield "unused", gpus * _unused(columns)


def _unused(columns: PoolColumns) -> Ints:
    """Return per run the seconds of protection that it ended without; what the cluster took away is not unused."""
    runs = columns.runs
    taken = runs.ended(*(one for one in OUTCOMES if one.taken_away))
    ended_itself = runs.funded & (runs.outcome >= 0) & ~taken
    return np.where(ended_itself, np.maximum(runs.start + runs.protection - runs.end, 0), 0)


def _of_jobs(columns: PoolColumns) -> Iterator[tuple[str, Ints]]:
    runs = columns.runs
    completed = np.zeros(len(columns.tasks), np.int64)
    completed[runs.row[runs.ended(Outcome.COMPLETED, Outcome.TIMEOUT)]] = 1
    yield "jobs", columns.submitted.astype(np.int64)
    yield "completed", completed
    yield "preempted_jobs", (_preemptions(columns) > 0).astype(np.int64)


def _preemptions(columns: PoolColumns) -> Ints:
    runs = columns.runs
    return np.bincount(runs.row[runs.ended(Outcome.PREEMPTED)], minlength=len(columns.tasks))


def preemption_days(columns: PoolColumns) -> Iterator[PreemptionDay]:
    """Yield every day of the simulation with its preemptions and the work they lost."""
    runs = columns.runs
    preempted = runs.ended(Outcome.PREEMPTED)
    day = (runs.end[preempted] - columns.start) // _DAY
    lost = (columns.gpus[runs.row] * runs.lost)[preempted]
    days = -(-(columns.now - columns.start) // _DAY)
    number = _per_code(day, np.ones(len(day), np.int64), days + 1)
    wasted = _per_code(day, lost, days + 1)
    for one in range(days):
        yield PreemptionDay(
            pool=columns.pool.name, day=one, preemptions=int(number[one]), lost=int(wasted[one]) / GPU_HOUR
        )


def user_protection(pools: Sequence[PoolColumns]) -> tuple[UserProtection, ...]:
    """Return what every user bought and used of protection, over all pools."""
    found: dict[tuple[str, str], Counter[str]] = {}
    for columns in pools:
        runs = columns.runs
        gpus = columns.gpus[runs.row]
        used = gpus * np.minimum(runs.protection, runs.end - runs.start)
        lines = zip(
            runs.row[runs.funded].tolist(),
            (gpus * runs.protection)[runs.funded].tolist(),
            used[runs.funded].tolist(),
            (gpus * _unused(columns))[runs.funded].tolist(),
            strict=True,
        )
        for row, bought, used_up, unused in lines:
            job = columns.tasks[row].job
            mine = found.setdefault((job.account, job.user), Counter())
            mine.update({"runs": 1, "bought": bought, "used": used_up, "unused": unused})
    return tuple(
        UserProtection(
            account=account,
            user=user,
            runs=count["runs"],
            bought=count["bought"] / GPU_HOUR,
            used=count["used"] / GPU_HOUR,
            unused=count["unused"] / GPU_HOUR,
        )
        for (account, user), count in sorted(found.items())
    )
