"""Work in several processes: every answer, what goes wrong there, and being asked to stop."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable

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
    """End the process at once, with an exit code."""
    del board
    os._exit(setup + 0 * item)


def signalled(setup: int, item: int, board: Board) -> int:
    """End the process by a signal, of which the second piece of work gets none."""
    if item == 0:
        os.kill(os.getpid(), setup)
    while not board.stopped_by:
        time.sleep(0.01)
    return item


def cut_off(setup: int, item: int, board: Board) -> bytes:
    """Give answers so long that the process mostly hands one over; a signal ends the first one that it does."""
    if item == 0:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
    return bytes(setup) + bytes(board.stopped_by)


def greedy(setup: int, item: int, board: Board) -> int:
    """Ask for more memory than there is."""
    del board
    return len(bytearray(setup << 60)) + item


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


@pytest.mark.parametrize(
    ("work", "setup", "why", "memory"),
    [
        (gone, 0, "a process ended without an answer", False),
        (gone, 3, "a process ended with exit code 3", False),
        (signalled, signal.SIGTERM, "a process was ended by SIGTERM", False),
        (signalled, signal.SIGSEGV, "a process was ended by SIGSEGV", False),
        (signalled, signal.SIGKILL, "a process was ended by SIGKILL", True),
        (signalled, 40, "a process was ended by signal 40", False),
        (greedy, 1, "a process ran out of memory", False),
    ],
    ids=[
        "no answer",
        "an exit code",
        "SIGTERM",
        "SIGSEGV",
        "SIGKILL",
        "a signal without a name",
        "no memory",
    ],
)
def test_a_process_that_is_gone_says_how_it_ended(
    work: Callable[[int, int, Board], int], setup: int, why: str, *, memory: bool
) -> None:
    with Crew(work, int(setup), jobs=2, board=Board(2)) as crew:
        crew.give(0)
        crew.give(1)
        with pytest.raises(NoAnswer, match=f"^{why}$") as caught:
            list(crew.answers())
    assert ("memory" in str(caught.value.help)) is memory


def test_a_process_that_ends_while_it_hands_an_answer_over_is_noticed() -> None:
    with Crew(cut_off, 2**25, jobs=2, board=Board(1)) as crew:
        for item in range(400):
            crew.give(item)
        with pytest.raises(NoAnswer, match="a process was ended by SIGALRM"):
            list(crew.answers())


def test_memory_that_runs_out_in_this_process_is_no_answer() -> None:
    with Crew(greedy, 1, jobs=1, board=Board(1)) as crew:
        crew.give(0)
        with pytest.raises(NoAnswer, match="a process ran out of memory"):
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
