"""Draws what people submit: a job with its size, its true run time, and what its owner asks for."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from lab import CLOSED, FORMS, HOUR, LATECOMER, PROJECTS, ROUND_HOURS, Form, Pool, Project

PASS = 300
"""Seconds between two passes of the scheduler."""
PRESSURE = 2.5
"""How much more people would submit than there is, if the length of the queue did not put them off."""


@dataclass(slots=True, kw_only=True)
class Task:
    """A submission and what becomes of it; times in seconds since 1970, `runtime` is what it would need in all."""

    id: str
    account: str
    user: str
    pool: str
    form: Form
    gpus: float
    nodes: int
    submit: int
    declared: int
    limit: int
    priority: int
    runtime: int
    resumable: bool
    block: bool
    outcome: str
    labels: dict[str, str]
    start: int = 0
    end: int = 0
    places: dict[int, float] = field(default_factory=dict)
    preempted: list[int] = field(default_factory=list)

    @property
    def checkpoints(self) -> bool:
        """Say whether the job writes a checkpoint every hour."""
        return self.resumable and not self.form.interactive and self.form.name != "debug"

    def checkpoint(self, at: int) -> int | None:
        """Return when the run wrote its last checkpoint before an instant."""
        hours = (at - self.start) // HOUR
        return self.start + hours * HOUR if self.checkpoints and hours else None


def busy(at: int) -> float:
    """Return how much is submitted at an instant, 1 on average: office hours in the lab's zone, less at weekends."""
    local = datetime.fromtimestamp(at, UTC) + timedelta(hours=1)
    hour = local.hour + local.minute / 60
    wave = 1 + 0.75 * math.cos((hour - 15) / 24 * 2 * math.pi)
    return wave * (0.75 if local.weekday() >= 5 else 1.1)


def researchers() -> dict[str, tuple[str, ...]]:
    """Hand out the handles r001, r002, … to the projects, in order."""
    names = iter(f"r{number:03d}" for number in range(1, 1 + sum(project.people for project in PROJECTS)))
    return {project.account: tuple(next(names) for _ in range(project.people)) for project in PROJECTS}


class Submissions:
    """Draws jobs of a project, with ids in the order of drawing."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.people = researchers()
        self.number = 480_000

    def arriving(self, project: Project, pool: Pool, at: int) -> Iterator[Task]:
        """Yield what a project submits to a pool between this pass and the next."""
        for name, part in project.forms.items():
            form = FORMS[name]
            sizes = usable(form, pool)
            if not sizes or (form.by_day and busy(at) < 0.9):
                continue
            mean = sum(sizes) / len(sizes) * form.hours * math.exp(form.spread**2 / 2) * sum(form.batch) / 2
            rate = PRESSURE * project.demand[pool.name] * pool.nodes * pool.width * part / mean
            if self.rng.random() < rate * busy(at) * PASS / HOUR:
                yield from self.together(project, pool, form, at)

    def together(self, project: Project, pool: Pool, form: Form, at: int) -> Iterator[Task]:
        """Yield the jobs of one submission: one, or a sweep that shares size, user and label."""
        many = self.rng.randint(*form.batch)
        user = self.rng.choice(self.people[project.account])
        submit = at + self.rng.randrange(PASS)
        gpus = self.rng.choice(usable(form, pool))
        labels = {"queue": "debug"} if form.name == "debug" else {}
        if many > 1 and form.name == "sweep":
            labels = {"sweep": f"s{self.number + 1}"}
        priority = self.rng.choice(project.priority)
        for index in range(many):
            yield self.task(
                project,
                pool,
                form,
                user=user,
                submit=submit + index,
                gpus=gpus,
                priority=priority,
                labels=labels,
            )

    def task(
        self,
        project: Project,
        pool: Pool,
        form: Form,
        *,
        user: str,
        submit: int,
        gpus: float,
        priority: int,
        labels: dict[str, str],
    ) -> Task:
        """Draw one job."""
        self.number += 1
        runtime = max(60, round(form.hours * HOUR * math.exp(self.rng.gauss(0, form.spread)) / 60) * 60)
        limit = next((hours for hours in ROUND_HOURS if hours * HOUR >= runtime * 1.2), 96) * HOUR
        outcome = self.outcome(form)
        if outcome == "timeout":
            limit = runtime
        resumable = not form.interactive and self.rng.random() < 0.9
        nodes = math.ceil(gpus / pool.width) if gpus > pool.width else 1
        return Task(
            id=str(self.number),
            account=CLOSED if user == LATECOMER and form.name == "tune" else project.account,
            user=user,
            pool=pool.name,
            form=form,
            gpus=gpus,
            nodes=nodes,
            submit=submit,
            declared=self.declared(project, form, runtime, limit),
            limit=limit,
            priority=priority,
            runtime=self.cut_short(runtime, outcome),
            resumable=resumable,
            block=form.name == "large" and nodes <= pool.block and self.rng.random() < 0.6,
            outcome=outcome,
            labels=labels,
        )

    def declared(self, project: Project, form: Form, runtime: int, limit: int) -> int:
        """Draw a minimum runtime: honest, inflated to the whole limit, or none; sweeps seldom ask for any."""
        draw = self.rng.random() * (4 if form.name == "sweep" else 1)
        if draw < project.honesty:
            wanted = min(runtime, 4 * HOUR if form.name != "large" else 12 * HOUR)
            return min(limit, max(1_800, round(wanted / 1_800) * 1_800))
        return limit if draw < project.honesty + project.inflated else 0

    def outcome(self, form: Form) -> str:
        """Draw how a run ends if nobody interferes."""
        if form.interactive:
            return self.rng.choices(("cancelled", "completed", "timeout"), (6, 2, 2))[0]
        words = ("completed", "failed", "cancelled", "timeout", "out_of_memory", "deadline", "boot_fail")
        return self.rng.choices(words, (70, 12, 8, 6, 3, 0.4, 0.3))[0]

    def cut_short(self, runtime: int, outcome: str) -> int:
        """Return how long a run really takes: what fails, fails early more often than late."""
        if outcome == "boot_fail":
            return self.rng.randrange(40, 180)
        if outcome in {"failed", "out_of_memory", "cancelled"}:
            return max(45, round(runtime * self.rng.random() ** 2))
        return runtime


def usable(form: Form, pool: Pool) -> tuple[float, ...]:
    """Return the sizes that people ask for in a pool: parts of a GPU only where GPUs are small, large jobs where they fit."""
    small = pool.name == "l40s"
    most = pool.nodes * pool.width / (8 if small else 2)
    return tuple(size for size in form.sizes if size <= most and (size >= 1 or small))
