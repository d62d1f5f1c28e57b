"""Reports for the renderers: one with everything that is hard to show, and how to read a golden file."""

from __future__ import annotations

from pathlib import Path

from policyctl.diagnostics import Finding, Place, Related, Report, Severity

GOLDEN = Path(__file__).parent / "golden"

ORGANIZATION = """\
apiVersion: policyctl/v1
kind: Budget
metadata: {name: organization}
spec:
  account: /
  owner: leadrship
  shares:
    language: 60%
    robotics: 1/3
    science: 10%
"""
WIDE = "# 予算: 言語\tand a tab\nspec: {owner: 研究室, pool: h10}\r\nnote: é\n"
LONG = f"spec: {{groups: {{{', '.join(f'g{number}: [`@lab/team-{number}`]' for number in range(40))}}}}}\n"


def place(file: str, line: int, column: int, end_column: int, path: str = "") -> Place:
    return Place(file=file, line=line, column=column, end_line=line, end_column=end_column, path=path)


OVER = Finding(
    code="A004",
    severity=Severity.ERROR,
    message="the shares of `/` are over 100% at all times in every pool: over by 1/30 (~3.33%)",
    place=place("budgets/organization.yaml", 10, 5, 17, "spec.shares.science"),
    help="write `science: 1/15`, or lower another of `language` 60%, `robotics` 1/3, `science` 10%",
    subject="Budget organization",
)
OWNER = Finding(
    code="A007",
    severity=Severity.ERROR,
    message="no group `leadrship` is defined in Governance",
    place=place("budgets/organization.yaml", 6, 10, 19, "spec.owner"),
    help="did you mean `leadership`?",
    subject="Budget organization",
    related=(
        Related(place=place("budgets/wide one.yaml", 2, 15, 18, "spec.owner"), message="the same group here"),
    ),
)
POOL = Finding(
    code="A006",
    severity=Severity.WARNING,
    message="the cluster has no pool `h10`",
    place=place("budgets/wide one.yaml", 2, 26, 29, "spec.pool"),
    help="its pools are:\n  h100\n  a100",
    subject="Budget wide",
)
TAB = Finding(
    code="Y015",
    severity=Severity.NOTE,
    message="a tab after `言語`, 100% harmless: really",
    place=place("budgets/wide one.yaml", 1, 10, 14),
)
FAR = Finding(
    code="S017",
    severity=Severity.WARNING,
    message="`g30` names two of the groups",
    place=place("long.yaml", 1, LONG.index("g30") + 1, LONG.index("g30") + 4, "spec.groups.g30"),
    help="give each its own name",
    subject="Governance lab",
)
HOSTILE = Finding(
    code="S003",
    severity=Severity.ERROR,
    message="unknown field `\x1b[2J\x9b0m\u202eevil\r\n::error::x%`",
    place=place("a,b:c%d.yaml", 1, 1, 8, "spec.\x1b[31mred"),
    help="did you mean `<b>&\"'`?\n::add-mask::secret",
    subject="Budget \x07bell",
)
NOWHERE = Finding(
    code="S014",
    severity=Severity.ERROR,
    message="no document of kind Cluster",
    place=Place(file="(policy)"),
)

EVERYTHING = Report(
    findings=(HOSTILE, OWNER, OVER, TAB, POOL, FAR, NOWHERE),
    files=5,
    sources={
        "budgets/organization.yaml": ORGANIZATION,
        "budgets/wide one.yaml": WIDE,
        "long.yaml": LONG,
        "a,b:c%d.yaml": "\x1b[2Jbad: 1\n",
        "fine.yaml": "kind: Cluster\n",
    },
)
NOTHING = Report(findings=(), files=1, sources={"fine.yaml": "kind: Cluster\n"})


def golden(name: str) -> str:
    return (GOLDEN / name).read_bytes().decode()
