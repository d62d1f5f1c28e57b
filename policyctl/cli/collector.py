"""How often a command looks for garbage: seldom, because almost all that it makes is needed to its end."""

from __future__ import annotations

import gc

__all__ = ["collect_seldom"]

_NEW_OBJECTS = 100_000


def collect_seldom() -> None:
    """Leave what exists alone, and look through what comes only after very many new objects.

    With the usual threshold every few hundred objects, reading a policy of 20,000 accounts takes a third more time than it
    should, and more the larger it is. Memory is freed by counting references all the same; only cycles wait.
    """
    gc.freeze()
    gc.set_threshold(_NEW_OBJECTS, 20, 20)
