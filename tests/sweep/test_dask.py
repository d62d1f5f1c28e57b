"""A sweep on a real Dask cluster of two workers of this machine, of which one is killed in the middle."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cli.program import run
from tests.sim_cli.folder import lab

pytest.importorskip("distributed", reason="Dask is an extra: pip install 'policyctl[dask]'")

CALL = ("sweep", "--workload", "workload.json", "--window", "1d,2d,3d,4d", "--format", "json")


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    address: str
    workers: dict[str, subprocess.Popen[bytes]]


def start(what: str, *arguments: str) -> subprocess.Popen[bytes]:
    """Start one part of the cluster, quietly."""
    return subprocess.Popen(
        [sys.executable, "-m", f"distributed.cli.dask_{what}", "--no-dashboard", *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "DASK_DISTRIBUTED__LOGGING__DISTRIBUTED": "critical"},
    )


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    from distributed import Client  # noqa: PLC0415 - only where Dask is installed

    folder = tmp_path_factory.mktemp("dask")
    said = folder / "scheduler.json"
    with ExitStack() as parts:

        def begin(what: str, *arguments: str) -> subprocess.Popen[bytes]:
            process = parts.enter_context(start(what, *arguments))
            parts.callback(process.kill)
            return process

        begin("scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(said))
        workers = {
            name: begin(
                *("worker", "--scheduler-file", str(said), "--name", name, "--no-nanny", "--nthreads", "1"),
                *("--host", "127.0.0.1", "--local-directory", str(folder / name)),
            )
            for name in ("one", "two")
        }
        with Client(scheduler_file=str(said), timeout=60, set_as_default=False) as client:  # type: ignore[no-untyped-call]
            client.wait_for_workers(2, timeout=60)
            address = str(client.scheduler.address)
        yield Cluster(address=address, workers=workers)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return lab(tmp_path_factory.mktemp("swept"), days=20, load="2")


def busy(address: str) -> dict[str, int]:
    """Return how many runs each worker has before it, by its name."""
    from distributed import Client  # noqa: PLC0415 - only where Dask is installed

    with Client(address, timeout=20, set_as_default=False) as client:  # type: ignore[no-untyped-call]
        names = {where: one["name"] for where, one in client.scheduler_info(n_workers=-1)["workers"].items()}
        return {names[where]: len(keys) for where, keys in client.processing().items() if where in names}


def test_a_killed_worker_loses_no_result(folder: Path, cluster: Cluster) -> None:
    here = run(*CALL, "--jobs", "2", cwd=folder)
    assert here.code == 0, here.err
    call = [sys.executable, "-m", "policyctl", *CALL, "--dask", cluster.address]
    with subprocess.Popen(call, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as sweep:
        while not all(busy(cluster.address).get(name) for name in cluster.workers):
            assert sweep.poll() is None, "the sweep was over before both workers had begun"
            time.sleep(0.05)
        cluster.workers["one"].kill()
        out, err = sweep.communicate(timeout=120)
    assert sweep.returncode == 0, err.decode()
    assert out == here.out
    assert set(busy(cluster.address)) <= {"two"}


def test_nobody_answers(folder: Path) -> None:
    ended = run(*CALL, "--dask", "tcp://127.0.0.1:9", cwd=folder)
    assert (ended.code, ended.out) == (3, b"")
    assert ended.err.startswith("error: there is no Dask scheduler at `tcp://127.0.0.1:9`")
    assert ended.err.count("\n") == 2


def test_an_address_that_is_none(folder: Path) -> None:
    ended = run(*CALL, "--dask", "no address", cwd=folder)
    assert (ended.code, ended.out) == (2, b"")
    assert "`no address` is not the address of a Dask scheduler" in ended.err
