"""Which running jobs could ever be victims: opportunistic ones, and by user the funded ones past their protection."""

from __future__ import annotations

from collections.abc import Collection, Iterable

__all__ = ["LiveReach"]


class LiveReach:
    """Rows of running jobs that are not protected, and their GPUs (thousandths), kept as they come and go."""

    def __init__(self) -> None:
        self._spare: dict[int, int] = {}
        self._spare_gpus = 0
        self._open: dict[int, dict[int, int]] = {}
        self._open_gpus: dict[int, int] = {}
        self._spared: dict[int, int] = {}

    def spare_until(self, row: int, until: int) -> None:
        """Note that a job that starts to run is no victim before an instant, whatever else holds of it."""
        self._spared[row] = until

    def add_spare(self, row: int, gpus: int) -> None:
        """Note that an opportunistic job runs."""
        self._spare[row] = gpus
        self._spare_gpus += gpus

    def add_open(self, row: int, user: int, gpus: int) -> None:
        """Note that a funded job is past its protection."""
        self._open.setdefault(user, {})[row] = gpus
        self._open_gpus[user] = self._open_gpus.get(user, 0) + gpus

    def remove(self, row: int, user: int) -> None:
        """Note that a job no longer runs, protected or not."""
        self._spared.pop(row, None)
        if row in self._spare:
            self._spare_gpus -= self._spare.pop(row)
        elif row in self._open.get(user, ()):
            self._open_gpus[user] -= self._open[user].pop(row)
            if not self._open[user]:
                del self._open[user], self._open_gpus[user]

    @property
    def users(self) -> Collection[int]:
        """The users with a funded job past its protection."""
        return self._open.keys()

    def of_user(self, user: int) -> Iterable[int]:
        """Return a user's funded jobs past their protection."""
        return self._open.get(user, ())

    def most(self, users: Iterable[int]) -> int:
        """Return how many GPUs opportunistic jobs hold, and funded ones of these users past their protection."""
        return self._spare_gpus + sum(self._open_gpus[user] for user in users)

    def rows(self, users: Iterable[int], kept: Collection[int], now: int) -> list[int]:
        """Return the opportunistic jobs, and the funded ones of these users, without those in `kept` or spared."""
        spared = {row for row, until in self._spared.items() if now < until}
        found = [row for row in self._spare if row not in kept and row not in spared]
        for user in users:
            found.extend(row for row in self._open[user] if row not in kept and row not in spared)
        return found
