"""One submission after the other: what a researcher asks for in a pool, what it really takes, and what is said about it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from policyctl.errors import UsageProblem
from policyctl.model.jobs import Job
from policyctl.model.policy import Pool
from policyctl.model.workload import Task
from policyctl.sim.workloads.dice import Dice, Wheel
from policyctl.sim.workloads.mix import LabMix, Size
from policyctl.sim.workloads.people import Researcher
from policyctl.sim.workloads.rhythm import Rhythm
from policyctl.units import Instant, MilliGpu, Seconds

__all__ = ["Drawn", "Submissions"]

_MINUTE, _QUARTER, _HOUR = 60, 900, 3600
_SESSION = Size(gpus=1, weight=1, median=Seconds(150 * _MINUTE))
_LONGEST_SESSION = 10 * _HOUR
_SHORTEST = 2 * _MINUTE
_DEBUG = 30 * _MINUTE
_URGENT = 10


@dataclass(frozen=True, slots=True)
class Drawn:
    """A task, and the place of its owner among the researchers."""

    owner: int
    task: Task


class Submissions:
    """Draws what is submitted to one pool; a larger load only adds to what a smaller one has."""

    def __init__(self, mix: LabMix, pool: Pool, people: tuple[Researcher, ...], rhythm: Rhythm) -> None:
        self._mix, self._pool, self._people, self._rhythm = mix, pool, people, rhythm
        self._dice = Dice(mix.seed, "submissions", pool.name)
        self._owners = Wheel(one.wants.get(pool.name, 0.0) for one in people)
        self._sizes = tuple(size for size in mix.sizes if self._usable(size))
        if not self._sizes:
            raise UsageProblem(
                f"no size of the mix fits half of pool `{pool.name}`", help="add a smaller size"
            )
        self._size = Wheel(size.weight for size in self._sizes)
        self._number = 0

    def _usable(self, size: Size) -> bool:
        """Say whether a size takes at most half of the pool, and whole nodes where it takes several."""
        several = size.gpus > self._pool.gpus_per_node
        return 2 * size.gpus <= max(2, self._pool.gpus) and not (
            several and size.gpus % self._pool.gpus_per_node
        )

    def drawn(self) -> Iterator[Drawn]:
        """Yield tasks until the pool's capacity over the mix's days is asked for `load` times, to the minute."""
        open_ticks = int(self._mix.load * self._pool.gpus * self._mix.days * 86_400)
        while open_ticks >= _MINUTE:
            for one in self._together():
                gpus = int(one.task.job.gpus) // 1000
                cut = replace(one.task, work=Seconds(max(_MINUTE, min(one.task.work, open_ticks // gpus))))
                yield Drawn(one.owner, cut)
                open_ticks -= gpus * cut.work
                if open_ticks < _MINUTE:
                    return

    def _together(self) -> Iterator[Drawn]:
        dice, mix = self._dice, self._mix
        owner = self._owners.pick(dice)
        session = dice.happens(float(mix.interactive))
        size = _SESSION if session else self._sizes[self._size.pick(dice)]
        submit = self._rhythm.instant(dice, office=session)
        sweep = not session and size.gpus <= self._pool.gpus_per_node
        declares = not dice.happens(float(mix.zero_declared))
        urgent = dice.happens(float(mix.urgent))
        resumes = not session and dice.happens(float(mix.resumable))
        for _ in range(dice.run_length(mix.sweep) if sweep else 1):
            work = self._work(size, session=session)
            job = self._job(
                owner,
                size,
                work,
                submit,
                kind="interactive" if session else "batch",
                resumable=resumes,
                priority=_URGENT if urgent else 0,
                declares=declares,
            )
            yield Drawn(owner, self._task(job, work))

    def _work(self, size: Size, *, session: bool) -> int:
        spread = 0.5 if session else float(self._mix.spread)
        longest = _LONGEST_SESSION if session else int(self._mix.longest)
        return max(_SHORTEST, min(longest, int(self._dice.around(size.median, spread))))

    def _job(
        self,
        owner: int,
        size: Size,
        work: int,
        submit: Instant,
        *,
        kind: Literal["batch", "interactive"],
        resumable: bool,
        priority: int,
        declares: bool,
    ) -> Job:
        person, pool, dice = self._people[owner], self._pool, self._dice
        self._number += 1
        nodes = -(-size.gpus // pool.gpus_per_node)
        within = (
            pool.block_nodes is not None
            and 1 < nodes <= pool.block_nodes
            and dice.happens(float(self._mix.block))
        )
        declared = self._declared(work, inflates=person.inflates) if declares else 0
        overheads = 4 * int(self._mix.restart_overhead)
        limit = _up(int(work * dice.between(1.5, 4.0)) + overheads, _HOUR)
        debug = kind == "batch" and size.gpus <= pool.gpus_per_node and work <= _DEBUG and dice.happens(0.5)
        return Job(
            id=f"{pool.name}-{self._number:06d}",
            account=person.account,
            user=person.name,
            pool=pool.name,
            gpus=MilliGpu(1000 * size.gpus),
            nodes=nodes,
            submit=submit,
            min_runtime=Seconds(declared),
            time_limit=Seconds(max(limit, declared)),
            priority=priority,
            kind=kind,
            resumable=resumable,
            labels={"queue": "debug"} if debug else {},
            topology="block" if within else "any",
        )

    def _declared(self, work: int, *, inflates: bool) -> int:
        """Return the declared minimum runtime: what is needed and a little more, or a multiple of it."""
        factor = self._dice.between(2.0, 8.0) if inflates else self._dice.between(1.0, 1.2)
        return min(_up(int(work * factor), _QUARTER), int(self._mix.most_declared))

    def _task(self, job: Job, work: int) -> Task:
        mix = self._mix
        return Task(
            job=job,
            work=Seconds(work),
            checkpoint_every=mix.checkpoint_every if job.resumable else None,
            save_time=mix.save_time if job.resumable else None,
            restart_overhead=mix.restart_overhead if job.kind == "batch" else Seconds(0),
            restart_failure=float(mix.restart_failure) if job.kind == "batch" else 0.0,
        )


def _up(value: int, step: int) -> int:
    return -(-value // step) * step
