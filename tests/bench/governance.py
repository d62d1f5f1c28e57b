"""What a comparison of two large policies costs beside validating each of them, and what the whole check of a change costs.

The check has a process of its own (`python -m tests.bench.governance`), so that the peak memory below it is its own.
"""

from __future__ import annotations

import json
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from policyctl.compile import compile_texts
from policyctl.diff.compare import compare
from policyctl.model.change import Compared
from policyctl.model.policy import Policy
from policyctl.render import diff_text
from policyctl.workspace.shipped import schemas
from tests.bench import workloads

__all__ = ["checking", "comparing"]

_ROOT = Path(__file__).parent.parent.parent
_PROGRAM = str(Path(sys.executable).with_name("policyctl"))


def _validated(files: dict[str, bytes]) -> Policy:
    compiled = compile_texts(files, schemas(), now=workloads.NOW)
    assert compiled.policy is not None, compiled.report.findings[:3]
    return compiled.policy


def _changed(files: dict[str, bytes]) -> dict[str, bytes]:
    # One program among a thousand divides itself anew: its first project gives what the second one gets.
    name = "budgets/p00500.yaml"
    return {**files, name: files[name].replace(b"1/10", b"1/20", 1).replace(b"1/10", b"3/20", 1)}


def comparing() -> list[tuple[str, str, str]]:
    """Measure `diff` of one changed file, from texts to text, against validating both sides."""
    before = workloads.policy_files(10_000, 1000)
    after = _changed(before)
    start = time.perf_counter()
    base, head = _validated(before), _validated(after)
    validated = time.perf_counter()
    change = compare(base, head, now=workloads.NOW)
    text = diff_text.render(Compared(base="before", head="after", change=change), colour=False, columns=100)
    ended = time.perf_counter()
    assert change.shares, text
    return [
        (
            "diff of one changed file in 10,000 accounts",
            f"{(ended - start) / (validated - start):.2f} x validating twice ({ended - start:.2f} s)",
            "<= 1.5 x",
        ),
    ]


def _run(folder: Path, *call: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(call, cwd=folder, check=False, capture_output=True, text=True)


def _git(folder: Path, *what: str) -> None:
    ended = _run(folder, "git", "-c", "user.name=bench", "-c", "user.email=bench@example.org", *what)
    assert ended.returncode == 0, ended.stderr


def _check() -> dict[str, float]:
    """Move four points of a program in a copy of `policies/`, and check that with 30 days of the lab."""
    with tempfile.TemporaryDirectory() as name:
        folder, workload = Path(name, "repository"), str(Path(name, "lab.json.gz"))
        for part in ("policies", "policy-tests"):
            shutil.copytree(_ROOT / part, folder / part)
        _git(folder, "init", "--quiet", "--initial-branch", "main")
        _git(folder, "add", ".")
        _git(folder, "commit", "--quiet", "--message", "base")
        _git(folder, "switch", "--quiet", "--create", "change")
        shares = folder / "policies" / "budgets" / "organization.yaml"
        shares.write_text(shares.read_text().replace("language: 34%", "language: 30%"))
        made = _run(folder, _PROGRAM, "workload", "generate", "--seed", "1", "-o", workload)
        assert made.returncode == 0, made.stderr
        before, began = _below(), time.perf_counter()
        ended = _run(
            folder, _PROGRAM, "ci", "--workload", workload, "--seed", "1", "--now", "2026-08-10T00:00:00Z"
        )
        seconds = time.perf_counter() - began
        # The lab's own cases and gates may well object to the change; what is measured is that all was looked at.
        assert ended.returncode in {0, 1}, ended.stderr
        assert "replayed: " in ended.stdout, ended.stdout
    after = _below()
    return {
        "seconds": seconds,
        "processor": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
        "megabytes": after.ru_maxrss / 1024,
    }


def _below() -> resource.struct_rusage:
    return resource.getrusage(resource.RUSAGE_CHILDREN)


def checking() -> list[tuple[str, str, str]]:
    """Measure `policyctl ci` on the lab's policy with a replay of both sides, as a process."""
    ended = _run(_ROOT, sys.executable, "-m", "tests.bench.governance")
    assert ended.returncode == 0, ended.stderr
    figures = json.loads(ended.stdout)
    return [
        (
            "ci on policies/, both sides replayed over 30 days of the lab",
            f"{figures['seconds']:.0f} s ({figures['processor']:.0f} s of processors)",
            "<= 60 s on two cores",
        ),
        ("  peak memory of the largest of its processes", f"{figures['megabytes']:.0f} MB", "-"),
    ]


if __name__ == "__main__":
    print(json.dumps(_check()))
