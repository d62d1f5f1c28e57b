"""Approvals that cannot be given, or not to everybody: whoever writes a change does not approve it.

Only groups that name nothing but people are counted; how many are in a team is known to the code host alone. An owner
below `/` is not looked at: where too few of a group can approve, the owner of the account above stands in.
"""

from __future__ import annotations

from collections.abc import Iterator

from policyctl.catalogue import finding
from policyctl.check.index import Index
from policyctl.diagnostics import Finding
from policyctl.model.owners import LOOSENING_QUORUM, owner_of
from policyctl.model.policy import Governance, place_of

__all__ = ["too_few_approvers"]


def too_few_approvers(index: Index) -> Iterator[Finding]:
    """Find a rule that asks as many people of a group as it has, and an owner of `/` of too few people (A016)."""
    governance = index.policy.governance
    for number, rule in enumerate(governance.approvals):
        for which, needed in enumerate(rule["require"]):
            path = f"approvals.{number}.require.{which}.{'count' if 'count' in needed else 'from'}"
            yield from _too_few(governance, needed["from"], int(needed.get("count", 1)), path, "approve")
    for group in owner_of(index.policy, "/").groups:
        path = f"groups.{group}"
        yield from _too_few(
            governance, group, LOOSENING_QUORUM, path, "approve what loosens the rules of all"
        )


def _too_few(governance: Governance, group: str, count: int, path: str, what: str) -> Iterator[Finding]:
    handles = governance.groups.get(group)
    if handles is None or any("/" in handle for handle in handles) or len(handles) > count:
        return
    people = "1 person" if len(handles) == 1 else f"{len(handles)} people"
    result = "nobody can reach that" if len(handles) < count else "none of them can be the author"
    yield finding(
        "A016",
        f"`{group}` has {people} and {count} of them must {what}, so {result}",
        place_of(governance, path),
        help=f"name more people, or a team, in `{group}`",
        subject=f"Governance {governance.name}",
    )
