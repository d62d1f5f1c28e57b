"""What a case says that a change does to jobs: figures of programs before and after, as if they had been replayed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from policyctl.catalogue import finding
from policyctl.diagnostics import Finding, nearest
from policyctl.load.reading import Reader
from policyctl.load.wording import one_of, quoted
from policyctl.model.impact import Figure, FigureKind, Impact, ProgramImpact
from policyctl.model.measures import ALL
from policyctl.model.policy import Policy
from policyctl.units import parse_duration, parse_rate

__all__ = ["FIGURES", "impact_of"]

FIGURES: Final[Mapping[str, Callable[[str], float]]] = {
    "delivery": lambda text: float(parse_rate(text)),
    "wait": lambda text: float(parse_duration(text)),
    "preemptions": lambda text: float(parse_rate(text)),
    "lost": lambda text: float(parse_rate(text)),
    "protection": lambda text: float(parse_rate(text)),
}
"""The figures of a program, by what the facts of gates call them; a test keeps these to the schema."""
_ALL: Final = "/"


def impact_of(row: Reader, head: Policy, findings: list[Finding]) -> Impact | None:
    """Read `impact`; programs that it does not name see no difference, and a program that is not there is a finding."""
    known = sorted({one.child(share) for one in head.budgets if one.account == _ALL for share in one.shares})
    programs = row.inside("programs")
    before = len(findings)
    figures: dict[str, tuple[Figure, ...]] = dict.fromkeys((_ALL, *known), ())
    for account in programs.names():
        if account not in figures:
            near = nearest(account, known)
            way_out = f"did you mean `{near}`?" if near else f"the programs are {one_of([*known, _ALL])}"
            message = f"{quoted(account)} is no program of the policy"
            place = row.document.key_place(*programs.path, account)
            findings.append(finding("A005", message, place, help=way_out, subject=row.document.subject))
            continue
        figures[account] = _figures(programs.inside(account))
    if len(findings) > before:
        return None
    return Impact(
        seeds=tuple(range(1, row.maybe("seeds", int, 1) + 1)),
        jobs=row.maybe("jobs", int, 1),
        programs=tuple(
            ProgramImpact(account=account, figures=figures[account]) for account in (_ALL, *known)
        ),
    )


def _figures(row: Reader) -> tuple[Figure, ...]:
    found = []
    for name in row.names():
        sides = row.inside(name)
        before, after = (FIGURES[name](sides.text(side)) for side in ("before", "after"))
        size = ALL if name == "wait" else None
        moved = after - before
        found.append(
            Figure(kind=FigureKind(name), size=size, before=before, after=after, least=moved, most=moved)
        )
    return tuple(found)
