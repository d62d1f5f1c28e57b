"""Searching a text for a pattern in time linear in the text: an automaton whose states are made when first met.

No backtracking, therefore no pattern and no text is slow. The construction is Thompson's; the states of the
deterministic automaton are sets of positions in the pattern, as in RE2.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import lru_cache
from typing import assert_never

from policyctl.expr.patterns import Begin, Chars, Choice, End, Part, Repeat, Sequence, read_pattern

__all__ = ["Automaton", "automaton"]

_MAX_CACHED = 2_000
_MATCH = 0


class _State:
    __slots__ = ("accepts", "accepts_at_end", "decided", "moves", "positions")

    def __init__(self, positions: frozenset[int], *, accepts: bool, accepts_at_end: bool, dead: bool) -> None:
        self.positions = positions
        self.accepts = accepts
        self.accepts_at_end = accepts_at_end
        self.decided = accepts or dead
        self.moves: dict[str, _State] = {}


class Automaton:
    """A compiled pattern; `search` says whether it occurs anywhere in a text."""

    def __init__(self, pattern: Part) -> None:
        self._chars: dict[
            int, tuple[list[int], int]
        ] = {}  # position: (boundaries of its ranges, next position)
        self._splits: dict[int, tuple[int, ...]] = {}
        self._begins: dict[int, int] = {}
        self._ends: dict[int, int] = {}
        self._count = 1
        self._entry = self._build(pattern, _MATCH)
        self._states: dict[tuple[frozenset[int], bool], _State] = {}
        self._again = self._closure({self._entry}, begin=False, end=False)
        self._start = self._state(self._closure({self._entry}, begin=True, end=False), begin=True)

    def search(self, text: str) -> bool:
        """Say whether the pattern occurs in the text."""
        state = self._start
        for char in text:
            if state.decided:
                return state.accepts
            after = state.moves.get(char)
            if after is None:
                after = self._move(state, char)
            state = after
        return state.accepts or state.accepts_at_end

    def _new(self) -> int:
        self._count += 1
        return self._count - 1

    def _build(self, part: Part, after: int) -> int:
        """Add positions that read `part` and go on at `after`; return the first."""
        match part:
            case Chars(ranges):
                here = self._new()
                self._chars[here] = ([edge for low, high in ranges for edge in (low, high + 1)], after)
                return here
            case Begin():
                here = self._new()
                self._begins[here] = after
                return here
            case End():
                here = self._new()
                self._ends[here] = after
                return here
            case Sequence(parts):
                for one in reversed(parts):
                    after = self._build(one, after)
                return after
            case Choice(parts):
                return self._split(*(self._build(one, after) for one in parts))
            case Repeat(inner, low, high):
                return self._repeat(inner, low, high, after)
            case _:
                assert_never(part)

    def _split(self, *targets: int) -> int:
        here = self._new()
        self._splits[here] = targets
        return here

    def _repeat(self, inner: Part, low: int, high: int | None, after: int) -> int:
        if high is None:
            loop = self._split()
            self._splits[loop] = (self._build(inner, loop), after)
            after = loop
        else:
            leave = after
            for _ in range(high - low):
                after = self._split(self._build(inner, after), leave)
        for _ in range(low):
            after = self._build(inner, after)
        return after

    def _closure(self, seeds: set[int], *, begin: bool, end: bool) -> frozenset[int]:
        """Return every position reachable without reading a character."""
        reached: set[int] = set()
        waiting = sorted(seeds)
        while waiting:
            here = waiting.pop()
            if here in reached:
                continue
            reached.add(here)
            waiting += self._splits.get(here, ())
            if begin and here in self._begins:
                waiting.append(self._begins[here])
            if end and here in self._ends:
                waiting.append(self._ends[here])
        return frozenset(reached)

    def _state(self, positions: frozenset[int], *, begin: bool) -> _State:
        key = (positions, begin)
        if key not in self._states:
            if len(self._states) >= _MAX_CACHED:
                self._forget()
            accepts = _MATCH in positions
            at_end = _MATCH in self._closure(set(positions), begin=begin, end=True)
            readable = any(one in self._chars for one in (*positions, *self._again))
            dead = not (accepts or at_end or readable or any(one in self._ends for one in self._again))
            self._states[key] = _State(positions, accepts=accepts, accepts_at_end=at_end, dead=dead)
        return self._states[key]

    def _forget(self) -> None:
        """Drop all states made so far, so that hostile texts cost time and no memory."""
        for state in self._states.values():
            state.moves.clear()
        self._states.clear()

    def _move(self, state: _State, char: str) -> _State:
        code = ord(char)
        seeds = set(self._again)
        for position in state.positions & self._chars.keys():
            edges, after = self._chars[position]
            if bisect_right(edges, code) % 2:
                seeds.add(after)
        found = self._state(self._closure(seeds, begin=False, end=False), begin=False)
        state.moves[char] = found
        return found


@lru_cache(maxsize=256)
def automaton(pattern: str) -> Automaton:
    """Return the automaton of a pattern's text; raises BadPattern as `read_pattern` does."""
    return Automaton(read_pattern(pattern))
