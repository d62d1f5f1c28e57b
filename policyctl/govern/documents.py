"""Divisions and exceptions that are written otherwise than before, also where no GPU moves for now.

An account without a share can be divided without any effect, and the division would come to life with the next share
that the account is given. Whoever owns it is asked, and reviewers who saw another division are not counted.
"""

from __future__ import annotations

from policyctl.model.policy import Budget, Policy, PolicyException

__all__ = ["rewritten", "rewritten_accounts"]


def rewritten(base: Policy, head: Policy) -> tuple[str, ...]:
    """Return what differs in content, each spelled out on one line with its side, sorted."""
    sides = {"-": _content(base), "+": _content(head)}
    both = sides["-"] & sides["+"]
    return tuple(sorted(f"{sign} {line}" for sign, lines in sides.items() for line in lines - both))


def _content(policy: Policy) -> set[str]:
    return {repr(_division(one)) for one in policy.budgets} | {repr(_grant(one)) for one in policy.exceptions}


def _division(one: Budget) -> object:
    shares = sorted((share.name, str(share.share)) for share in one.shares)
    return "Budget", one.account, one.pool, one.period, shares


def _grant(one: PolicyException) -> object:
    return "Exception", one.grant, one.period, one.reason, one.ticket, one.requested_by


def rewritten_accounts(base: Policy, head: Policy) -> tuple[str, ...]:
    """Return the accounts whose division differs in content, sorted."""
    sides = [{(one.account, repr(_division(one))) for one in policy.budgets} for policy in (base, head)]
    return tuple(sorted({account for account, _ in sides[0] ^ sides[1]}))
