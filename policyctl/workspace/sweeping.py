"""The runs of a sweep, in parallel processes of this machine."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from policyctl.model.sweep import Score
from policyctl.sim.contest import JobsDone
from policyctl.sim.kernel import Simulation
from policyctl.sim.sweep import Sweep, SweepRun, runs_of, score
from policyctl.workspace.endings import Lost
from policyctl.workspace.processes import Board, Crew, interrupts

__all__ = ["Broken", "sweep_here"]


class Broken(Exception):
    """A signal asked to stop; nothing is kept of a sweep that has not come to its end."""

    def __init__(self, signal: int) -> None:
        super().__init__(f"stopped by signal {signal}")
        self.signal = signal


def sweep_here(
    sweep: Sweep, *, jobs: int, watch: Callable[[Board], None] | None = None
) -> Mapping[SweepRun, Score]:
    """Score every run in up to `jobs` processes; raises Broken when interrupted, and NoAnswer where a process is lost."""
    runs = runs_of(sweep)
    board = Board(len(runs), watch)
    scores: dict[SweepRun, Score] = {}
    try:
        with interrupts(board), Crew(_score, sweep, jobs=min(jobs, len(runs)), board=board) as crew:
            for place in range(len(runs)):
                crew.give(place)
            for place, found in crew.answers():
                if found is None:
                    raise Broken(board.stopped_by)
                scores[runs[place]] = found
    except Lost as lost:
        if lost.interrupted:
            raise Broken(lost.interrupted) from None
        raise
    return scores


class _Asked(Exception):
    """The board asked to stop."""


def _score(sweep: Sweep, place: int, board: Board) -> tuple[int, Score | None]:
    """Score one run; the work of a process."""
    done = JobsDone()

    def look(simulation: Simulation, at: int) -> None:
        board.note(place, at, done.of(simulation))
        if board.stopped_by:
            raise _Asked

    try:
        return place, score(sweep, runs_of(sweep)[place], look)
    except _Asked:
        return place, None
