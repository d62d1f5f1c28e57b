"""The tasks that a scenario writes down: a line of them to tasks, or to streams where their users keep a queue."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Literal

from policyctl.load.reading import Reader
from policyctl.model.jobs import Job
from policyctl.model.workload import Stream, Task
from policyctl.units import Instant, MilliGpu, Seconds, parse_duration, parse_share

__all__ = ["streams_of", "tasks_of"]

_NONE = Seconds(0)


def tasks_of(row: Reader, start: Instant) -> tuple[Task, ...]:
    """Return the tasks of one entry that are submitted by the clock; none if its users keep a queue."""
    if row.has("queue"):
        return ()
    task = _task(row, start)
    times, every = row.maybe("times", int, 1), row.maybe("every", parse_duration, _NONE)
    users = _users(row)
    if times == 1:
        return (_named(task, task.job.id, users[0]),)
    return tuple(
        _named(
            task,
            f"{task.job.id}-{number + 1:04d}",
            users[number % len(users)],
            Instant(task.job.submit + number * every),
        )
        for number in range(times)
    )


def streams_of(row: Reader, start: Instant) -> tuple[Stream, ...]:
    """Return a stream for each user of one entry, or none if it has no queue."""
    if not row.has("queue"):
        return ()
    task = _task(row, start)
    queue, times, users = row.inside("queue"), row.maybe("times", int, 1), _users(row)
    named = [
        (user, f"{task.job.id}-{place + 1}" if len(users) > 1 else task.job.id)
        for place, user in enumerate(users)
    ]
    return tuple(
        Stream(
            tasks=tuple(_named(task, f"{name}-{number + 1:04d}", user) for number in range(times)),
            depth=int(queue.text("depth")),
            first=task.job.submit,
            pause=queue.maybe("pause", parse_duration, _NONE),
        )
        for user, name in named
    )


def _users(row: Reader) -> list[str]:
    name = row.maybe("user", str, row.text("name"))
    number = row.maybe("users", int, 1)
    return [name] if number == 1 else [f"{name}-{place + 1}" for place in range(number)]


def _named(task: Task, identity: str, user: str, submit: Instant | None = None) -> Task:
    job = replace(task.job, id=identity, user=user, submit=task.job.submit if submit is None else submit)
    return replace(task, job=job)


def _task(row: Reader, start: Instant) -> Task:
    return Task(
        job=Job(
            id=row.text("name"),
            account=row.text("account"),
            user="",
            pool=row.text("pool"),
            gpus=MilliGpu(1000 * int(row.text("gpus"))),
            nodes=row.maybe("nodes", int, 1),
            submit=Instant(start + row.maybe("at", parse_duration, _NONE)),
            min_runtime=row.maybe("minRuntime", parse_duration, _NONE),
            time_limit=row.maybe("timeLimit", parse_duration, None),
            priority=row.maybe("priority", int, 0),
            kind=row.maybe("kind", _kind, "batch"),
            resumable=row.maybe("resumable", _truth, default=True),
            labels={name: row.inside("labels").text(name) for name in row.inside("labels").names()},
            topology=row.maybe("topology", _topology, "any"),
        ),
        work=parse_duration(row.text("work")),
        checkpoint_every=row.maybe("checkpointEvery", parse_duration, None),
        save_time=row.maybe("saveTime", parse_duration, None),
        restart_overhead=row.maybe("restartOverhead", parse_duration, _NONE),
        restart_failure=float(row.maybe("restartFailure", parse_share, Fraction(0))),
    )


def _kind(text: str) -> Literal["batch", "interactive"]:
    return "interactive" if text == "interactive" else "batch"


def _topology(text: str) -> Literal["any", "block"]:
    return "block" if text == "block" else "any"


def _truth(text: str) -> bool:
    return text == "true"
