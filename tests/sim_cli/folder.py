"""A folder with a small lab: a policy, another one, and a workload of some hundred jobs over two weeks."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from policyctl.adapters.workload_json import write_workload
from policyctl.cli.sources import load_policy
from policyctl.model.workload import Task, Workload
from policyctl.sim.workloads.lab import generate
from policyctl.sim.workloads.mix import LabMix, Size
from policyctl.units import Instant, Seconds

__all__ = ["POLICY", "START", "lab"]

START = Instant(1_788_739_200)
"""2026-09-07T00:00:00Z, a Monday."""
POLICY = """\
apiVersion: policyctl/v1
kind: Cluster
metadata: {name: cluster}
spec:
  pools:
    h100: {nodes: 2, gpusPerNode: 8}
---
apiVersion: policyctl/v1
kind: Budget
metadata: {name: organization}
spec:
  account: /
  owner: leadership
  shares: {language: 50%, robotics: 30%, safety: 20%}
---
apiVersion: policyctl/v1
kind: Accounting
metadata: {name: accounting}
spec:
  window: {length: 4d, halfLife: 2d}
---
apiVersion: policyctl/v1
kind: ProtectionCap
metadata: {name: cap}
spec:
  account: /
  default: 4h
---
apiVersion: policyctl/v1
kind: Governance
metadata: {name: governance}
spec:
  groups: {leadership: ["@lab/leadership"]}
"""
_HOUR, _DAY = 3600, 86_400


def lab(folder: Path, *, days: int = 8, load: str = "3/2") -> Path:
    """Write the policies `policies` and `other`, and `workload.json`, in which `/safety` is away for days; return the folder."""
    for name, text in (("policies", POLICY), ("other", POLICY.replace("50%", "40%").replace("30%", "40%"))):
        (folder / name).mkdir()
        (folder / name / "policy.yaml").write_text(text)
    policy = load_policy(folder / "policies", None).policy
    mix = LabMix(
        seed=1,
        start=START,
        days=days,
        researchers=9,
        load=Fraction(load),
        sizes=(
            Size(gpus=1, weight=3, median=Seconds(2 * _HOUR)),
            Size(gpus=4, weight=2, median=Seconds(4 * _HOUR)),
            Size(gpus=8, weight=1, median=Seconds(6 * _HOUR)),
        ),
        restart_failure=Fraction(1, 5),
    )
    (folder / "workload.json").write_bytes(write_workload(_with_absence(generate(policy, mix))))
    return folder


def _with_absence(workload: Workload) -> Workload:
    kept = tuple(task for task in workload.tasks if not _away(task))
    return replace(workload, tasks=kept)


def _away(task: Task) -> bool:
    passed = task.job.submit - START
    return task.job.account.startswith("/safety") and _DAY <= passed < 4 * _DAY
