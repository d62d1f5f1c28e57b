"""Slices of public logs beside the repository, their hours counted from the raw text, and simulations of them."""

from __future__ import annotations

import csv
from collections import Counter
from dataclasses import replace

import pytest

from policyctl.model.policy import Policy
from policyctl.model.workload import Workload
from policyctl.sim.kernel import Simulation
from policyctl.sim.replay import prepare
from tests.bench import logs

SLICE = {"graham": 30_000, "kth": 1_500, "philly": 1_500, "ricc": 1_500, "unilu": 1_500}
"""Rows of each log; few of Graham's have GPUs."""
_ENDLESS = 40_000
_SWF_RUN, _SWF_PROCESSORS, _SWF_ASKED, _SWF_GROUP = 3, 4, 7, 12


def text(name: str) -> bytes:
    """Return the first rows of a log; skips where the log is absent."""
    log = logs.LOGS[name]
    if not log.path.is_file():
        pytest.skip(f"{log.file} is not beside the repository")
    return logs.rows(name, SLICE[name])


def workload(name: str) -> Workload:
    """Return the slice as tasks, simulated to its very end."""
    return logs.to_the_end(logs.build(name, text(name)).workload)


def endless(policy: Policy) -> Policy:
    """Return a policy on more nodes than its log can fill."""
    return replace(policy, pools=tuple(replace(pool, nodes=_ENDLESS) for pool in policy.pools))


def simulated(name: str, policy: Policy) -> Simulation:
    """Return a finished simulation of a slice."""
    simulation = prepare(policy, workload(name), seed=1)
    simulation.run()
    return simulation


def hours_in(name: str) -> Counter[str]:
    """Return thousandths of a GPU times seconds of every group, straight from the text of the log."""
    lines = text(name).decode("latin-1").splitlines()
    return _of_csv(lines) if logs.LOGS[name].format == "csv" else _of_swf(lines)


def _of_csv(lines: list[str]) -> Counter[str]:
    hours: Counter[str] = Counter()
    for row in csv.DictReader(lines):
        if float(row["gpus"]) and row["start_time_s"] and row["end_time_s"]:
            lasted = int(row["end_time_s"]) - int(row["start_time_s"])
            hours[f"/{row['group']}"] += round(float(row["gpus"]) * 1000) * lasted
    return +hours


def _of_swf(lines: list[str]) -> Counter[str]:
    hours: Counter[str] = Counter()
    for line in lines:
        fields = line.split()
        processors = max(int(fields[_SWF_PROCESSORS]), 0) or int(fields[_SWF_ASKED])
        hours[f"/g{fields[_SWF_GROUP]}"] += processors * 1000 * max(int(fields[_SWF_RUN]), 0)
    return +hours


def hours_out(simulation: Simulation, pool: str) -> Counter[str]:
    """Return the same of every account, from the runs of a simulation."""
    tasks = simulation.tasks(pool)
    hours: Counter[str] = Counter()
    for run in simulation.pools[pool].record.runs:
        job = tasks[run.row].job
        hours[job.account] += job.gpus * (run.end - run.start)
    return hours
