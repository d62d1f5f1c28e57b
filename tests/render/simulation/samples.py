"""A report of made-up figures, as large and as awkward as asked: waves instead of luck, so that it is always the same."""

from __future__ import annotations

import math

from policyctl.model.measures import (
    ALL,
    CLASSES,
    SIZES,
    Drain,
    Group,
    ImpossibleJob,
    Interactive,
    LongestWait,
    Measures,
    PoolMeasures,
    PoolSeries,
    PreemptionDay,
    ProgramSeries,
    Recovery,
    SimulationReport,
    UserProtection,
    WaitLine,
    WaitStatistics,
    Warned,
    WindowRow,
)
from policyctl.units import parse_instant

__all__ = ["AWKWARD", "LAB", "POOLS", "START", "contestant", "report"]

START = int(parse_instant("2026-11-01T00:00:00Z"))
DAY = 86_400
LAB = ("/audio", "/language", "/robotics", "/safety", "/science", "/vision")
POOLS = {"a100": 320, "h100": 704, "l40s": 176}
AWKWARD = (
    '/<script>alert("1")</script>',
    "/$x_1$ & co",
    "/研究室の長い名前のプログラムがここにある",
    "/right\u202eto-left",
    "/a-program-with-a-name-that-is-much-too-long-for-any-legend",
    "/{{ 7 * 7 }}",
)


def wave(*numbers: float) -> float:
    """Return a number between 0 and 1 that looks like nothing in particular."""
    return (math.sin(sum(number * (index + 1.7) for index, number in enumerate(numbers))) + 1) / 2


def group(path: str, size: float, good: float, *, preempts: bool) -> Group:
    preemptions = round(size / 200) if preempts else 0
    return Group(
        path=path,
        jobs=round(size / 8),
        completed=round(size / 9),
        delivered=size,
        funded=size * 0.82,
        opportunistic=size * 0.18,
        lost=size * 0.004 if preempts else 0.0,
        demand=size * 2.4,
        entitlement=size * 1.01,
        owed=size,
        met=size * good,
        met_useful=size * good * 0.996,
        preemptions=preemptions,
        preempted_jobs=preemptions // 2,
        most_preemptions=min(preemptions, 3),
        restarts=preemptions,
        restarts_ok=preemptions - preemptions // 10,
        restarts_failed=preemptions // 10,
        protection_bought=size * 0.7,
        protection_unused=size * 0.06,
    )


def waits(number: int, factor: float) -> WaitStatistics:
    return WaitStatistics(
        jobs=400 - 30 * number,
        never_started=number,
        median=int(3 ** (number + 1) * factor) - 3,
        p90=int(40 * 3**number * factor),
        p99=int(400 * 3**number * factor),
        longest=int(2_000 * 3**number * factor),
    )


def wait_lines(programs: tuple[str, ...], factor: float) -> tuple[WaitLine, ...]:
    cuts = [("/", ALL, ALL, 0), *((path, ALL, ALL, at % 3) for at, path in enumerate(programs))]
    cuts += [("/", size, ALL, at) for at, size in enumerate(SIZES)]
    cuts += [("/", ALL, klass, at * 2) for at, klass in enumerate(CLASSES)]
    cuts += [
        ("/", size, klass, at + other) for at, size in enumerate(SIZES) for other, klass in enumerate(CLASSES)
    ]
    return tuple(
        WaitLine(pool=ALL, account=account, size=size, klass=klass, waits=waits(number, factor))
        for account, size, klass, number in cuts
    )


def series(
    pool: str, programs: tuple[str, ...], *, gpus: int, days: int, bins: int, skew: float
) -> PoolSeries:
    width = days * DAY // bins
    share = 1 / max(1, len(programs))
    return PoolSeries(
        pool=pool,
        start=START,
        width=width,
        bins=bins,
        offered=tuple(gpus - (16.0 if 0.4 < at / bins < 0.5 else 0.0) for at in range(bins)),
        programs=tuple(
            ProgramSeries(
                account=path,
                occupied=tuple(
                    gpus * share * 0.96 * (0.55 + 0.45 * wave(number, at / bins * 40 * skew))
                    for at in range(bins)
                ),
                usage=tuple(
                    share * (1 + (0.6 * skew * wave(number, at / bins * 6) - 0.3) * (at / bins))
                    for at in range(bins)
                ),
                share=tuple(share * (1.4 if number == 0 and at > bins / 2 else 1) for at in range(bins)),
            )
            for number, path in enumerate(programs)
        ),
        preemptions=tuple(int(6 * wave(gpus, at) ** 3) if skew == 1 else 0 for at in range(bins)),
    )


