"""How processes end that were started here: by themselves, by a signal, or with the memory."""

from __future__ import annotations

import signal
from multiprocessing.context import SpawnContext, SpawnProcess
from multiprocessing.queues import SimpleQueue
from typing import Any, Final

from policyctl.errors import NoAnswer

__all__ = ["SPARE", "Lost", "Watched"]

SPARE: Final = "ask for fewer jobs, or for fewer runs at once where there is `--jobs`"
"""The way out where memory runs out."""


class Lost(NoAnswer):
    """A process ended without an answer; `interrupted` is the signal that had asked all of them to stop, else 0."""

    interrupted = 0


class Watched(SpawnContext):
    """Starts processes, and keeps them in mind so that it can be asked how they ended."""

    def __init__(self) -> None:
        super().__init__()
        self.started: list[SpawnProcess] = []
        self._answers: list[SimpleQueue[Any]] = []

    def Process(self, *arguments: Any, **given: Any) -> SpawnProcess:  # type: ignore[override]  # noqa: N802 - the class is a maker of it there
        """Make a process, as the pool asks for one."""
        made = SpawnProcess(*arguments, **given)
        self.started.append(made)
        return made

    def SimpleQueue(self) -> SimpleQueue[Any]:  # noqa: N802 - as above
        """Make a queue, as the pool asks for one to get its answers from."""
        made = super().SimpleQueue()
        self._answers.append(made)
        return made

    def end(self) -> None:
        """End all that run still, so that nobody waits for what will not come.

        A process that ends while it hands an answer over leaves half of it, and the lock on the queue taken. Whoever
        reads learns that there is no other half only once nobody holds the end into which it would be written.
        """
        for one in self.started:
            if one.is_alive():
                one.terminate()
        for queue in self._answers:
            queue._writer.close()  # type: ignore[attr-defined]  # noqa: SLF001 - the queue closes only both ends

    def any_gone(self) -> bool:
        """Say whether any process has ended."""
        return any(one.exitcode is not None for one in self.started)

    def lost(self) -> Lost:
        """Say how the first process ended that ended by itself: the pool ends all others by SIGTERM."""
        codes = [one.exitcode for one in self.started if one.exitcode is not None]
        own = [one for one in codes if one != -signal.SIGTERM] or codes
        code = next((one for one in own if one), 0)
        if code >= 0:
            told = f"with exit code {code}" if code else "without an answer"
            return Lost(f"a process ended {told}")
        try:
            name = signal.Signals(-code).name
        except ValueError:
            name = f"signal {-code}"
        return Lost(
            f"a process was ended by {name}",
            help=f"the system may have had no more memory: {SPARE}" if name == "SIGKILL" else None,
        )
