"""A small policy over time: a calendar window, a budget that follows another, and exceptions of each kind."""

from __future__ import annotations

__all__ = ["POLICY", "STATE", "exception"]

POLICY = """\
apiVersion: policyctl/v1
kind: Cluster
metadata: {name: cluster}
spec:
  pools:
    h100: {nodes: 4, gpusPerNode: 8}
---
apiVersion: policyctl/v1
kind: Budget
metadata: {name: spring}
spec:
  account: /
  effective: {until: "2026-07-01T00:00:00Z"}
  reviewBy: "2026-06-15T00:00:00Z"
  shares: {language: 60%, robotics: 40%}
---
apiVersion: policyctl/v1
kind: Budget
metadata: {name: summer}
spec:
  account: /
  effective: {from: "2026-07-01T00:00:00Z"}
  shares: {language: 50%, robotics: 40%}
---
apiVersion: policyctl/v1
kind: Accounting
metadata: {name: accounting}
spec:
  window: {calendar: month, timezone: Europe/Berlin}
---
apiVersion: policyctl/v1
kind: ProtectionCap
metadata: {name: cap}
spec:
  account: /
  default: 4h
---
apiVersion: policyctl/v1
kind: Preemption
metadata: {name: preemption}
spec:
  guards:
    - {name: nights, effect: deny, when: 'now.getHours() < 6', reason: "nobody is there"}
---
apiVersion: policyctl/v1
kind: Governance
metadata: {name: governance}
spec:
  groups: {leads: ["@lab/leads"]}
  exceptions: {maxDuration: 60d, maxRenewals: 1}
"""

STATE = """{"time": "2026-06-10T12:00:00Z", "jobs": [
 {"id": "runs", "account": "/robotics", "user": "u1", "pool": "h100", "gpus": 32, "nodes": 4,
  "submit": "2026-06-10T01:00:00Z", "start": "2026-06-10T02:00:00Z", "min_runtime": "1h"},
 {"id": "waits", "account": "/language", "user": "u2", "pool": "h100", "gpus": 8,
  "submit": "2026-06-10T03:00:00Z", "min_runtime": "8h"}], "usage": []}
"""


def exception(name: str, starts: str, expires: str, grant: str) -> str:
    """Return a further document; days such as `06-01` are of 2026, at midnight UTC unless an hour follows."""
    start, end = (f"2026-{at}" if "T" in at else f"2026-{at}T00:00:00Z" for at in (starts, expires))
    return f"""---
apiVersion: policyctl/v1
kind: Exception
metadata: {{name: {name}}}
spec:
  reason: a deadline
  ticket: OPS-1
  requestedBy: "@lab/leads"
  starts: "{start}"
  expires: "{end}"
  {grant}
"""
