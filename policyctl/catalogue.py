"""Every finding code, with its severity and its title: the list from which pages, cases and SARIF rules follow.

Letters: Y the text of a YAML file, S one document against its schema, A accounts and budgets, C CEL rules,
E exceptions, P protection and preemption, W the window and the cluster, J a state file, L a job log, K a bundle.
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

_YAML: tuple[Rule, ...] = ()
_SCHEMA: tuple[Rule, ...] = ()
_ACCOUNTS: tuple[Rule, ...] = ()
_CEL: tuple[Rule, ...] = ()
_EXCEPTIONS: tuple[Rule, ...] = ()
_PROTECTION: tuple[Rule, ...] = ()
_WINDOW: tuple[Rule, ...] = ()
_STATE: tuple[Rule, ...] = (
    Rule("J001", _E, "unknown field in a state"),
    Rule("J002", _E, "missing field in a state"),
    Rule("J003", _E, "value of the wrong type in a state"),
    Rule("J004", _E, "value that is not the quantity it should be"),
    Rule("J005", _E, "two records with one key"),
    Rule("J006", _E, "pool that no Cluster document has"),
    Rule("J007", _E, "account that is not a path"),
    Rule("J008", _E, "times that contradict each other"),
    Rule("J009", _E, "placement that contradicts the job"),
    Rule("J010", _E, "key written twice in one object"),
    Rule("J011", _E, "word that is not one of the few"),
    Rule("J012", _W, "two runs of one job at the same time"),
    Rule("J013", _W, "minimum runtime longer than the time limit"),
)
_LOG: tuple[Rule, ...] = ()

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
