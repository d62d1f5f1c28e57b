"""The command as it was typed, without what does not change the answer, so that the answer can name it."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator, Sequence

from policyctl.units import Instant, format_instant

__all__ = ["reproducing"]

_WITH_VALUE = frozenset(
    {"--checkpoint", "--checkpoint-every", "--csv", "--dask", "--format", "--jobs", "--report"}
)
_ALONE = frozenset({"--debug"})


def reproducing(arguments: Sequence[str] | None = None, *, now: Instant | None = None) -> str:
    """Return the line that gives the same figures again; `arguments` without the program's name, else this process's.

    The instant of the answer is named where it was not, which came from the clock.
    """
    kept = list(_kept(sys.argv[1:] if arguments is None else arguments))
    if now is not None and not any(one.partition("=")[0] == "--now" for one in kept):
        kept[1:1] = ["--now", format_instant(now)]
    return shlex.join(["policyctl", *kept])


def _kept(arguments: Sequence[str]) -> Iterator[str]:
    skip = False
    for argument in arguments:
        name, equals, _ = argument.partition("=")
        if skip:
            skip = False
        elif argument in _WITH_VALUE:
            skip = True
        elif argument not in _ALONE and not (equals and name in _WITH_VALUE):
            yield argument
