"""A question about a change of the policy: the policy with the change, who proposes it, and what it does to jobs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from policyctl.adapters.policy_test_change import PolicyText, change_policy
from policyctl.adapters.policy_test_impact import impact_of
from policyctl.catalogue import finding
from policyctl.diagnostics import Finding, nearest
from policyctl.load.reading import Reader
from policyctl.load.wording import one_of, quoted
from policyctl.model.owners import ANYONE
from policyctl.model.policy import Governance
from policyctl.testing.case import Review

__all__ = ["review_of"]


def review_of(row: Reader, expect: Reader, text: PolicyText | None, findings: list[Finding]) -> Review | None:
    """Read `review`, and look whether what is expected has names that Governance knows; None with findings."""
    author = row.maybe("author", lambda text: text.removeprefix("@").lower(), None)
    if text is None:
        return Review(head=None, author=author, impact=None)
    found = list(_unknown(expect, text.policy.governance))
    head, wrong = change_policy(text, row.inside("change"))
    found += wrong
    impact = impact_of(row.inside("impact"), head, found) if head and row.has("impact") else None
    findings += found
    return None if found else Review(head=head, author=author, impact=impact)


def _unknown(expect: Reader, governance: Governance) -> Iterator[Finding]:
    known: dict[str, tuple[str, Iterable[str]]] = {
        "rules": ("approval rule", [rule["name"] for rule in governance.approvals]),
        "gates": ("gate", [gate["name"] for gate in governance.gates]),
        "requires": ("group", governance.groups or [ANYONE]),
    }
    for field, (what, names) in known.items():
        there = sorted(names)
        for name in expect.inside(field).names():
            if name not in there:
                near = nearest(name, there)
                choice = f"there is {one_of(there)}" if there else f"Governance has no {what}"
                yield finding(
                    "S006",
                    f"{quoted(name)} is no {what} of Governance",
                    expect.document.key_place(*expect.path, field, name),
                    help=f"did you mean `{near}`?" if near else choice,
                    subject=expect.document.subject,
                )
