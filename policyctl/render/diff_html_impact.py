"""The impact of a change on its page: what it comes to, the differences with their spread, and the simulator's charts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final, Literal

from policyctl.model.impact import Figure, FigureKind, Impact
from policyctl.model.measures import Measures, SimulationReport
from policyctl.render import diff_impact
from policyctl.render.charts.chart import Chart
from policyctl.render.charts.gallery import charts
from policyctl.render.diff_html_cells import Row, listing, signed, text

__all__ = ["Told", "drawn", "headline", "told"]

_GOOD: Final = {
    FigureKind.DELIVERY: 1,
    FigureKind.WAIT: -1,
    FigureKind.PREEMPTIONS: -1,
    FigureKind.LOST: -1,
    FigureKind.PROTECTION: 0,
}
_TOO_SMALL: Final = 0.0005
"""What is written as no point at all."""
Verdict = Literal["better", "worse", "neither"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What was replayed, and by program a row for each figure that differs; `hidden` rows are left out."""

    basis: str
    seeds: int
    header: tuple[str, ...]
    programs: tuple[tuple[str, tuple[Row, ...]], ...]
    hidden: int


def told(found: Impact) -> Told:
    """Return the table of an impact; it has no programs where there is no visible effect."""
    several = len(found.seeds) > 1
    header = ("figure", "before → after", "difference")
    moved = list(diff_impact.differing(found))
    kept = listing(header, (_row(figure, several=several) for _, figure in moved))
    pairs = zip((account for account, _ in moved), kept.rows, strict=False)  # what is left out is at the end
    return Told(
        basis=diff_impact.basis(found),
        seeds=len(found.seeds),
        header=header,
        programs=tuple(
            ("all programs" if account == "/" else account, tuple(row for _, row in group))
            for account, group in groupby(pairs, key=lambda pair: pair[0])
        ),
        hidden=kept.hidden,
    )


def _row(figure: Figure, *, several: bool) -> Row:
    name, moved, difference, spread = diff_impact.words(figure, several=several)
    return (
        text(name.replace("<=", "≤")),
        text(moved),
        text(signed(difference), kind=verdict(figure), below=signed(spread) if several else ""),
    )


def verdict(figure: Figure) -> Verdict:
    """Say whether a difference is good or bad for the program; neither where the seeds do not agree."""
    good = _GOOD[figure.kind]
    if figure.least * good >= 0 and figure.most * good >= 0:
        return "better" if good else "neither"
    return "worse" if figure.least * good <= 0 and figure.most * good <= 0 else "neither"


def headline(found: Impact) -> str:
    """Say in one line what happens to what is delivered, and to whom most."""
    if not found.visible:
        return diff_impact.basis(found)
    moved = [
        (figure.after - figure.before, one.account, figure)
        for one in found.programs
        if (figure := one.figure(FigureKind.DELIVERY)) is not None and figure.differs
    ]
    overall = [diff_impact.words(figure, several=False)[1] for _, account, figure in moved if account == "/"]
    programs = sorted(
        ((gain, account, figure) for gain, account, figure in moved if account != "/"),
        key=lambda one: one[:2],
    )
    said = [f"delivered of what is owed {overall[0]}"] if overall else ["delivered in all as before"]
    for word, way, chosen in (("loses", -1, programs[:1]), ("gains", 1, programs[-1:])):
        said += [
            f"`{account}` {word} most, {signed(diff_impact.words(figure, several=False)[2])}"
            for gain, account, figure in chosen
            if gain * way >= _TOO_SMALL
        ]
    return "; ".join(said)


def drawn(runs: Sequence[Measures], command: str, version: str) -> list[Chart]:
    """Draw both sides beside each other, without charts that have nothing to show on either."""
    if not runs:
        return []
    report = SimulationReport(title="", command=command, version=version, digests={}, contestants=tuple(runs))
    return [one for one in charts(report) if any(panel.svg for panel in one.panels)]
