"""Work spread over processes of this machine, with a board on which they say how far they are and are told to stop.

Processes are spawned, so that they hold nothing but what they are given, and answers do not depend on how many there
are. With one process, or one piece of work, everything happens in this one.
"""

from __future__ import annotations

import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context
from types import FrameType, TracebackType
from typing import Any, Generic, Self, TypeVar

from policyctl.errors import NoAnswer
from policyctl.workspace.endings import SPARE, Lost, Watched

__all__ = ["Board", "Crew", "Work", "cores", "interrupts"]

Setup = TypeVar("Setup")
Item = TypeVar("Item")
Answer = TypeVar("Answer")

_SPAWN = get_context("spawn")
_LOOK = 0.2
_EVERY = 256


def cores() -> int:
    """Return how many processes may run at once."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Board:
    """Memory that all processes share: a wish to stop, and for each run how far it is and how many jobs are done."""

    def __init__(self, runs: int, watch: Callable[[Board], None] | None = None) -> None:
        self._stop = _SPAWN.RawValue("i", 0)
        self._at = _SPAWN.RawArray("q", runs)
        self._done = _SPAWN.RawArray("q", runs)
        self.watch = watch

    def __getstate__(self) -> tuple[Any, Any, Any]:
        """Leave the watcher behind: it belongs to the process that made the board."""
        return self._stop, self._at, self._done

    def __setstate__(self, state: tuple[Any, Any, Any]) -> None:
        """Look at the same memory."""
        self._stop, self._at, self._done = state
        self.watch = None

    def ask_to_stop(self, why: int) -> None:
        """Ask all runs to stop as soon as they can; `why` is the number of the signal."""
        self._stop.value = why

    @property
    def stopped_by(self) -> int:
        """The signal that asked to stop, 0 while nothing did."""
        return int(self._stop.value)

    def note(self, run: int, at: int, done: int) -> None:
        """Say how far a run is."""
        self._at[run] = at
        self._done[run] = done
        if self.watch is not None:
            self.watch(self)

    def seen(self) -> list[tuple[int, int]]:
        """Return for each run the instant it has come to (0: not begun), and how many of its jobs are done."""
        return list(zip(self._at, self._done, strict=True))


Work = Callable[[Setup, Item, Board], Answer]
"""A function of a module, given what all pieces of work share, one piece, and the board."""


_held: list[Any] = []


def _hold(work: Work[Any, Any, Any], setup: Any, board: Board) -> None:
    # A terminal sends its interrupt to all processes; only the first one decides what becomes of it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT, signal.SIGTERM})
    _held[:] = [work, setup, board]


def _do(item: Any) -> Any:
    work, setup, board = _held
    return work(setup, item, board)


class Crew(Generic[Setup, Item, Answer]):
    """Up to `jobs` processes that do pieces of work, each given the setup once; 1 is this process."""

    def __init__(self, work: Work[Setup, Item, Answer], setup: Setup, *, jobs: int, board: Board) -> None:
        self._work, self._setup, self._board = work, setup, board
        self._waiting: deque[Item] = deque()
        self._futures: set[Future[Answer]] = set()
        self._pool: ProcessPoolExecutor | None = None
        self._watched = Watched()
        if jobs > 1:
            self._pool = ProcessPoolExecutor(
                jobs, mp_context=self._watched, initializer=_hold, initargs=(work, setup, board)
            )

    def __enter__(self) -> Self:
        """Let the crew be used."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Send the crew home; work that has not begun is dropped."""
        if self._pool is not None:
            if kind is not None:
                self._board.ask_to_stop(signal.SIGTERM)
            self._collect(self._pool)

    def give(self, item: Item) -> None:
        """Add a piece of work."""
        if self._pool is None:
            self._waiting.append(item)
            return
        with _without_interrupts():
            try:
                self._futures.add(self._pool.submit(_do, item))
            except BrokenProcessPool:
                raise self._lost() from None

    def answers(self) -> Iterator[Answer]:
        """Yield answers as they come, while there is work; more may be given meanwhile.

        Raises NoAnswer where memory ran out, and Lost where a process ended without an answer.
        """
        while self._waiting:
            try:
                answer = self._work(self._setup, self._waiting.popleft(), self._board)
            except MemoryError:
                raise _full() from None
            yield answer
        while self._futures:
            done, self._futures = wait(self._futures, timeout=_LOOK, return_when=FIRST_COMPLETED)
            if self._board.watch is not None:
                self._board.watch(self._board)
            for future in done:
                yield self._answer(future)
            if not done and self._watched.any_gone():
                # The pool itself does not look at a process that it started a moment too late.
                raise self._lost()

    def _answer(self, future: Future[Answer]) -> Answer:
        try:
            return future.result()
        except BrokenProcessPool:
            raise self._lost() from None
        except MemoryError:
            raise _full() from None

    def _lost(self) -> Lost:
        assert self._pool is not None, "there are processes"
        interrupted = self._board.stopped_by
        self._board.ask_to_stop(signal.SIGTERM)
        # Only once the pool has collected all of them it is known how they ended.
        self._collect(self._pool)
        lost = self._watched.lost()
        lost.interrupted = interrupted
        return lost

    def _collect(self, pool: ProcessPoolExecutor) -> None:
        if self._watched.any_gone():
            self._watched.end()
        pool.shutdown(wait=True, cancel_futures=True)


def _full() -> NoAnswer:
    return NoAnswer("a process ran out of memory", help=SPARE)


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """Let new processes begin with the interrupt held back, until they have said what they do with it."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def interrupts(board: Board) -> Iterator[None]:
    """Let the first interrupt (or SIGTERM) ask all runs to stop; the second one ends this process as usual."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def ask(number: int, _: FrameType | None) -> None:
        board.ask_to_stop(number)
        signal.signal(number, before[signal.Signals(number)])

    for number in before:
        signal.signal(number, ask)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
