"""Policies to read in tests: the smallest complete one, one that says everything, and what is underlined in it."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from policyctl.diagnostics import Finding
from policyctl.load.policy_text import Loaded, read_policy

ROOT = Path(__file__).parent.parent.parent
SCHEMA_FILES = {
    "Cluster": "cluster",
    "Budget": "budget",
    "Accounting": "accounting",
    "ProtectionCap": "protection_cap",
    "Preemption": "preemption",
    "Exception": "exception",
    "Governance": "governance",
}

SMALLEST = """\
apiVersion: policyctl/v1
kind: Cluster
metadata: {name: lab}
spec: {pools: {h100: {nodes: 4, gpusPerNode: 8}}}
---
apiVersion: policyctl/v1
kind: Accounting
metadata: {name: default}
spec: {window: {length: 14d}}
"""

DOCUMENTS = {
    "Cluster": """\
apiVersion: policyctl/v1
kind: Cluster
metadata: {name: lab}
spec:
  pools:
    h100: {nodes: 88, gpusPerNode: 8, blockNodes: 16, chargeRate: 1/2}
""",
    "Budget": """\
apiVersion: policyctl/v1
kind: Budget
metadata: {name: organization}
spec:
  account: /
  pool: h100
  owner: leadership
  effective: {from: "2026-07-01T00:00:00Z", until: 2027-01-01T00:00:00Z}
  reviewBy: "2026-12-01T00:00:00Z"
  shares:
    language: {weight: 3}
    robotics: {weight: 1/2}
""",
    "Accounting": """\
apiVersion: policyctl/v1
kind: Accounting
metadata: {name: default}
spec:
  window: {length: 14d, halfLife: 7d}
  charge: {protected: 1, afterProtection: 0.5, opportunistic: 1/4, unusedProtection: 20%}
  creditLimit: 2d
  funding: {overdraft: 50%}
  quantum: 20m
""",
    "ProtectionCap": """\
apiVersion: policyctl/v1
kind: ProtectionCap
metadata: {name: caps}
spec:
  account: /
  rules:
    - {name: interactive, when: 'job.kind == "interactive"', maxProtected: 2h}
    - {name: large, when: job.gpus >= 64, maxProtected: 12h}
  default: 4h
""",
    "Preemption": """\
apiVersion: policyctl/v1
kind: Preemption
metadata: {name: brakes}
spec:
  hysteresis: 5%
  notice: 2m
  perJob: {max: 3, within: 24h}
  perPool: {maxGpuHoursPerHour: 64}
  guards:
    - {name: no-notebooks, effect: deny, when: 'victim.kind == "interactive"', reason: live sessions}
""",
    "Exception": """\
apiVersion: policyctl/v1
kind: Exception
metadata: {name: language-deadline}
spec:
  reason: "camera-ready deadline; robotics agreed to lend"
  ticket: OPS-123
  requestedBy: "@lab/language-leads"
  starts: "2026-09-01T00:00:00Z"
  expires: "2026-09-15T00:00:00Z"
  share: {to: /language/pretrain, from: /robotics, add: 10%}
""",
    "Governance": """\
apiVersion: policyctl/v1
kind: Governance
metadata: {name: lab}
spec:
  groups: {leadership: ["@lab/leadership"], language-leads: ["@lab/language-leads"]}
  exceptions: {maxDuration: 30d, maxActive: 5, maxRenewals: 1}
  reviewEvery: 90d
  approvals:
    - name: large-moves
      when: change.moved > 0.05
      unless: change.tightens
      require: [{from: leadership, count: 2}]
  gates:
    - {name: few-losers, when: impact.overall.wait_change > 3600.0, level: warning, message: many would wait}
""",
}
EVERYTHING = "---\n".join(DOCUMENTS.values())


@cache
def schemas() -> dict[str, Any]:
    return {
        kind: json.loads((ROOT / "schemas" / f"{stem}.json").read_text())
        for kind, stem in SCHEMA_FILES.items()
    }


def load(files: dict[str, str | bytes] | str) -> Loaded:
    """Read texts by file name; one text alone is called `policy.yaml`."""
    named = {"policy.yaml": files} if isinstance(files, str) else files
    return read_policy(
        {name: text.encode() if isinstance(text, str) else text for name, text in named.items()}, schemas()
    )


def found(text: str, *, beside: str = SMALLEST) -> tuple[Finding, ...]:
    """Return the findings of `policy.yaml` with this text, in a policy that is otherwise complete."""
    loaded = load({"base.yaml": beside, "policy.yaml": text})
    return tuple(one for one in loaded.findings if one.place.file == "policy.yaml")


def underlined(text: str, one: Finding) -> str:
    """Return the characters that a finding points at."""
    return text.split("\n")[one.place.line - 1][one.place.column - 1 : one.place.end_column - 1]
