"""Who must agree where a change fills the teams that approve: whoever owns everything, as for Governance itself."""

from __future__ import annotations

from policyctl.govern.judge import Members
from policyctl.govern.requirements import DEFAULT, Requirement
from policyctl.model.owners import ANYONE, LOOSENING_QUORUM, owner_of
from policyctl.model.policy import Policy

__all__ = ["membership_requirements"]


def membership_requirements(base: Policy, before: Members, after: Members) -> tuple[Requirement, ...]:
    """Return what a change of the members needs, by the rules of the base; nothing where no team changes.

    While nobody of the owners is known, nobody of them could name the first: then it takes one person but the author.
    """
    changed = sorted(
        team
        for team in before.keys() | after.keys()
        if before.get(team, frozenset()) != after.get(team, frozenset())
    )
    if not changed:
        return ()
    why = tuple(f"`{team}` has other members: only approvals of the last commit count" for team in changed)
    groups = owner_of(base, "/").groups
    handles = [handle.lower() for group in groups for handle in base.governance.groups.get(group, ())]
    if all("/" in handle and not before.get(handle) for handle in handles):
        return (Requirement(rule=DEFAULT, group=ANYONE, count=1, account="/", why=why),)
    return tuple(
        Requirement(rule=DEFAULT, group=group, count=LOOSENING_QUORUM, account="/", why=why)
        for group in groups
    )
