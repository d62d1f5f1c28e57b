"""What no simulation may break, whatever was decided in it: conservation of GPU time, of charges, of jobs and of nodes.

1  a job does not run twice at once, starts only after it came, and not again after it was done
2  no node holds more GPUs than it has, and no run is on a node that failed
3  every run is on as many GPUs as its job asked for, and its time is what it kept and what it lost
4  the GPU time of the nodes is the sum of the GPU time of the jobs
5  a protected run is never preempted
6  a preempted run loses what it did since it last saved its work, its restart overhead, and nothing else
7  what accounts are charged is the sum over all runs of rate times weighted time, as the ledger says
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from policyctl.decide.live import LivePool
from policyctl.ledger.charge import Runs as LedgerRuns
from policyctl.ledger.charge import charge_runs
from policyctl.ledger.window import lookback
from policyctl.model.jobs import Outcome
from policyctl.model.policy import Policy, Pool
from policyctl.model.workload import IncidentKind, Task
from policyctl.sim.kernel import Simulation
from policyctl.sim.record import Record, Run
from policyctl.units import Instant

__all__ = ["laws"]

_ROUNDING = 1e-9


def laws(simulation: Simulation, policy: Policy) -> tuple[str, ...]:
    """Return every law that a simulation broke, as a sentence; none is what is expected."""
    return tuple(
        f"{pool.name}: {broken}"
        for pool in policy.pools
        for broken in _Checked(simulation, policy, pool).broken()
    )


class _Checked:
    """One pool of a simulation as far as it has run."""

    def __init__(self, simulation: Simulation, policy: Policy, pool: Pool) -> None:
        self._simulation, self._policy, self._pool = simulation, policy, pool
        self._tasks = simulation.tasks(pool.name)
        self._record: Record = simulation.pools[pool.name].record_at(simulation.now)
        self._by_row: dict[int, list[Run]] = defaultdict(list)
        for run in self._record.runs:
            self._by_row[run.row].append(run)

    def broken(self) -> Iterator[str]:
        """Yield what is broken."""
        for row, runs in sorted(self._by_row.items()):
            yield from self._of_a_job(self._tasks[row], row, runs)
        yield from self._nodes()
        yield from self._gpu_time()
        yield from self._charges()

    def _of_a_job(self, task: Task, row: int, runs: list[Run]) -> Iterator[str]:
        name = task.job.id
        came = self._record.submitted.get(row)
        if came is None or runs[0].start < came or row in self._record.impossible:
            yield f"`{name}` ran before it came"
        for before, after in pairwise(runs):
            if after.start < before.end or after.attempt != before.attempt + 1:
                yield f"`{name}` ran twice at {after.start}"
            if before.outcome in {None, Outcome.COMPLETED, Outcome.TIMEOUT}:
                yield f"`{name}` ran again after it was done"
        kept = 0
        for run in runs:
            yield from self._of_a_run(task, run, kept)
            kept = kept + run.computed if task.job.resumable else 0
        if runs[-1].outcome is Outcome.COMPLETED and kept != task.work and task.job.resumable:
            yield f"`{name}` was done with {kept} of {task.work} seconds"

    def _of_a_run(self, task: Task, run: Run, kept: int) -> Iterator[str]:
        name, length = task.job.id, run.end - run.start
        if sum(gpus for _, gpus in run.placement) != task.job.gpus:
            yield f"`{name}` did not hold the GPUs it asked for"
        if run.computed < 0 or run.lost < 0 or run.computed + run.lost != length:
            yield f"`{name}` kept {run.computed} and lost {run.lost} of {length} seconds"
        if run.outcome is Outcome.PREEMPTED:
            if run.funded and run.end < run.start + run.protection:
                yield f"`{name}` was preempted while it was protected"
            expected = _expected_loss(task, run, int(self._policy.preemption.notice), kept)
            if run.lost != expected:
                yield f"`{name}` lost {run.lost} seconds to preemption instead of {expected}"

    def _nodes(self) -> Iterator[str]:
        size = self._pool.gpus_per_node * 1000
        changes: dict[int, list[tuple[int, int, str]]] = defaultdict(list)
        for run in self._record.runs:
            for node, gpus in run.placement:
                if run.end > run.start:
                    changes[node] += [(run.start, gpus, ""), (run.end, -gpus, "")]
        for node, moves in sorted(changes.items()):
            held = 0
            for at, gpus, _ in sorted(moves):
                held += gpus
                if held > size:
                    yield f"node {node} held {held} of {size} thousandths at {at}"
        for incident in self._simulation.workload.incidents:
            if incident.pool == self._pool.name and incident.kind is IncidentKind.FAIL:
                yield from self._on_failed(frozenset(incident.nodes), incident.at, incident.until)

    def _on_failed(self, nodes: frozenset[int], at: int, until: int) -> Iterator[str]:
        for run in self._record.runs:
            overlap = run.start < min(until, self._simulation.now) and run.end > at
            if overlap and run.end > run.start and any(node in nodes for node, _ in run.placement):
                yield f"`{self._tasks[run.row].job.id}` ran on a node that had failed at {at}"

    def _gpu_time(self) -> Iterator[str]:
        of_jobs = sum(self._tasks[run.row].job.gpus * (run.end - run.start) for run in self._record.runs)
        of_nodes: dict[int, int] = defaultdict(int)
        for run in self._record.runs:
            for node, gpus in run.placement:
                of_nodes[node] += gpus * (run.end - run.start)
        if of_jobs != sum(of_nodes.values()):
            yield f"jobs held {of_jobs} and nodes gave {sum(of_nodes.values())} of GPU time"

    def _charges(self) -> Iterator[str]:
        lane = self._simulation.pools[self._pool.name].lane
        if not isinstance(lane, LivePool) or lane.policy is not self._policy:
            return
        now, runs = self._simulation.now, self._record.runs
        window = lookback(self._policy.accounting.window, now)
        costs = charge_runs(_columns(runs, self._tasks), lane.rates, window)
        expected: dict[tuple[str, str], list[int]] = defaultdict(list)
        for run, ticks in zip(runs, (costs.charged + costs.committed).tolist(), strict=True):
            job = self._tasks[run.row].job
            expected[job.account, job.user].append(ticks)
        for (account, user), live in lane.accounted(Instant(now)).items():
            mine = expected[account, user]
            # With a half-life the ledger rounds each run to a tick, and live sums are floating-point numbers.
            rounding = 0.0 if window.half_life is None else len(mine) + _ROUNDING * sum(mine)
            if abs(live - sum(mine)) > rounding:
                yield f"`{user}` of `{account}` was charged {live} ticks for runs that cost {sum(mine)}"


def _expected_loss(task: Task, run: Run, notice: int, kept: int) -> int:
    """Return what a preempted run loses, from the words alone."""
    length = run.end - run.start
    overhead = min(int(task.restart_overhead), length) if run.attempt > 1 else 0
    done = min(length - overhead, int(task.work) - kept)
    if not task.job.resumable:
        return length
    if task.save_time is not None and task.save_time <= notice:
        return length - done
    saved = done // task.checkpoint_every * task.checkpoint_every if task.checkpoint_every else 0
    return length - saved


def _columns(runs: Sequence[Run], tasks: Sequence[Task]) -> LedgerRuns:
    return LedgerRuns(
        gpus=np.array([tasks[run.row].job.gpus for run in runs], dtype=np.int64),
        start=np.array([run.start for run in runs], dtype=np.int64),
        end=np.array([run.end for run in runs], dtype=np.int64),
        open=np.array([run.outcome is None for run in runs], dtype=np.bool_),
        funded=np.array([run.funded for run in runs], dtype=np.bool_),
        protection=np.array([run.protection for run in runs], dtype=np.int64),
        taken_away=np.array(
            [run.outcome is not None and run.outcome.taken_away for run in runs], dtype=np.bool_
        ),
    )
