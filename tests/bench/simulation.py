"""Measure the simulator: speed, memory and growth, beside AccaSim on the same slice of the same log, and the report page.

Every run has a process of its own (`python -m tests.bench.simulation WHAT`), so that its peak memory is its own. Seconds
are those of one core's work, because the machines that measure are shared.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

from policyctl.model.measures import SimulationReport
from policyctl.model.policy import Policy
from policyctl.model.workload import Workload
from policyctl.render import simulation_html
from policyctl.sim.baselines import fifo
from policyctl.sim.measure import measure
from policyctl.sim.replay import MakeLane, policy_lane, prepare
from policyctl.units import Instant
from policyctl.version import __version__
from tests.bench import logs, streams, workloads

Row = tuple[str, str, str]
Figures = dict[str, float]

_SLICE = 10_000
_SIZES = (50_000, 100_000, 200_000, 400_000)
_WAITING = (1_000, 100_000)
_PASSING = 3_000
_GPUS = 2_000


def _replay(policy: Policy, workload: Workload, lane: MakeLane = policy_lane) -> Figures:
    """Simulate to the end; `seconds` are the processor's, from parsed input to the last end."""
    began = time.process_time()
    simulation = prepare(policy, workload, seed=1, lane=lane)
    simulation.run()
    seconds = time.process_time() - began
    records = [pool.record for pool in simulation.pools.values()]
    return {
        "jobs": len(workload.tasks),
        "seconds": seconds,
        "runs": sum(len(record.runs) for record in records),
        "preempted": sum(len(one.victims) for record in records for one in record.evictions),
        "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def _ricc() -> Figures:
    return _replay(logs.policy("ricc"), logs.to_the_end(logs.build("ricc", logs.rows("ricc")).workload))


def _slice() -> Figures:
    """Measure our side of the comparison: a slice read and replayed, under the policy and first in first out."""
    began = time.process_time()
    workload = logs.to_the_end(logs.build("ricc", logs.rows("ricc", _SLICE)).workload)
    read = time.process_time() - began
    full = _replay(logs.policy("ricc"), workload)
    plain = _replay(logs.policy("ricc"), workload, fifo)
    return full | {"read": read, "fifo": plain["seconds"]}


def _growth(jobs: str) -> Figures:
    policy = workloads.policy(programs=20, projects=10, nodes=_GPUS // 8)
    return _replay(policy, streams.stream(int(jobs), gpus=_GPUS, load=0.8, seed=1))


def _queue(waiting: str) -> Figures:
    """Measure the events (submissions and ends) of a pool in which so many jobs wait."""
    policy = workloads.policy(programs=20, projects=10, nodes=_GPUS // 8)
    simulation = prepare(policy, streams.behind(int(waiting), _PASSING, gpus=_GPUS, seed=1), seed=1)
    simulation.run(until=Instant(streams.START + 3_600))
    began = time.process_time()
    simulation.run()
    seconds = time.process_time() - began
    ended = len(simulation.pools["gpu"].record.runs)
    return {"seconds": seconds, "events": _PASSING + ended}


def _page() -> Figures:
    policy = workloads.policy(programs=6, projects=4, nodes=_GPUS // 8)
    workload = streams.stream(20_000, gpus=_GPUS, load=1.2, seed=1)
    contestants = []
    for name, lane in (("policy", policy_lane), ("fifo", fifo)):
        simulation = prepare(policy, workload, seed=1, lane=lane)
        simulation.run(until=workload.tasks[-1].job.submit)
        contestants.append(measure(simulation, policy, name=name, seed=1))
    report = SimulationReport(
        title="bench", command="make bench", version=__version__, contestants=tuple(contestants)
    )
    began = time.process_time()
    page = simulation_html.render(report)
    return {"seconds": time.process_time() - began, "megabytes": len(page.encode()) / 1e6}


MEASURED: dict[str, Callable[..., Figures]] = {
    "ricc": _ricc,
    "slice": _slice,
    "growth": _growth,
    "queue": _queue,
    "page": _page,
}


def _alone(*what: str) -> Figures:
    """Return what a process of its own measured."""
    ended = subprocess.run(
        [sys.executable, "-m", "tests.bench.simulation", *what],
        cwd=logs.ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    figures: Figures = json.loads(ended.stdout)
    return figures


def _accasim() -> Figures | None:
    """Return what AccaSim measured in an environment made for it, None where it cannot be installed."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        venv.create(folder / "venv", with_pip=True)
        python = folder / "venv" / "bin" / "python"
        install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "accasim"]
        if subprocess.run(install, check=False, capture_output=True).returncode:
            return None
        log = folder / "slice.swf"
        log.write_bytes(logs.rows("ricc", _SLICE))
        script = Path(__file__).with_name("accasim_run.py")
        pool = logs.policy("ricc").pools[0]
        ended = subprocess.run(
            [str(python), str(script), str(log), str(pool.nodes), str(pool.gpus_per_node)],
            cwd=folder,
            check=True,
            capture_output=True,
            text=True,
        )
        figures: Figures = json.loads(ended.stdout.splitlines()[-1])
        return figures


def whole_log() -> list[Row]:
    """Measure RICC from its first job to its last."""
    what = "replay RICC: hierarchical fair share, preemption on, one core"
    if not logs.LOGS["ricc"].path.is_file():
        return [(what, "not measured: the log is not beside the repository", ">= 10,000 jobs/s")]
    one = _alone("ricc")
    done = f"{one['jobs']:,.0f} jobs, {one['preempted']:,.0f} preempted, {one['seconds']:.1f} s"
    return [
        (what, f"{one['jobs'] / one['seconds']:,.0f} jobs/s ({done})", ">= 10,000 jobs/s"),
        (
            "  peak memory of that process, reading the log included",
            f"{one['megabytes']:.0f} MB",
            "<= 1500 MB",
        ),
    ]


def beside_accasim() -> list[Row]:
    """Compare both simulators on one slice of RICC, reading the log included."""
    what, reach = f"AccaSim from PyPI, first {_SLICE:,} jobs of RICC, FIFO and first fit", ">= 2 x its jobs/s"
    if not logs.LOGS["ricc"].path.is_file():
        return [(what, "not measured: the log is not beside the repository", reach)]
    theirs = _accasim()
    if theirs is None:
        return [(what, "not measured: it cannot be installed here", reach)]
    ours = _alone("slice")
    speed = theirs["jobs"] / theirs["seconds"]
    full, plain = (ours["jobs"] / (ours["read"] + ours[key]) for key in ("seconds", "fifo"))
    return [
        (what, f"{speed:,.0f} jobs/s", "-"),
        ("  fair share with preemption, here", f"{full / speed:.1f} x its jobs/s ({full:,.0f})", reach),
        ("  first in first out, here", f"{plain / speed:.1f} x its jobs/s ({plain:,.0f})", "-"),
    ]


def growth() -> list[Row]:
    """Compare twice the jobs with once, and a long queue with a short one."""
    seconds = [_alone("growth", str(jobs))["seconds"] for jobs in _SIZES]
    steps = [f"{later / before:.2f}" for before, later in pairwise(seconds)]
    short, long = (_alone("queue", str(waiting)) for waiting in _WAITING)
    few, many = (one["seconds"] / one["events"] for one in (short, long))
    return [
        (
            f"twice the jobs, from {_SIZES[0]:,} to {_SIZES[-1]:,}",
            f"{', '.join(steps)} x the time ({seconds[0]:.1f} s to {seconds[-1]:.1f} s)",
            "<= 2.3 x each",
        ),
        (
            f"an event while {_WAITING[1]:,} jobs wait, of one while {_WAITING[0]:,} do",
            f"{many / few:.2f} x the time ({many * 1e6:.0f} us / {few * 1e6:.0f} us)",
            "<= 3 x",
        ),
    ]


def page() -> list[Row]:
    """Measure the report of a simulation of two contestants."""
    one = _alone("page")
    return [
        ("report page: its size", f"{one['megabytes']:.2f} MB", "<= 3 MB"),
        ("  drawing it", f"{one['seconds']:.2f} s", "<= 2 s"),
    ]


def main() -> None:
    """Measure what the arguments name, and print it as JSON."""
    what, *arguments = sys.argv[1:]
    print(json.dumps(MEASURED[what](*arguments)))


if __name__ == "__main__":
    main()
