"""Public job logs beside the repository as workloads, under the policies that the examples give them."""

from __future__ import annotations

import gzip
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from policyctl.adapters.log_formats import read_log
from policyctl.adapters.log_map_read import read_map
from policyctl.adapters.log_workload import WorkloadBuild, build_workload
from policyctl.compile import compile_texts
from policyctl.model.policy import Policy
from policyctl.model.workload import Workload
from policyctl.units import Instant, Seconds, parse_instant
from policyctl.workspace.shipped import schemas
from policyctl.workspace.tree import read_tree

ROOT = Path(__file__).parents[2]
DATA = ROOT.parent / "shared" / "data"
EXAMPLES = ROOT / "examples" / "real-logs"
_NOW = parse_instant("2026-11-30T09:00:00Z")
_DRAIN = 5 * 365 * 86_400


@dataclass(frozen=True, slots=True, kw_only=True)
class Log:
    """One public log: its file, its format, its fields in `examples/real-logs`, and whether only GPU jobs count."""

    file: str
    format: str
    gpu_jobs_only: bool = False

    @property
    def path(self) -> Path:
        """Where the log is, if it is there."""
        return DATA / self.file


LOGS = {
    "graham": Log(file="drac_graham.csv.gz", format="csv", gpu_jobs_only=True),
    "kth": Log(file="KTH-SP2.swf.gz", format="swf"),
    "philly": Log(file="philly.csv.gz", format="csv"),
    "ricc": Log(file="RICC-2010-2.swf.gz", format="swf"),
    "unilu": Log(file="UniLu-Gaia-2014-1.swf.gz", format="swf"),
}


@lru_cache
def policy(name: str) -> Policy:
    """Return the policy that the examples give a log."""
    compiled = compile_texts(read_tree(EXAMPLES / name / "policy"), schemas(), now=_NOW)
    assert compiled.policy is not None, compiled.report.findings
    return compiled.policy


def rows(name: str, most: int | None = None) -> bytes:
    """Return the text of a log, or of its first rows (header lines of SWF left out, that of a CSV kept)."""
    log = LOGS[name]
    if most is None:
        return gzip.decompress(log.path.read_bytes())
    with gzip.open(log.path) as lines:
        return b"".join(_first(lines, most + (log.format == "csv")))


def _first(lines: Iterable[bytes], most: int) -> list[bytes]:
    kept: list[bytes] = []
    for line in lines:
        if not line.startswith(b";"):
            kept.append(line)
            if len(kept) == most:
                break
    return kept


def build(name: str, data: bytes) -> WorkloadBuild:
    """Return what a log becomes with the map that the examples give it."""
    log = LOGS[name]
    log_map = read_map((EXAMPLES / name / "MAP.yaml").read_text(encoding="utf-8"), file="MAP.yaml").map
    assert log_map is not None
    records = read_log(data, log_format=log.format, file=log.file, log_map=log_map).records
    return build_workload(records, log_map, gpu_jobs_only=log.gpu_jobs_only, file=log.file)


def to_the_end(workload: Workload) -> Workload:
    """Return a workload whose simulation goes on until its last job is done."""
    return replace(workload, end=Instant(workload.end + _DRAIN))


def copies(workload: Workload, jobs: int, *, apart: Seconds = Seconds(600)) -> Workload:
    """Return as many jobs as asked for: the workload again and again, each time begun where it ended before."""
    span = workload.tasks[-1].job.submit - workload.start + apart
    tasks = []
    for number in range(jobs):
        again, place = divmod(number, len(workload.tasks))
        task = workload.tasks[place]
        job = replace(task.job, id=f"{again}-{task.job.id}", submit=Instant(task.job.submit + again * span))
        tasks.append(replace(task, job=job))
    return replace(
        workload, end=Instant(workload.end + (jobs // len(workload.tasks)) * span), tasks=tuple(tasks)
    )
