"""The runs of a contest, in parallel and in stretches: what each came to, with a checkpoint between stretches."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from policyctl.errors import NoAnswer
from policyctl.model.measures import Measures
from policyctl.render import simulation_csv
from policyctl.sim.contest import Contest, Heat, JobsDone, advance, begin, heats, measured
from policyctl.workspace.checkpoints import freeze, read_checkpoint, thaw, write_checkpoint
from policyctl.workspace.endings import Lost
from policyctl.workspace.processes import Board, Crew, interrupts

__all__ = ["Finished", "Keeping", "Stopped", "race"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Keeping:
    """Where to keep checkpoints, how often in simulated seconds (None: when interrupted), and what they belong to."""

    path: Path
    every: int | None
    inputs: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """What one run came to; the tables are empty where none were asked for."""

    measures: Measures
    jobs: str = ""
    decisions: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stopped:
    """The contest was stopped by a signal; `at` is the instant that the run furthest behind had come to."""

    signal: int
    at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Race:
    contest: Contest
    heats: tuple[Heat, ...]
    keep: bool
    tables: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stretch:
    """From a state (None: the beginning) to an instant."""

    heat: int
    state: bytes | None
    until: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Arrived:
    heat: int
    at: int
    state: bytes | None
    finished: Finished | None = None


def race(
    contest: Contest,
    *,
    jobs: int,
    keeping: Keeping | None = None,
    tables: bool = False,
    watch: Callable[[Board], None] | None = None,
) -> list[Finished] | Stopped:
    """Run every heat of a contest to its end, in up to `jobs` processes, or until an interrupt stops all of them.

    Where checkpoints are kept, runs go on from those that the file has. Raises UsageProblem for contestants that do
    not go together, NoAnswer for a checkpoint that is not theirs and for a process that ended without an answer.
    """
    entered = heats(contest)
    states = _known(keeping, len(entered))
    board = Board(len(entered), watch)
    setup = _Race(contest=contest, heats=entered, keep=keeping is not None, tables=tables)
    finished: dict[int, Finished] = {}
    reached = [contest.start] * len(entered)
    try:
        with interrupts(board), Crew(_run, setup, jobs=min(jobs, len(entered)), board=board) as crew:
            for number, state in enumerate(states):
                crew.give(_Stretch(heat=number, state=state, until=_stop(contest, keeping, None)))
            for arrived in crew.answers():
                states[arrived.heat], reached[arrived.heat] = arrived.state, arrived.at
                if keeping is not None:
                    write_checkpoint(keeping.path, inputs=keeping.inputs, states=states)
                if arrived.finished is not None:
                    finished[arrived.heat] = arrived.finished
                elif not board.stopped_by:
                    until = _stop(contest, keeping, arrived.at)
                    crew.give(_Stretch(heat=arrived.heat, state=arrived.state, until=until))
    except Lost as lost:
        # A signal to the whole group ends the processes as well, before they can say how far they came.
        if not lost.interrupted or (keeping is not None and not any(states)):
            raise
        return Stopped(signal=lost.interrupted, at=min(reached))
    if len(finished) < len(entered):
        return Stopped(signal=board.stopped_by, at=min(reached))
    return [finished[number] for number in range(len(entered))]


def _known(keeping: Keeping | None, runs: int) -> list[bytes | None]:
    if keeping is None:
        return [None] * runs
    return read_checkpoint(keeping.path, inputs=keeping.inputs, runs=runs)


def _stop(contest: Contest, keeping: Keeping | None, at: int | None) -> int:
    """Return where the next stretch ends: at the next checkpoint, or at the end."""
    if keeping is None or keeping.every is None:
        return contest.until
    passed = 0 if at is None else (at - contest.start) // keeping.every
    return min(contest.start + (passed + 1) * keeping.every, contest.until)


def _run(race: _Race, stretch: _Stretch, board: Board) -> _Arrived:
    """Let one run go on; the work of a process."""
    if board.stopped_by:
        at = race.contest.start
        return _Arrived(heat=stretch.heat, at=at, state=stretch.state)
    contest, heat = race.contest, race.heats[stretch.heat]
    simulation = begin(contest, heat) if stretch.state is None else thaw(stretch.state)
    if simulation.now > contest.until:
        raise NoAnswer("the checkpoint is past the instant of `--until`", help="ask for a later one")
    done = JobsDone()

    def go_on(at: int) -> bool:
        board.note(stretch.heat, at, done.of(simulation))
        return not board.stopped_by

    # A state may be further than the stretch that it was asked for: it was made with other stops, and goes on to the end.
    until = max(stretch.until, simulation.now)
    arrived = advance(simulation, until, go_on)
    state = freeze(simulation) if race.keep else None
    finished = None
    if arrived and until >= contest.until:
        finished = Finished(measures=measured(contest, heat, simulation))
        if race.tables:
            named = [(heat.name, simulation)]
            finished = Finished(
                measures=finished.measures,
                jobs=simulation_csv.jobs(named),
                decisions=simulation_csv.decisions(named),
            )
    return _Arrived(heat=stretch.heat, at=simulation.now, state=state, finished=finished)
