"""The program as a user runs it: a process with arguments, a folder, an exit code and two streams."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

__all__ = ["BROKEN", "POLICY", "Ended", "policy", "run"]

POLICY = """\
apiVersion: policyctl/v1
kind: Cluster
metadata: {name: cluster}
spec:
  pools:
    h100: {nodes: 88, gpusPerNode: 8, blockNodes: 16}
---
apiVersion: policyctl/v1
kind: Budget
metadata: {name: organization}
spec:
  account: /
  owner: leadership
  shares:
    language: 60%
    robotics: 1/4
---
apiVersion: policyctl/v1
kind: Accounting
metadata: {name: accounting}
spec:
  window: {length: 14d, halfLife: 7d}
---
apiVersion: policyctl/v1
kind: ProtectionCap
metadata: {name: cap}
spec:
  account: /
  rules:
    - {name: interactive, when: 'job.kind == "interactive"', maxProtected: 2h}
  default: 4h
---
apiVersion: policyctl/v1
kind: Governance
metadata: {name: governance}
spec:
  groups: {leadership: ["@lab/leadership"]}
"""
BROKEN = POLICY.replace("language: 60%", "language: 90%")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How a run of the program ended."""

    code: int
    out: bytes
    err: str

    @property
    def text(self) -> str:
        """Standard output as text."""
        return self.out.decode()


def run(*arguments: str | Path, cwd: Path, stdin: bytes = b"", **environment: str) -> Ended:
    """Run `python -m policyctl` and wait for its end."""
    done = subprocess.run(
        [sys.executable, "-m", "policyctl", *map(str, arguments)],
        cwd=cwd,
        input=stdin,
        capture_output=True,
        check=False,
        timeout=60,
        env={**os.environ, "PYTHONWARNINGS": "error", **environment},
    )
    return Ended(code=done.returncode, out=done.stdout, err=done.stderr.decode())


def policy(folder: Path, text: str = POLICY) -> Path:
    """Write a policy of one file below `folder`, in `policies`, and return `folder`."""
    (folder / "policies").mkdir(exist_ok=True)
    (folder / "policies/policy.yaml").write_text(text)
    return folder
