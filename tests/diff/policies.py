"""Policies as text, and what differs between two of them."""

from __future__ import annotations

from policyctl.compile import compile_texts
from policyctl.diff.compare import compare
from policyctl.model.change import Change, Direction, RightKind
from policyctl.model.policy import Policy
from policyctl.workspace.shipped import schemas

__all__ = ["BASE", "changed", "document", "policy", "way"]

BASE = """\
apiVersion: policyctl/v1
kind: Cluster
metadata: {name: cluster}
spec: {pools: {h100: {nodes: 10, gpusPerNode: 10}}}
---
apiVersion: policyctl/v1
kind: Budget
metadata: {name: organization}
spec:
  account: /
  owner: leads
  shares: {language: 60%, robotics: 20%}
---
apiVersion: policyctl/v1
kind: Budget
metadata: {name: language}
spec:
  account: /language
  shares: {pretrain: 50%, data: 50%}
---
apiVersion: policyctl/v1
kind: Accounting
metadata: {name: accounting}
spec:
  window: {length: 10h}
  charge: {protected: 1}
---
apiVersion: policyctl/v1
kind: ProtectionCap
metadata: {name: cap}
spec:
  account: /
  rules:
    - {name: large, when: 'job.gpus >= 64', maxProtected: 12h}
  default: 4h
---
apiVersion: policyctl/v1
kind: ProtectionCap
metadata: {name: robots}
spec: {account: /robotics, default: 2h}
---
apiVersion: policyctl/v1
kind: Preemption
metadata: {name: brakes}
spec:
  hysteresis: 5%
  notice: 2m
  perJob: {max: 3, within: 24h}
  guards:
    - {name: days, effect: deny, when: 'victim.gpus > 8', reason: "large"}
---
apiVersion: policyctl/v1
kind: Governance
metadata: {name: governance}
spec:
  groups: {leads: ["@lab/leads"]}
"""


def document(kind: str, name: str, spec: str) -> str:
    """Return one more document; `spec` in flow style."""
    return f"---\napiVersion: policyctl/v1\nkind: {kind}\nmetadata: {{name: {name}}}\nspec: {spec}\n"


def policy(text: str) -> Policy:
    """Return the policy of a text without errors."""
    compiled = compile_texts({"policy.yaml": text.encode()}, schemas(), now=None)
    assert compiled.policy is not None, [str(one) for one in compiled.report.findings]
    return compiled.policy


def changed(*replaced: tuple[str, str], added: str = "", base: str = BASE) -> Change:
    """Return what differs once some texts of the base are replaced and some documents added."""
    head = base
    for before, after in replaced:
        assert before in head
        head = head.replace(before, after)
    return compare(policy(base), policy(head + added))


def way(change: Change, account: str, kind: str) -> Direction:
    """Return where a right of an account went."""
    found = [one.direction for one in change.rights if (one.account, one.kind) == (account, RightKind(kind))]
    return found[0] if found else Direction.NEUTRAL
