"""The approvals of a change: read from the code host's export, and judged by the rules of the base."""

from __future__ import annotations

from pathlib import Path

from policyctl.adapters.github_reviews import read_approvals, read_members
from policyctl.bundle.meaning import meaning
from policyctl.cli.seen import Seen
from policyctl.cli.sides import Side, base_policy
from policyctl.diff.compare import compare
from policyctl.errors import NoAnswer, UsageProblem
from policyctl.govern.facts import change_digest
from policyctl.govern.judge import Members, Outcome, judge
from policyctl.govern.membership import membership_requirements
from policyctl.govern.requirements import Requirement, first_requirement, requirements
from policyctl.govern.reviews import ApprovalFile, standing
from policyctl.model.policy import Policy
from policyctl.units import Instant
from policyctl.workspace.files import read_bytes

__all__ = ["Approvals", "approvals_of", "judged_by", "outcome"]

_MOST = 64 * 1024**2

Approvals = tuple[ApprovalFile, Members]
"""What the code host exported, and who is in which team."""


def approvals_of(approvals: str, members: str | None) -> Approvals:
    """Read both files, of which one may be standard input; raises UsageProblem, NoAnswer."""
    if approvals == "-" and members == "-":
        raise UsageProblem("only one of both can come from standard input", help="give the other as a file")
    given = read_approvals(read_bytes(approvals, most=_MOST), approvals)
    return given, {} if members is None else read_members(read_bytes(members, most=_MOST), members)


def judged_by(side: Side) -> Policy | None:
    """Return the policy that judges, None where there is none yet.

    Raises NoAnswer for one that cannot be read as a whole, since it might lack the very rule that holds.
    """
    if side.files is not None and not side.files:
        return None
    found = base_policy(side)
    if found.policy is None or found.left_out:
        raise NoAnswer(
            f"{side.label} has no policy that can be read as a whole, so nobody's rules are known",
            help="such a change is merged by whoever administers the repository",
        )
    return found.policy


def outcome(
    sides: tuple[Side, Side],
    policies: tuple[Policy | None, Policy],
    known: Approvals,
    *,
    base: str | None,
    folder: Path,
    now: Instant,
) -> Outcome:
    """Judge the change from the first policy to the second; `base` is the revision of the first, None by default."""
    (before, after), (old, new), (given, members) = sides, policies, known
    needed: tuple[Requirement, ...]
    if old is None:
        digest, needed = meaning(new), (first_requirement(),)
    else:
        change = compare(old, new, now=now)
        digest, needed = change_digest(old, new, change), requirements(old, new, change, given.author)
    seen = Seen(digest=digest, policy=old, base=base, folder=folder, now=now)
    same = seen.same(one.commit for one in given.reviews) if needed else {}
    judged = judge(needed, standing(given, same), (old or new).governance, members, given.authors)
    if old is not None and given.members is not None:
        # Who is in a team is no part of the meaning, so that only the commit itself will do.
        filled = membership_requirements(old, members, given.members)
        judged += judge(filled, standing(given, {given.head: True}), old.governance, members, given.authors)
    return Outcome(
        base=before.label,
        head=after.label,
        author=given.author,
        digest=seen.digest,
        judged=judged,
    )
