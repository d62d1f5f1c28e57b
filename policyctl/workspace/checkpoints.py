"""Simulations written to a file and read back, so that an interrupted run goes on where it was.

A file is a line with its digest, a line of JSON that says what it belongs to, and the packed states of its runs. States
are pickles, read with a list of what they may hold: the nouns of a policy and a simulation, numpy arrays, and plain
containers. Nothing else is looked up, so that a file made by somebody else can be wrong, but cannot run a program.
"""

from __future__ import annotations

import gc
import hashlib
import io
import json
import pickle
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from policyctl.errors import NoAnswer
from policyctl.sim.kernel import Simulation
from policyctl.version import __version__
from policyctl.workspace.files import MOST_BYTES, read_bytes, write_beside

__all__ = ["engine", "freeze", "read_checkpoint", "thaw", "write_checkpoint"]

_MAGIC = b"policyctl-checkpoint/1 sha256:"
_ROOMS = ("decide", "ledger", "model", "sim")
_PLAIN = frozenset(
    {
        ("builtins", "dict"),
        ("builtins", "frozenset"),
        ("builtins", "set"),
        ("collections", "defaultdict"),
        ("collections", "deque"),
        ("fractions", "Fraction"),
        ("numpy", "dtype"),
        ("numpy", "ndarray"),
        ("numpy._core.multiarray", "_reconstruct"),
        ("numpy._core.multiarray", "scalar"),
        ("numpy._core.numeric", "_frombuffer"),
        ("numpy.core.multiarray", "_reconstruct"),
        ("numpy.core.multiarray", "scalar"),
        ("numpy.core.numeric", "_frombuffer"),
        ("policyctl.sim.baseline_order", "by_label"),
        ("policyctl.sim.baseline_order", "by_submission"),
    }
)


class _Reader(pickle.Unpickler):
    def find_class(self, module_name: str, global_name: str, /) -> Any:
        found = None
        if (module_name, global_name) in _PLAIN:
            found = super().find_class(module_name, global_name)
        elif _ours(module_name) and "." not in global_name:
            found = super().find_class(module_name, global_name)
            if not isinstance(found, type) or found.__module__ != module_name:
                found = None
        if found is None:
            raise pickle.UnpicklingError(f"`{module_name}.{global_name}` has no place in a checkpoint")
        return found


def _ours(module: str) -> bool:
    package, _, rest = module.partition(".")
    return package == "policyctl" and (rest == "diagnostics" or rest.partition(".")[0] in _ROOMS)


def freeze(simulation: Simulation) -> bytes:
    """Return the state of a simulation, packed."""
    with _uncollected():
        return zlib.compress(pickle.dumps(simulation, protocol=5), 1)


@contextmanager
def _uncollected() -> Iterator[None]:
    """Spare the garbage collector a million objects that all stay: it would take longer than the pickle itself."""
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if before:
            gc.enable()


def thaw(state: bytes) -> Simulation:
    """Return the simulation of a state; raises NoAnswer for bytes that are not one, or hold what they should not."""
    try:
        unpacker = zlib.decompressobj()
        data = unpacker.decompress(state, MOST_BYTES)
        with _uncollected():
            found = _Reader(io.BytesIO(data)).load()
    except (zlib.error, pickle.UnpicklingError, ValueError, TypeError, AttributeError, EOFError) as problem:
        raise NoAnswer(f"the checkpoint cannot be read: {_line(problem)}", help=_AGAIN) from None
    except (ImportError, IndexError, KeyError, OverflowError, MemoryError) as problem:
        raise NoAnswer(f"the checkpoint cannot be read: {_line(problem)}", help=_AGAIN) from None
    if not isinstance(found, Simulation):
        raise NoAnswer("the checkpoint cannot be read: it holds no simulation", help=_AGAIN)
    return found


_AGAIN = "remove the file to begin anew"
_OTHER = dict.fromkeys(("engine", "policyctl"), "another version of policyctl")


def _line(problem: BaseException) -> str:
    return ascii(str(problem).partition("\n")[0][:200])[1:-1] or type(problem).__name__


@cache
def engine() -> str:
    """Return the digest of the code that states are made of: another version could not go on with them."""
    package = Path(__file__).parent.parent
    digest = hashlib.sha256()
    for room in _ROOMS:
        for path in sorted((package / room).rglob("*.py")):
            digest.update(f"{path.relative_to(package).as_posix()}\0".encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()


def write_checkpoint(path: Path, *, inputs: Mapping[str, Any], states: Sequence[bytes | None]) -> None:
    """Put the states of all runs into a file, in one step; `inputs` (plain JSON) says what they are states of."""
    head = {"belongs": _belongs(inputs), "sizes": [None if one is None else len(one) for one in states]}
    body = _canonical(head) + b"\n" + b"".join(one for one in states if one is not None)
    write_beside(path, _MAGIC + hashlib.sha256(body).hexdigest().encode() + b"\n" + body)


def read_checkpoint(path: Path, *, inputs: Mapping[str, Any], runs: int) -> list[bytes | None]:
    """Return the states of all runs; none of any where there is no file yet.

    Raises NoAnswer for a file that is damaged, or whose states are of other inputs or of another version.
    """
    if not path.exists():
        return [None] * runs
    body = _verified(read_bytes(str(path)), path)
    line, _, rest = body.partition(b"\n")
    head = json.loads(line)
    theirs, mine = head["belongs"], json.loads(_canonical(_belongs(inputs)))
    for name in sorted({*theirs, *mine}):
        if theirs.get(name) != mine.get(name):
            raise NoAnswer(
                f"`{path}` is a checkpoint of {_OTHER.get(name, f'other inputs: {name} differs')}",
                help=_AGAIN,
            )
    return _split(rest, head["sizes"])


def _belongs(inputs: Mapping[str, Any]) -> dict[str, Any]:
    return {**inputs, "policyctl": __version__, "engine": engine()}


def _canonical(value: object) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def _verified(data: bytes, path: Path) -> bytes:
    line, _, body = data.partition(b"\n")
    if not line.startswith(_MAGIC):
        raise NoAnswer(f"`{path}` is not a checkpoint", help="name another file, or remove this one")
    if line.removeprefix(_MAGIC) != hashlib.sha256(body).hexdigest().encode():
        raise NoAnswer(f"`{path}` is a damaged checkpoint", help=_AGAIN)
    return body


def _split(data: bytes, sizes: Sequence[int | None]) -> list[bytes | None]:
    found: list[bytes | None] = []
    at = 0
    for size in sizes:
        found.append(None if size is None else data[at : at + size])
        at += size or 0
    return found
