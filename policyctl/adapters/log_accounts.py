"""What a map sends to accounts on which no job can buy protection: those no budget names, and those divided further."""

from __future__ import annotations

from collections import Counter

from policyctl.catalogue import finding
from policyctl.diagnostics import Finding, Place, nearest
from policyctl.model.jobs import ClusterState
from policyctl.model.policy import Policy
from policyctl.model.tree import Tree, tree_at

__all__ = ["stray_accounts"]

_NAMED = 5


def stray_accounts(
    state: ClusterState, policy: Policy, *, default_account: str, file: str
) -> tuple[Finding, ...]:
    """Compare the accounts of a state with those of a policy at its time; `file` is the map that chose them.

    What goes to the map's default account is left out: it is noted elsewhere, and meant to be in no budget.
    """
    trees = {pool.name: tree_at(policy, pool.name, state.time) for pool in policy.pools}
    unknown: Counter[str] = Counter()
    inner: Counter[str] = Counter()
    for job in (*state.jobs, *(run.job for run in state.usage)):
        account = trees[job.pool].get(job.account) if job.pool in trees else None
        if account is None and job.account != default_account:
            unknown[job.account] += 1
        elif account is not None and not account.leaf:
            inner[job.account] += 1
    found = []
    if unknown:
        told = _told(unknown, "that no budget names")
        found.append(_finding(told, _meant(unknown, trees), file))
    if inner:
        told = _told(inner, "that is divided further", "that are divided further")
        found.append(
            _finding(told, "jobs belong to one of its children: only there they can buy protection", file)
        )
    return tuple(found)


def _finding(message: str, help_: str, file: str) -> Finding:
    return finding("L029", message, Place(file=file, end_column=2), help=help_)


def _told(counts: Counter[str], one: str, several: str | None = None) -> str:
    total, most = sum(counts.values()), sorted(counts, key=lambda path: (-counts[path], path))
    records = "1 record goes" if total == 1 else f"{total} records go"
    accounts = f"1 account {one}" if len(counts) == 1 else f"{len(counts)} accounts {several or one}"
    named = ", ".join(f"`{path}` ({counts[path]})" for path in most[:_NAMED])
    return (
        f"{records} to {accounts}: {named}{f' and {len(most) - _NAMED} more' if len(most) > _NAMED else ''}"
    )


def _meant(counts: Counter[str], trees: dict[str, Tree]) -> str:
    """Name the accounts that were probably meant, or say what else can be done."""
    leaves = sorted({one.path for tree in trees.values() for one in tree.accounts if one.leaf})
    close = {path: nearest(path, leaves) for path in sorted(counts)}
    pairs = [f"`{known}` for `{path}`" for path, known in close.items() if known]
    if pairs:
        return f"did you mean {', '.join(pairs[:_NAMED])}?"
    return "mend `accounts` in the map, or give them a share: as it stands their jobs are opportunistic"
