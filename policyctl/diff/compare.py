"""Two policies to what differs in their meaning, and which way each right goes."""

from __future__ import annotations

from policyctl.diff.brakes import brake_steps, freeze_steps
from policyctl.diff.caps import cap_steps, grant_steps
from policyctl.diff.directions import rights
from policyctl.diff.exceptions import exception_changes
from policyctl.diff.funding import price_steps, standing_steps
from policyctl.diff.settings import settings
from policyctl.diff.shares import share_changes, share_steps
from policyctl.diff.spans import Trees, spans
from policyctl.model.change import Change
from policyctl.model.policy import Policy
from policyctl.units import Instant

__all__ = ["compare"]


def compare(base: Policy, head: Policy, *, now: Instant | None = None) -> Change:
    """Compare two policies at every instant at which either changes; names and places of documents mean nothing.

    `now` only tells an exception that was removed after its end from one that was ended by removing it.
    """
    over = spans(base, head)
    trees = (Trees(base), Trees(head))
    shares, balances = share_changes(base, head, trees, over)
    steps = [
        *share_steps(shares),
        *cap_steps(base, head),
        *grant_steps(base, head, over),
        *brake_steps(base, head),
        *freeze_steps(base, head, over),
        *standing_steps(base, head, trees, over),
        *price_steps(base, head),
    ]
    return Change(
        shares=shares,
        balances=balances,
        settings=tuple(settings(base, head)),
        exceptions=tuple(exception_changes(base, head, now)),
        rights=tuple(rights(steps)),
    )
