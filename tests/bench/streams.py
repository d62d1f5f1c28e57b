"""Streams of jobs of any length that keep a pool as busy at their end as at their beginning, for the measurements."""

from __future__ import annotations

import random
from dataclasses import replace

from policyctl.model.jobs import Job
from policyctl.model.workload import Task, Workload
from policyctl.units import Instant, MilliGpu, Seconds

START = Instant(1_796_000_000)
_LENGTHS = (300, 900, 1_800, 3_600, 7_200, 14_400)
_SIZES = (1, 1, 1, 2, 2, 4, 8)
_DECLARED = (0, 3_600, 4 * 3_600)
_YEAR = 366 * 86_400
_EVERY = 8


def stream(jobs: int, *, gpus: int, load: float, seed: int) -> Workload:
    """Return so many jobs of 20 programs of 10 projects, at a steady `load` on a pool of so many GPUs."""
    luck = random.Random(seed)
    each = sum(_LENGTHS) / len(_LENGTHS) * sum(_SIZES) / len(_SIZES)
    gap = each / (gpus * load)
    tasks = tuple(_task(luck, f"s{number:07}", Instant(int(START + number * gap))) for number in range(jobs))
    return Workload(start=START, end=Instant(tasks[-1].job.submit + _YEAR), tasks=tasks)


def behind(waiting: int, passing: int, *, gpus: int, seed: int) -> Workload:
    """Return a pool held for a year by protected jobs of one GPU each, but for eight GPUs; behind them, larger jobs that wait.

    Every other one of these declares a minimum runtime. From an hour on, `passing` small jobs that declare nothing come
    one after the other, run, and end.
    """
    luck = random.Random(seed)
    holds = [
        _job(f"h{number:07}", f"/p{number % 20:03}/q{number % 10:03}", "holder", START, 1)
        for number in range(gpus - 8)
    ]
    queue = [
        _job(f"w{number:07}", _account(luck), f"u{luck.randrange(10)}", START, luck.randrange(9, 65))
        for number in range(waiting)
    ]
    through = [
        _job(f"x{number:07}", _account(luck), "passing", Instant(START + 3_600 + _EVERY * number), 1)
        for number in range(passing)
    ]
    tasks = [
        *(Task(job=replace(job, min_runtime=Seconds(_YEAR)), work=Seconds(_YEAR)) for job in holds),
        *(Task(job=replace(job, min_runtime=Seconds(3_600)), work=Seconds(3_600)) for job in queue[::2]),
        *(Task(job=job, work=Seconds(3_600)) for job in queue[1::2]),
        *(Task(job=job, work=Seconds(60)) for job in through),
    ]
    return Workload(start=START, end=Instant(START + 3_600 + _EVERY * passing), tasks=tuple(tasks))


def _account(luck: random.Random) -> str:
    return f"/p{luck.randrange(20):03}/q{luck.randrange(10):03}"


def _task(luck: random.Random, name: str, submit: Instant) -> Task:
    account, user = _account(luck), f"u{luck.randrange(10)}"
    job = _job(name, account, user, submit, luck.choice(_SIZES))
    work, declared = Seconds(luck.choice(_LENGTHS)), Seconds(luck.choice(_DECLARED))
    return Task(job=replace(job, min_runtime=declared), work=work)


def _job(name: str, account: str, user: str, submit: Instant, gpus: int) -> Job:
    size = MilliGpu(gpus * 1000)
    nodes = -(-gpus // 8)
    return Job(id=name, account=account, user=user, pool="gpu", gpus=size, nodes=nodes, submit=submit)
