"""Which approvals a change needs, by the rules of the base: those that match, else what the owners decide."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from policyctl.govern.facts import facts
from policyctl.govern.owners import Matter, matters
from policyctl.govern.rules import RuleJudged, approval_rules
from policyctl.model.change import Change
from policyctl.model.owners import ANYONE, LOOSENING_QUORUM, Owner, owner_of, owners_above
from policyctl.model.policy import Policy

__all__ = ["DEFAULT", "Requirement", "first_requirement", "requirements"]

DEFAULT = "default"
"""What requirements are called that no rule of Governance asks for."""
_OWNER = "owner"


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirement:
    """So many different people of a group; `rule` asks for it, `account` is what the group owns, `why` says more.

    `above` are the groups that own the accounts above, the nearest first, in whose power it lies as well.
    """

    rule: str
    group: str
    count: int
    account: str | None = None
    why: tuple[str, ...] = ()
    above: tuple[tuple[str, ...], ...] = ()


def requirements(base: Policy, head: Policy, change: Change, author: str | None) -> tuple[Requirement, ...]:
    """Return what the base side's Governance requires; nothing only if the change means nothing.

    A rule that has no answer for this change, or for an author whom nobody knows (None), counts as matching, so that a
    mistake never opens the gate.
    """
    whose = matters(base, head, change)
    if not whose:
        return ()
    judged = approval_rules(base, {"change": facts(base, head, change, author)})
    found = [one for rule in judged if rule.outcome.applies for one in _by_rule(base, rule, whose)]
    return tuple(found) or tuple(_owners(base, whose, rule=DEFAULT, count=None))


def first_requirement() -> Requirement:
    """Return what the first policy of all needs, before which there are no rules and no owners."""
    return Requirement(rule=DEFAULT, group=ANYONE, count=1, account="/", why=("the base has no policy",))


def _by_rule(base: Policy, rule: RuleJudged, whose: tuple[Matter, ...]) -> Iterator[Requirement]:
    for needed in base.governance.approvals[rule.number]["require"]:
        group, count = str(needed["from"]), int(needed.get("count", 1))
        if group == _OWNER and _OWNER not in base.governance.groups:
            yield from _owners(base, whose, rule=rule.name, count=count, trouble=rule.trouble)
        else:
            yield Requirement(rule=rule.name, group=group, count=count, why=rule.trouble)


def _owners(
    base: Policy, whose: tuple[Matter, ...], *, rule: str, count: int | None, trouble: tuple[str, ...] = ()
) -> Iterator[Requirement]:
    """Return one requirement for each owning group; `count` None is one, or more where it loosens."""
    by_owner: dict[Owner, list[Matter]] = {}
    for one in whose:
        by_owner.setdefault(owner_of(base, one.account), []).append(one)
    for owner, parts in sorted(by_owner.items(), key=lambda pair: pair[0]):
        above = tuple(one.groups for one in owners_above(base, owner))
        usual = LOOSENING_QUORUM if any(one.loosens for one in parts) else 1
        for group in owner.groups:
            yield Requirement(
                rule=rule,
                group=group,
                count=usual if count is None else count,
                account=owner.account,
                why=(*trouble, *(one.why for one in parts)),
                above=above,
            )
