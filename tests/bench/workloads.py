"""Synthetic work of a given size, from a seed, for the measurements."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from policyctl.decide.situation import PastRuns, past_runs
from policyctl.decide.table import NEVER, Coded, JobTable, table_of
from policyctl.diagnostics import Place
from policyctl.model.jobs import ClusterState, Job
from policyctl.model.policy import (
    Accounting,
    Budget,
    Governance,
    Policy,
    Pool,
    Preemption,
    ProtectionCap,
    Share,
    SlidingWindow,
)
from policyctl.units import Instant, MilliGpu, Seconds

NOW = Instant(1_796_029_200)
_PLACE = Place(file="bench.yaml")


def policy(*, programs: int, projects: int, nodes: int) -> Policy:
    """Return a policy with `programs` times `projects` leaf accounts over one pool of 8-GPU nodes."""
    budgets = [_budget("/", [f"p{number:03}" for number in range(programs)])]
    budgets += [
        _budget(f"/p{number:03}", [f"q{inner:03}" for inner in range(projects)]) for number in range(programs)
    ]
    return Policy(
        pools=(Pool(name="gpu", nodes=nodes, gpus_per_node=8, place=_PLACE),),
        budgets=tuple(budgets),
        accounting=Accounting(name="bench", window=SlidingWindow(length=Seconds(14 * 86_400)), place=_PLACE),
        caps=(ProtectionCap(name="bench", account="/", default=Seconds(8 * 3600), place=_PLACE),),
        preemption=Preemption(name="bench", place=_PLACE),
        governance=Governance(name="bench", place=_PLACE),
    )


def _budget(account: str, names: list[str]) -> Budget:
    total = sum(range(1, len(names) + 1))
    shares = tuple(
        Share(name=name, share=Fraction(weight, total), place=_PLACE)
        for weight, name in enumerate(names, start=1)
    )
    return Budget(name=account, account=account, shares=shares, place=_PLACE)


def queue(count: int, *, programs: int, projects: int, seed: int) -> JobTable:
    """Return `count` pending jobs as columns, spread over all accounts and ten users in each."""
    luck = np.random.default_rng(seed)
    accounts = tuple(f"/p{one:03}/q{two:03}" for one in range(programs) for two in range(projects))
    users = tuple(f"u{number}" for number in range(10))
    none = np.full(count, NEVER)
    one_kind = Coded(np.zeros(count, np.int32), ("batch",))
    return JobTable(
        block=np.zeros(count, np.bool_),
        ids=[f"{number:07}" for number in luck.permutation(count).tolist()],
        account=Coded(luck.integers(0, len(accounts), count, dtype=np.int32), accounts),
        user=Coded(luck.integers(0, len(users), count, dtype=np.int32), users),
        pool=Coded(np.zeros(count, np.int32), ("gpu",)),
        kind=one_kind,
        gpus=luck.choice(np.array([1, 2, 4, 8, 16, 64]), count) * 1000,
        nodes=np.ones(count, np.int64),
        submit=NOW - luck.integers(0, 7 * 86_400, count),
        start=none,
        min_runtime=luck.choice(np.array([0, 3600, 4 * 3600, 12 * 3600]), count),
        time_limit=none,
        priority=luck.integers(-2, 3, count),
        resumable=np.ones(count, np.bool_),
        last_checkpoint=none,
        labels=np.zeros(count, np.int32),
        label_sets=({},),
    )


def idle() -> tuple[JobTable, PastRuns]:
    """Return a pool in which nothing runs and nothing ran."""
    return table_of([]), past_runs([])


def busy_cluster(*, nodes: int, running: int, programs: int, projects: int, seed: int) -> ClusterState:
    """Return a full cluster of 8-GPU nodes with `running` jobs, a third of them still protected, and one big asker."""
    luck = np.random.default_rng(seed)
    sizes = np.full(running, 8 * nodes // running)
    sizes[: 8 * nodes - int(sizes.sum())] += 1
    free = [8] * nodes
    jobs = []
    node = 0
    for number, size in enumerate(sizes.tolist()):
        placement: dict[str, MilliGpu] = {}
        left = size
        while left:
            here = min(left, free[node])
            placement[f"gpu-{node + 1}"] = MilliGpu(here * 1000)
            free[node] -= here
            left -= here
            node += free[node] == 0
        program, project = int(luck.integers(programs)), int(luck.integers(projects))
        jobs.append(
            Job(
                id=f"r{number:05}",
                account=f"/p{program:03}/q{project:03}",
                user=f"u{int(luck.integers(10))}",
                pool="gpu",
                gpus=MilliGpu(sum(placement.values())),
                nodes=len(placement),
                submit=Instant(NOW - 90_000),
                start=Instant(NOW - int(luck.integers(60, 80_000))),
                min_runtime=Seconds(int(luck.choice([0, 3600, 8 * 3600]))),
                placement=placement,
            )
        )
    asker = Job(
        id="asker",
        account=f"/p{programs - 1:03}/q{projects - 1:03}",
        user="u0",
        pool="gpu",
        gpus=MilliGpu(256_000),
        nodes=32,
        submit=NOW,
        min_runtime=Seconds(4 * 3600),
    )
    return ClusterState(time=NOW, jobs=(*jobs, asker))


def policy_files(accounts: int, files: int) -> dict[str, bytes]:
    """Return the documents of a policy with about this many accounts in this many budget files."""
    each = accounts // files
    names = [f"p{number:05}" for number in range(files)]
    head = "apiVersion: policyctl/v1\nkind: {}\nmetadata: {{name: {}}}\nspec:\n"
    written = {
        "cluster.yaml": head.format("Cluster", "lab") + "  pools: {gpu: {nodes: 100, gpusPerNode: 8}}\n",
        "accounting.yaml": head.format("Accounting", "lab") + "  window: {length: 14d}\n",
        "caps.yaml": head.format("ProtectionCap", "lab") + "  account: /\n  default: 4h\n",
        "budgets/all.yaml": _shares(head, "all", "/", names),
    }
    for name in names:
        inner = [f"q{number:03}" for number in range(each)]
        written[f"budgets/{name}.yaml"] = _shares(head, name, f"/{name}", inner)
    return {path: text.encode() for path, text in written.items()}


def _shares(head: str, name: str, account: str, children: list[str]) -> str:
    lines = "".join(f"    {child}: 1/{len(children)}\n" for child in children)
    return head.format("Budget", name) + f"  account: {account}\n  shares:\n{lines}"
