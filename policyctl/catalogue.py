"""Every finding code, with its severity and its title: the list from which pages, cases and SARIF rules follow.

Letters: Y the text of a YAML file, S one document against its schema, A accounts and budgets, C CEL rules,
E exceptions, P protection and preemption, W the window and the cluster, J a state or workload file, L a job log, K a bundle.
"""

from __future__ import annotations

from dataclasses import dataclass

from policyctl.diagnostics import Finding, Place, Related, Severity

__all__ = ["CATALOGUE", "Rule", "finding"]


@dataclass(frozen=True, slots=True)
class Rule:
    """A kind of finding: its stable code, its severity and its name in one line."""

    code: str
    severity: Severity
    title: str


_E, _W, _N = Severity.ERROR, Severity.WARNING, Severity.NOTE

_YAML: tuple[Rule, ...] = (
    Rule("Y001", _E, "duplicate key"),
    Rule("Y002", _E, "text that is not YAML"),
    Rule("Y003", _E, "text that is not UTF-8, or was not once"),
    Rule("Y004", _E, "invisible character"),
    Rule("Y005", _E, "text that is not in normal form C"),
    Rule("Y006", _E, "anchor or alias"),
    Rule("Y007", _E, "merge key"),
    Rule("Y008", _E, "tag or directive"),
    Rule("Y009", _E, "key that is not text"),
    Rule("Y010", _E, "more than a policy may hold"),
    Rule("Y011", _W, "file or document without content"),
    Rule("Y012", _E, "unquoted text that YAML readers take for something else"),
    Rule("Y013", _E, "quote or bracket that is never closed"),
    Rule("Y014", _E, "text that needs quotes"),
    Rule("Y015", _E, "tab instead of spaces"),
)
_SCHEMA: tuple[Rule, ...] = (
    Rule("S001", _E, "unknown version of the policy language"),
    Rule("S002", _E, "unknown or missing kind"),
    Rule("S003", _E, "unknown field"),
    Rule("S004", _E, "missing field"),
    Rule("S005", _E, "value of the wrong type"),
    Rule("S006", _E, "word that is not one of the few"),
    Rule("S007", _E, "number out of range"),
    Rule("S008", _E, "quantity that cannot be read"),
    Rule("S009", _E, "malformed name, account path or handle"),
    Rule("S010", _E, "value that is empty or too long"),
    Rule("S011", _E, "fields that do not go together"),
    Rule("S012", _E, "two documents with one name"),
    Rule("S013", _E, "document of a kind that stands only once"),
    Rule("S014", _E, "missing Cluster or Accounting"),
    Rule("S015", _E, "shares and weights among siblings"),
    Rule("S016", _E, "period that ends before it begins"),
    Rule("S017", _E, "item twice in one list"),
    Rule("S018", _E, "two ProtectionCaps for one account"),
    Rule("S019", _E, "unknown time zone"),
)
_ACCOUNTS: tuple[Rule, ...] = (
    Rule("A001", _E, "account divided twice at one time"),
    Rule("A002", _E, "divided account that no budget names"),
    Rule("A003", _W, "account divided at a time when it has no share"),
    Rule("A004", _E, "siblings over 100%"),
    Rule("A005", _E, "unknown account"),
    Rule("A006", _E, "unknown pool"),
    Rule("A007", _E, "unknown owner group"),
    Rule("A008", _E, "budget that gives nobody a share"),
    Rule("A009", _W, "time in which nothing divides an account"),
    Rule("A010", _W, "review date passed"),
    Rule("A011", _N, "budget whose period is over"),
    Rule("A012", _W, "account names that read alike"),
    Rule("A013", _W, "pool that nothing divides"),
    Rule("A014", _W, "review date outside of the budget's period"),
    Rule("A015", _W, "account that nothing divides any more"),
    Rule("A016", _W, "approval that too few people can give"),
)
_CEL: tuple[Rule, ...] = (
    Rule("C001", _E, "text that is not a CEL expression"),
    Rule("C002", _E, "empty expression"),
    Rule("C003", _E, "expression too long, too deep or with too many parts"),
    Rule("C004", _E, "unknown name in an expression"),
    Rule("C005", _E, "unknown field in an expression"),
    Rule("C006", _E, "operands of types that do not go together"),
    Rule("C007", _E, "condition that is not true or false"),
    Rule("C008", _E, "construct outside of the profile of rules"),
    Rule("C009", _E, "unknown function in an expression"),
    Rule("C010", _E, "function called with the wrong operands"),
    Rule("C011", _E, "literal that is not a value of CEL"),
    Rule("C012", _E, "duration or timestamp that cannot be read"),
    Rule("C013", _E, "unknown time zone in an expression"),
    Rule("C014", _E, "regular expression that is not accepted"),
    Rule("C015", _E, "literal required"),
    Rule("C016", _E, "has() of something that is not a field"),
    Rule("C017", _E, "comparison with a value that never occurs"),
)
_EXCEPTIONS: tuple[Rule, ...] = (
    Rule("E001", _E, "donor below zero"),
    Rule("E002", _E, "donor and recipient within each other"),
    Rule("E003", _E, "exception longer than Governance allows"),
    Rule("E004", _E, "more exceptions at once than Governance allows"),
    Rule("E005", _W, "exception requested by an unknown handle"),
    Rule("E006", _E, "exception that changes nothing"),
    Rule("E007", _W, "expired exception still present"),
    Rule("E008", _W, "overlapping exceptions for one target"),
    Rule("E009", _W, "exceptions without a limit on their duration"),
    Rule("E010", _E, "exception renewed more often than Governance allows"),
)
_PROTECTION: tuple[Rule, ...] = (
    Rule("P001", _E, "unreachable rule"),
    Rule("P002", _W, "cap looser than an ancestor's"),
    Rule("P003", _W, "guard whose condition does not vary"),
    Rule("P004", _W, "guard that repeats an earlier one"),
    Rule("P005", _W, "protection without a cap"),
    Rule("P006", _W, "preemption limit of 0"),
    Rule("P007", _W, "rule that compares with a pool or account that no job has"),
)
_WINDOW: tuple[Rule, ...] = (
    Rule("W001", _W, "window shorter than the longest protection"),
    Rule("W002", _W, "half-life longer than the window"),
    Rule("W003", _W, "quantum longer than the window"),
    Rule("W004", _W, "credit limit longer than the window"),
    Rule("W005", _W, "opportunistic time dearer than protected time"),
    Rule("W006", _N, "unused protection that is free"),
    Rule("W007", _W, "GPU time that is free"),
    Rule("W008", _W, "topology block larger than its pool"),
    Rule("W009", _W, "time after protection that is free"),
)
_STATE: tuple[Rule, ...] = (
    Rule("J001", _E, "unknown field in a state or workload"),
    Rule("J002", _E, "missing field in a state or workload"),
    Rule("J003", _E, "value of the wrong type in a state or workload"),
    Rule("J004", _E, "value that is not the quantity it should be"),
    Rule("J005", _E, "two records with one key"),
    Rule("J006", _E, "pool that no Cluster document has"),
    Rule("J007", _E, "account that is not a path"),
    Rule("J008", _E, "times that contradict each other"),
    Rule("J009", _E, "placement that contradicts the job"),
    Rule("J010", _E, "key written twice in one object"),
    Rule("J011", _E, "word that a field of a state or workload does not know"),
    Rule("J012", _W, "two runs of one job at the same time"),
    Rule("J013", _W, "minimum runtime longer than the time limit"),
    Rule("J014", _E, "node that the pool does not have"),
)
_LOG: tuple[Rule, ...] = (
    Rule("L001", _E, "record with the wrong number of fields"),
    Rule("L002", _E, "field of a record that cannot be read"),
    Rule("L003", _E, "times of a record that contradict each other"),
    Rule("L004", _E, "state that nobody knows"),
    Rule("L005", _E, "record that no pool takes"),
    Rule("L006", _W, "record without a group"),
    Rule("L007", _W, "bytes that are not UTF-8"),
    Rule("L008", _W, "no count of GPUs"),
    Rule("L009", _W, "TRES without a name"),
    Rule("L010", _W, "job of unknown size"),
    Rule("L011", _W, "job whose times are unknown"),
    Rule("L012", _W, "two records of one job where one can be"),
    Rule("L013", _N, "record present more than once"),
    Rule("L014", _N, "times read in a time zone of the map"),
    Rule("L015", _N, "preemption that cannot be ruled out"),
    Rule("L016", _N, "run whose outcome is unknown"),
    Rule("L017", _N, "record that goes to a default"),
    Rule("L018", _N, "record left aside"),
    Rule("L019", _N, "job without GPUs"),
    Rule("L020", _N, "user or number of nodes unknown"),
    Rule("L021", _N, "run that has not ended"),
    Rule("L022", _N, "rows and jobs that are not one to one"),
    Rule("L023", _W, "export that reports errors of its own"),
    Rule("L024", _W, "declared minimum runtime that cannot be read"),
    Rule("L025", _E, "unknown field in a map"),
    Rule("L026", _E, "value that a map cannot have"),
    Rule("L027", _E, "pool of a map that no Cluster document has"),
    Rule("L028", _N, "job that becomes no task of a workload"),
    Rule("L029", _W, "account that cannot buy protection"),
)

CATALOGUE: dict[str, Rule] = {
    rule.code: rule
    for rules in (_YAML, _SCHEMA, _ACCOUNTS, _CEL, _EXCEPTIONS, _PROTECTION, _WINDOW, _STATE, _LOG)
    for rule in rules
}


def finding(
    code: str,
    message: str,
    place: Place,
    *,
    help: str | None = None,  # noqa: A002 - the word of every finding
    subject: str = "",
    related: tuple[Related, ...] = (),
) -> Finding:
    """Make a finding of a code in the catalogue; KeyError for any other code is a bug."""
    return Finding(
        code=code,
        severity=CATALOGUE[code].severity,
        message=message,
        place=place,
        help=help,
        subject=subject,
        related=related,
    )
