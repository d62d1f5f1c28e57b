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
    """Read `review`, and look whether what is expected has names that Governance knows; None with findings.

    That a change leaves no valid policy is an answer: `policyctl validate` refuses it.
    """
    author = row.maybe("author", lambda text: text.removeprefix("@").lower(), None)
    if text is None:
        return Review(head=None, author=author, impact=None)
    before = change_policy(text, row.inside("before"))
    if before.text is None:
        findings += before.findings
        return None
    base = before.text
    found = list(_unknown(expect, base.policy.governance))
    changed = change_policy(base, row.inside("change"))
    found += () if changed.refused else changed.findings
    head = None if changed.text is None else changed.text.policy
    impact = impact_of(row.inside("impact"), head, found) if head and row.has("impact") else None
    findings += found
    if found:
        return None
    return Review(
        head=head,
        author=author,
        impact=impact,
        base=base.policy if row.has("before") else None,
        wrong=changed.findings if changed.refused else (),
    )


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
