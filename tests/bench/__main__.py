"""Measure what the project promises, and print it as a table: `make bench`.

Every figure is a ratio or a median inside one run, because machines are noisy; nothing here fails on a slow one.
"""

from __future__ import annotations

import json
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import celpy
import numpy as np

from policyctl.bundle.encode import encode
from policyctl.bundle.provenance import Provenance
from policyctl.cli.collector import collect_seldom
from policyctl.compile import compile_texts
from policyctl.decide.preempt import Preemptor
from policyctl.decide.rank import order_pool
from policyctl.decide.situation import Situation, open_pool
from policyctl.decide.table import rule_columns
from policyctl.expr.compiler import Lowered, compile_expression
from policyctl.expr.evaluate import evaluate
from policyctl.expr.scope import JOB_SCOPE
from policyctl.workspace.shipped import schemas
from tests.bench import governance, simulation, workloads

_MILLION = 1_000_000
Row = tuple[str, str, str]


def timed(act: Callable[[], object], times: int) -> list[float]:
    """Return the seconds of each of some calls."""
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        act()
        taken.append(time.perf_counter() - start)
    return taken


def ranking() -> list[Row]:
    table = workloads.queue(_MILLION, programs=20, projects=50, seed=1)
    policy = workloads.policy(programs=20, projects=50, nodes=1000)
    running, past = workloads.idle()
    pool = open_pool(policy, policy.pools[0], now=workloads.NOW, pending=table, running=running, past=past)
    luck = np.random.default_rng(2)
    keys = [luck.random(_MILLION), luck.integers(0, 1000, _MILLION), luck.random(_MILLION)]
    sort = statistics.median(timed(lambda: np.lexsort(keys), 3))
    whole = statistics.median(timed(lambda: order_pool(pool), 3))
    opened = statistics.median(
        timed(
            lambda: open_pool(
                policy, policy.pools[0], now=workloads.NOW, pending=table, running=running, past=past
            ),
            1,
        )
    )
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return [
        (
            "rank 1,000,000 jobs over 1,000 accounts",
            f"{whole / sort:.2f} x lexsort ({whole:.2f} s / {sort:.2f} s)",
            "<= 4 x",
        ),
        ("  classify and open the books before it", f"{opened / sort:.2f} x lexsort ({opened:.2f} s)", "-"),
        ("  peak memory of this process so far", f"{memory:.0f} MB", "<= 1000 MB"),
    ]


def rule() -> list[Row]:
    source = 'job.gpus >= 64.0 && job.kind == "batch" || job.min_runtime > duration("8h")'
    lowered = compile_expression(source, JOB_SCOPE)
    assert isinstance(lowered, Lowered)
    table = workloads.queue(_MILLION, programs=20, projects=50, seed=1)
    rows = np.arange(_MILLION)
    at = np.array([workloads.NOW])
    columns = statistics.median(timed(lambda: evaluate(lowered.tree, rule_columns(table, rows, at)), 5))
    environment = celpy.Environment()
    program = environment.program(environment.compile(source))
    activations = [
        {
            "job": celpy.celtypes.MapType(
                {
                    celpy.celtypes.StringType("gpus"): celpy.celtypes.DoubleType(gpus / 1000),
                    celpy.celtypes.StringType("kind"): celpy.celtypes.StringType("batch"),
                    celpy.celtypes.StringType("min_runtime"): celpy.celtypes.DurationType(
                        timedelta(seconds=seconds)
                    ),
                }
            )
        }
        for gpus, seconds in zip(table.gpus[:2000].tolist(), table.min_runtime[:2000].tolist(), strict=True)
    ]
    (slow,) = timed(lambda: [program.evaluate(one) for one in activations], 1)
    each, reference = columns / _MILLION, slow / len(activations)
    return [
        (
            "one job rule over 1,000,000 jobs",
            f"{reference / each:,.0f} x faster than cel-python ({each * 1e9:.0f} ns / {reference * 1e6:.0f} us a job)",
            ">= 100 x",
        )
    ]


def preemption() -> list[Row]:
    policy = workloads.policy(programs=20, projects=10, nodes=1250)
    state = workloads.busy_cluster(nodes=1250, running=10_000, programs=20, projects=10, seed=3)
    situation = Situation(policy, state, workloads.NOW)
    (opening,) = timed(lambda: situation.pool("gpu"), 1)
    bench = Preemptor(situation)
    answer = bench.plan("asker")
    plan = statistics.median(timed(lambda: bench.plan("asker"), 15))
    victim = next((one.job for one in answer.victims), "r00000")
    single = statistics.median(timed(lambda: bench.authorize("asker", [victim]), 50))
    return [
        (
            "plan, 10,000 running jobs on 1,250 nodes",
            f"{plan * 1e3:.1f} ms median ({answer.outcome}, {len(answer.victims)} victims)",
            "<= 50 ms",
        ),
        ("  prepare the pool, once for each state", f"{opening * 1e3:.0f} ms", "-"),
        ("authorize one victim, state loaded", f"{single * 1e3:.2f} ms median", "<= 5 ms"),
    ]


def compiling() -> list[Row]:
    def once(files: dict[str, bytes]) -> None:
        compiled = compile_texts(files, schemas(), now=workloads.NOW)
        assert compiled.policy is not None, compiled.report.findings[:3]
        encode(compiled.policy, Provenance())

    half, full = (workloads.policy_files(10 * count, count) for count in (500, 1000))
    double = workloads.policy_files(20_000, 2000)
    collect_seldom()  # as the command line does
    once(half)
    first, second = min(timed(lambda: once(full), 2)), min(timed(lambda: once(double), 2))
    return [
        ("validate + compile 10,000 accounts in 1,000 files", f"{first:.2f} s", "<= 10 s"),
        ("  twice the files", f"{second / first:.2f} x the time", "<= 2.2 x"),
    ]


def starting() -> list[Row]:
    program = str(Path(sys.executable).with_name("policyctl"))

    def median(call: list[str]) -> float:
        return statistics.median(timed(lambda: subprocess.run(call, check=True, capture_output=True), 15))

    plain, version = median([sys.executable, "-c", "pass"]), median([program, "--version"])
    return [
        (
            "policyctl --version",
            f"{version / plain:.2f} x `python -c pass` ({version * 1e3:.0f} ms / {plain * 1e3:.0f} ms)",
            "<= 3 x",
        )
    ]


PARTS = (
    ranking,
    rule,
    preemption,
    compiling,
    governance.comparing,
    governance.checking,
    starting,
    simulation.whole_log,
    simulation.beside_accasim,
    simulation.growth,
    simulation.page,
)


def main() -> None:
    """Print the table, and the same as JSON with `--json`."""
    rows = [row for part in PARTS for row in part()]
    if "--json" in sys.argv:
        print(
            json.dumps([dict(zip(("what", "measured", "reach"), row, strict=True)) for row in rows], indent=1)
        )
        return
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    for row in [("what", "measured", "reach"), *rows]:
        print("  ".join(cell.ljust(size) for cell, size in zip(row, widths, strict=True)).rstrip())


if __name__ == "__main__":
    main()
