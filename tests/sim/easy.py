"""Backfill with one reservation, as slowly and plainly as it can be written: one node, hours, counts of GPUs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Ask", "easy"]


@dataclass(frozen=True, kw_only=True)
class Ask:
    """A job: hours of work, and how much longer its time limit is (None: it has none)."""

    priority: int
    submit: int
    gpus: int
    work: int
    spare: int | None

    @property
    def limit(self) -> float:
        """The time limit in hours."""
        return math.inf if self.spare is None else self.work + self.spare


def easy(asks: Sequence[Ask], *, gpus: int) -> list[int]:
    """Return the hour at which each job starts."""
    began: dict[int, int] = {}
    hour = 0
    while len(began) < len(asks):
        _start_all(asks, began, hour, gpus)
        hour += 1
    return [began[number] for number in range(len(asks))]


def _start_all(asks: Sequence[Ask], began: dict[int, int], hour: int, gpus: int) -> None:
    line = sorted(
        (number for number, ask in enumerate(asks) if ask.submit <= hour and number not in began),
        key=lambda number: (-asks[number].priority, asks[number].submit, number),
    )
    while line and asks[line[0]].gpus <= _free(asks, began, hour, gpus):
        began[line.pop(0)] = hour
    if not line:
        return
    first, others = asks[line[0]], line[1:]
    at = next(at for at in _ends(asks, began, hour) if _then(asks, began, hour, at, gpus) >= first.gpus)
    for number in others:
        ask = asks[number]
        if ask.gpus > _free(asks, began, hour, gpus):
            continue
        in_time = hour + ask.limit <= at or math.isinf(at)
        if in_time or _then(asks, began, hour, at, gpus) - ask.gpus >= first.gpus:
            began[number] = hour


def _running(asks: Sequence[Ask], began: dict[int, int], hour: int) -> list[int]:
    return [number for number, at in began.items() if at + asks[number].work > hour]


def _free(asks: Sequence[Ask], began: dict[int, int], hour: int, gpus: int) -> int:
    return gpus - sum(asks[number].gpus for number in _running(asks, began, hour))


def _ends(asks: Sequence[Ask], began: dict[int, int], hour: int) -> list[float]:
    """Return the instants at which limits end, the last of all possible ones being never."""
    limits = {began[number] + asks[number].limit for number in _running(asks, began, hour)}
    return sorted(limits | {math.inf})


def _then(asks: Sequence[Ask], began: dict[int, int], hour: int, at: float, gpus: int) -> int:
    """Return how many GPUs are free at an instant if all that runs now uses its limit up."""
    if math.isinf(at):
        return gpus
    held = [n for n in _running(asks, began, hour) if began[n] + asks[n].limit > at]
    return gpus - sum(asks[number].gpus for number in held)
