"""Work in several processes: every answer, what goes wrong there, and being asked to stop."""

from __future__ import annotations

import os
import signal

import pytest

from policyctl.errors import NoAnswer
from policyctl.workspace.processes import Board, Crew, interrupts


def doubled(setup: int, item: int, board: Board) -> int:
    """Return what is asked for, and say on the board that it was done."""
    board.note(item, setup + item, 1)
    return 2 * (setup + item)


def refused(setup: int, item: int, board: Board) -> int:
    """Give no answer, with a way out."""
    del board
    raise NoAnswer(f"no answer to {setup + item}", help="ask for something else")


def gone(setup: int, item: int, board: Board) -> int:
    """End the process, as the kernel does when memory runs out; in this process, only say so."""
    del board
    os._exit(setup + item)


@pytest.mark.parametrize("jobs", [1, 3])
def test_every_answer_comes_and_more_work_may_be_given(jobs: int) -> None:
    board = Board(4)
    found = []
    with Crew(doubled, 10, jobs=jobs, board=board) as crew:
        crew.give(0)
        crew.give(1)
        for answer in crew.answers():
            found.append(answer)
            if len(found) < 3:
                crew.give(len(found) + 1)
    assert sorted(found) == [20, 22, 24, 26]
    assert board.seen() == [(10, 1), (11, 1), (12, 1), (13, 1)]


@pytest.mark.parametrize("jobs", [1, 2])
def test_no_answer_keeps_its_way_out(jobs: int) -> None:
    with Crew(refused, 1, jobs=jobs, board=Board(1)) as crew:
        crew.give(0)
        with pytest.raises(NoAnswer, match="no answer to 1") as caught:
            list(crew.answers())
    assert caught.value.help == "ask for something else"


def test_a_process_that_is_gone_is_no_answer() -> None:
    with Crew(gone, 0, jobs=2, board=Board(1)) as crew:
        crew.give(0)
        with pytest.raises(NoAnswer, match="a process ended without an answer"):
            list(crew.answers())


def test_the_first_interrupt_asks_and_the_second_one_ends() -> None:
    board = Board(1)
    before = signal.getsignal(signal.SIGINT)
    with interrupts(board):
        signal.raise_signal(signal.SIGINT)
        assert board.stopped_by == signal.SIGINT
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before