def windows(programs: tuple[str, ...], days: int, good: float) -> tuple[WindowRow, ...]:
    ends = [*range(14, days, 14), days]
    return tuple(
        WindowRow(
            pool=pool,
            account=path,
            start=START + (end - (end % 14 or 14)) * DAY,
            end=START + end * DAY,
            entitlement=owed * 1.1,
            demand=owed * 2,
            owed=owed,
            delivered=owed * (good + 0.3 * wave(number, end) - 0.1),
            lost=owed * 0.01,
        )
        for pool, gpus in POOLS.items()
        for number, path in enumerate(programs)
        for end in ends
        for owed in [gpus * 24 * (end % 14 or 14) / len(programs)]
    )


def pool_measures(pool: str, gpus: int, days: int, good: float) -> PoolMeasures:
    capacity = gpus * 24.0 * days
    drain = Drain(pool=pool, nodes=2, at=START + 3 * DAY, until=START + 4 * DAY, seconds=5_400)
    return PoolMeasures(
        pool=pool,
        gpus=gpus,
        capacity=capacity,
        offered=capacity * 0.995,
        occupied=capacity * 0.99 * good,
        claimed=capacity * 0.002,
        fragmentation=capacity * 0.004,
        drains=(drain,) if pool == "h100" else (),
    )


def contestant(
    name: str,
    good: float = 0.985,
    *,
    programs: tuple[str, ...] = LAB,
    days: int = 30,
    bins: int = 240,
    seed: int = 1,
    preempts: bool = True,
) -> Measures:
    sizes = [9_000.0 * (number + 2) for number in range(len(programs))]
    factor = (1 / good) ** 12
    return Measures(
        name=name,
        policy="the lab's policy",
        seed=seed,
        start=START,
        end=START + days * DAY,
        window="14 days, half-life 7 days",
        overall=group("/", sum(sizes), good, preempts=preempts),
        programs=tuple(
            group(path, size, min(1, good + 0.01), preempts=preempts)
            for path, size in zip(programs, sizes, strict=True)
        ),
        projects=tuple(
            group(f"{path}/{project}", size / 2, good, preempts=preempts)
            for path, size in zip(programs, sizes, strict=True)
            for project in ("one", "two")
        ),
        pools=tuple(pool_measures(pool, gpus, days, good) for pool, gpus in POOLS.items()),
        windows=windows(programs, days, good),
        waits=wait_lines(programs, factor),
        longest_waits=tuple(
            LongestWait(
                size=size,
                job=f"j{number}",
                pool="h100",
                account=programs[0],
                since=START + DAY,
                seconds=9_000 * (number + 1),
                still_waiting=number == len(SIZES) - 1,
            )
            for number, size in enumerate(SIZES)
        ),
        preemption_days=tuple(
            PreemptionDay(
                pool=pool,
                day=day,
                preemptions=int(40 * wave(gpus, day)) if preempts else 0,
                lost=60 * wave(gpus, day) if preempts else 0.0,
            )
            for pool, gpus in POOLS.items()
            for day in range(days)
        ),
        users=tuple(
            UserProtection(
                account=programs[number % len(programs)],
                user=f"r{number:03d}",
                runs=20 + number,
                bought=800.0 - 20 * number,
                used=600.0 - 10 * number,
                unused=200.0 - 10 * number,
            )
            for number in range(15)
        ),
        interactive=Interactive(
            sessions=420,
            started=410,
            completed=390,
            cut=20 if preempts else 0,
            cut_protected=0,
            waits=waits(1, factor),
            shortest_warning=120 if preempts else None,
            median_warning=120 if preempts else None,
        ),
        recoveries=(
            Recovery(
                pool="h100", account=programs[-1], idle=10 * DAY, returned=START + 12 * DAY, seconds=7_200
            ),
            Recovery(pool="a100", account=programs[0], idle=3 * DAY, returned=START + 20 * DAY, seconds=None),
        ),
        series=tuple(
            series(pool, programs, gpus=gpus, days=days, bins=bins, skew=1 if preempts else 1.6)
            for pool, gpus in POOLS.items()
        ),
        warnings=(
            Warned(
                code="underserved_program",
                subject=programs[-1],
                message=f"`{programs[-1]}` got 71.3% of what it was owed in one window, while all together got 98.5%",
            ),
        )
        if good < 0.98
        else (),
        impossible=(
            ImpossibleJob(job="too-large", pool="l40s", account=programs[0], gpus=4_096.0, nodes=512),
        ),
    )


def report(*contestants: Measures) -> SimulationReport:
    return SimulationReport(
        title="A month of the lab",
        command="policyctl simulate --workload workload.json --against fifo --against labels --seed 1 --report out.html",
        version="0.1.0",
        digests={"bundle": f"sha256:{'0a' * 32}", "workload": f"sha256:{'b1' * 32}"},
        contestants=contestants
        or (
            contestant("policy"),
            contestant("fifo", 0.71, preempts=False),
            contestant("labels", 0.83, preempts=False),
        ),
    )
