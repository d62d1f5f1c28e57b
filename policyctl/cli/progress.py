"""How far a simulation is, on a terminal: simulated time, jobs done, and the time that is left."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from policyctl.render.quantity_text import span
from policyctl.workspace.processes import Board

__all__ = ["watching"]

_PAUSE = 0.1


@contextmanager
def watching(start: int, end: int, runs: int) -> Iterator[Callable[[Board], None] | None]:
    """Give what looks at the board and moves the bar; None where standard error is no terminal."""
    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield None
        return
    from rich.console import Console  # noqa: PLC0415 - a tenth of a second, only where somebody looks
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn  # noqa: PLC0415 - as above

    columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(_said(start, end, 0, 0), total=max(1, (end - start) * runs))
        shown = 0.0

        def watch(board: Board) -> None:
            nonlocal shown
            if time.monotonic() - shown < _PAUSE:
                return
            shown = time.monotonic()
            seen = board.seen()
            passed = sum(max(0, at - start) for at, _ in seen)
            done = sum(jobs for _, jobs in seen)
            bar.update(task, completed=passed, description=_said(start, end, passed // runs, done))

        yield watch


def _said(start: int, end: int, passed: int, jobs: int) -> str:
    return f"{span(passed)} of {span(end - start)} simulated, {jobs:,} jobs done"
