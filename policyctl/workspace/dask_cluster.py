"""The runs of a sweep on a Dask cluster: a worker that is lost loses no result, its runs are done again elsewhere.

What all runs share is a task too, kept by the scheduler as a recipe, so that it survives the workers that hold it.
"""

from __future__ import annotations

import pickle
import re
import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING

from policyctl.errors import NoAnswer, UsageProblem
from policyctl.model.sweep import Score
from policyctl.sim.sweep import Sweep, SweepRun, runs_of, score
from policyctl.version import __version__
from policyctl.workspace.checkpoints import engine

if TYPE_CHECKING:
    from distributed import Client

__all__ = ["sweep_on_dask"]

_PATIENCE = 5
_ADDRESS = re.compile(r"[a-z]+://[^\s]+|[^\s/]+:\d+")
_TRIES = 3


def sweep_on_dask(sweep: Sweep, address: str) -> Mapping[SweepRun, Score]:
    """Score every run on the cluster behind an address, such as `tcp://10.0.0.1:8786`.

    Raises UsageProblem for text that is no address, NoAnswer where Dask is not installed, the cluster cannot be reached, its workers have another version of
    policyctl, or a run cannot be finished although it was tried again.
    """
    if not _ADDRESS.fullmatch(address):
        raise UsageProblem(
            f"`{address}` is not the address of a Dask scheduler",
            help="write one such as `tcp://10.0.0.1:8786`",
        )
    try:
        from distributed import Client  # noqa: PLC0415 - an extra, and a second to import
    except ImportError:
        raise NoAnswer("Dask is not installed", help="pip install 'policyctl[dask]'") from None
    try:
        client = Client(address, timeout=_PATIENCE, set_as_default=False)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as problem:
        raise NoAnswer(
            f"there is no Dask scheduler at `{address}`: {_line(problem)}",
            help="name the one that `dask scheduler` prints",
        ) from None
    with client:
        return _gathered(client, sweep)


def _gathered(client: Client, sweep: Sweep) -> Mapping[SweepRun, Score]:
    from distributed import KilledWorker, as_completed  # noqa: PLC0415 - as above

    runs = runs_of(sweep)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Sending large graph", category=UserWarning)
        shared = client.submit(_unpacked, pickle.dumps(sweep, protocol=5), pure=False)
        futures = {
            client.submit(_score, shared, place, (__version__, engine()), pure=False, retries=_TRIES): place
            for place in range(len(runs))
        }
    scores: dict[SweepRun, Score] = {}
    for future in as_completed(list(futures), loop=client.loop):  # type: ignore[no-untyped-call]
        try:
            scores[runs[futures[future]]] = future.result()
        except KilledWorker as problem:
            raise NoAnswer(
                f"a run was lost with every worker that tried it: {_line(problem)}",
                help="the logs of the workers say how they ended: by a signal, or with the memory",
            ) from None
        except (ImportError, AttributeError) as problem:
            raise NoAnswer(
                f"the workers cannot run policyctl: {_line(problem)}", help="install the same version there"
            ) from None
    return scores


def _unpacked(packed: bytes) -> Sweep:
    found = pickle.loads(packed)  # noqa: S301 - what this very program packed, sent over a cluster that runs its code
    assert isinstance(found, Sweep)
    return found


def _score(sweep: Sweep, place: int, version: tuple[str, str]) -> Score:
    """Score one run; the work of a worker."""
    if version != (__version__, engine()):
        raise NoAnswer(
            "a Dask worker has another version of policyctl", help="install the same version there"
        )
    return score(sweep, runs_of(sweep)[place])


def _line(problem: BaseException) -> str:
    return ascii(str(problem).partition("\n")[0][:200])[1:-1]
