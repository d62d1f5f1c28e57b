"""A simulation for people at a terminal: warnings, contestants side by side, then who got what under each of them."""

from __future__ import annotations

from policyctl.model.measures import Measures, SimulationReport
from policyctl.render.charts.scene import labels
from policyctl.render.simulation_comparison import Cell, comparison
from policyctl.render.simulation_tables import TABLES, TableKind
from policyctl.render.table_text import table
from policyctl.render.terminal import painted, visible
from policyctl.units import format_instant

__all__ = ["render"]


def render(report: SimulationReport, *, colour: bool, full: bool = False) -> str:
    """Write a report; `full` adds every table of every contestant to that of its programs and projects."""
    names = labels(report)
    lines = _head(report)
    for name, one in zip(names, report.contestants, strict=True):
        lines += [
            painted(f"warning: {visible(name)}: {visible(warned.message)}", "yellow", on=colour)
            for warned in one.warnings
        ]
    lines += ["", *_compared(names, report.contestants)]
    for name, one in zip(names, report.contestants, strict=True):
        for kind in TABLES if full else TABLES[:1]:
            lines += _table(kind, name, one, colour=colour)
    return "\n".join(lines) + "\n"


def _head(report: SimulationReport) -> list[str]:
    contestants = report.contestants
    start, end = min(one.start for one in contestants), max(one.end for one in contestants)
    windows = sorted({visible(one.window) for one in contestants})
    seeds = sorted({one.seed for one in contestants})
    return [
        *([visible(report.title)] if report.title else []),
        f"from {format_instant(start)} to {format_instant(end)}",
        f"window {'; '.join(windows)}; {'seed' if len(seeds) == 1 else 'seeds'} {', '.join(map(str, seeds))}",
        *(f"{visible(what)} {digest[:19]}" for what, digest in sorted(report.digests.items())),
    ]


def _compared(names: tuple[str, ...], contestants: tuple[Measures, ...]) -> list[str]:
    rows = [(line.label, *map(_cell, line.cells)) for line in comparison(contestants)]
    return table(("", *names), rows, right=frozenset(range(1, len(names) + 1)))


def _cell(cell: Cell) -> str:
    return f"{cell.text} ({cell.difference})" if cell.difference else cell.text


def _table(kind: TableKind, name: str, one: Measures, *, colour: bool) -> list[str]:
    rows = kind.rows(one)
    if not rows:
        return []
    numbers = frozenset(range(len(kind.header))) - kind.texts
    title = painted(f"{visible(name)}: {kind.title[0].lower()}{kind.title[1:]}", "cyan", on=colour, bold=True)
    return ["", title, *table(kind.header, rows, right=numbers)]
