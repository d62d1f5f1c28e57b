"""Usage that moves with time is what a slow sum over everything that happened says, however often anyone looks."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field

import pytest

from policyctl.decide.live_usage import LiveUsage
from policyctl.model.policy import SlidingWindow
from policyctl.units import Seconds

PARENT = [-1, 0, 0, 1, 1, 2]
USERS = (3, 4, 5)
START = 1_000_000
WINDOWS = {
    "without a half-life": SlidingWindow(length=Seconds(5_000)),
    "a half-life": SlidingWindow(length=Seconds(5_000), half_life=Seconds(2_500)),
    "a half-life far shorter than the run": SlidingWindow(length=Seconds(5_000), half_life=Seconds(400)),
}


@dataclass(slots=True)
class Slow:
    """Every change ever made, summed anew for each question."""

    window: SlidingWindow
    changes: list[tuple[int, int, int, int, int, int]] = field(default_factory=list)

    def used(self, node: int, now: int) -> float:
        """Return U of a node: each rate over the part of the window since it began, lumps, and what is committed."""
        total = 0.0
        for user, at, rate, lump, owed, fall in self.changes:
            if node in above(user):
                total += rate * self.weighted(max(0, now - self.window.length), now, at)
                total += lump * self.weight(now - at)
                total += owed - fall * (now - at)
        return total

    def weight(self, age: int) -> float:
        """Return the weight of an instant of an age."""
        if age > self.window.length:
            return 0.0
        return 1.0 if self.window.half_life is None else 2.0 ** (-age / self.window.half_life)

    def weighted(self, first: int, now: int, at: int) -> float:
        """Return the weighted length of what is within the window since an instant."""
        begun = now - max(first, at)
        if self.window.half_life is None:
            return begun
        rate = math.log(2) / self.window.half_life
        return (1 - math.exp(-rate * begun)) / rate


def above(node: int) -> list[int]:
    way = [node]
    while PARENT[way[-1]] >= 0:
        way.append(PARENT[way[-1]])
    return way


def played(window: SlidingWindow, seed: int, *, looks: int) -> tuple[LiveUsage, Slow, int]:
    luck = random.Random(seed)
    live, slow, now = LiveUsage(PARENT, window, START), Slow(window), START
    for _ in range(60):
        user = luck.choice(USERS)
        change = (
            luck.choice((0, 0, 4_000, -1_000)),
            luck.choice((0, 0, 90_000)),
            luck.randrange(10_000),
            luck.choice((0, 1_000, -1_000)),
        )
        rate, lump, owed, fall = change
        live.change(user, now, rate=rate, lump=lump, owed=owed, fall=fall)
        slow.changes.append((user, now, *change))
        step = luck.choice((0, 1, 30, 700))
        for look in range(looks):
            live.used_by(range(len(PARENT)), now + step * look // looks)
        now += step
    return live, slow, now


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("window", WINDOWS.values(), ids=WINDOWS)
def test_it_is_the_sum_over_everything_that_happened(window: SlidingWindow, seed: int) -> None:
    live, slow, now = played(window, seed, looks=0)
    for later in (now, now + 1, now + 2_000, now + window.length, now + window.length + 1, now + 20_000):
        for node, used in enumerate(live.used_by(range(len(PARENT)), later)):
            assert used == pytest.approx(slow.used(node, later), rel=1e-9, abs=1e-3), (node, later)


@pytest.mark.parametrize("window", WINDOWS.values(), ids=WINDOWS)
def test_looking_does_not_change_it(window: SlidingWindow) -> None:
    unseen, _, now = played(window, 1, looks=0)
    seen, _, _ = played(window, 1, looks=7)
    nodes = range(len(PARENT))
    assert seen.used_by(nodes, now) == pytest.approx(unseen.used_by(nodes, now), rel=1e-12)


def test_without_a_half_life_everything_is_whole() -> None:
    live, _, now = played(WINDOWS["without a half-life"], 3, looks=2)
    assert all(isinstance(used, int) for used in live.used_by(range(len(PARENT)), now + 3_333))
