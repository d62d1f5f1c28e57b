"""A simulation as one page that needs nothing else: comparison, charts, tables, and how to make it again."""

from __future__ import annotations

from policyctl.model.measures import Measures, SimulationReport
from policyctl.render.charts.gallery import charts
from policyctl.render.charts.scene import labels
from policyctl.render.page import page
from policyctl.render.simulation_comparison import comparison
from policyctl.render.simulation_tables import TABLES
from policyctl.units import format_duration, format_instant

__all__ = ["render"]


def render(report: SimulationReport) -> str:
    """Write the page; the same report gives the same bytes. Raises NoAnswer where matplotlib is not installed."""
    names = labels(report)
    first = report.contestants[0]
    return page(
        "simulation.html.j2",
        title=report.title,
        report=report,
        names=names,
        start=format_instant(min(one.start for one in report.contestants)),
        end=format_instant(max(one.end for one in report.contestants)),
        length=format_duration(first.end - first.start),
        seeds=sorted({one.seed for one in report.contestants}),
        windows=sorted({one.window for one in report.contestants}),
        warnings=[
            (name, warned)
            for name, one in zip(names, report.contestants, strict=True)
            for warned in one.warnings
        ],
        lines=comparison(report.contestants),
        charts=charts(report),
        details=[(name, _tables(one)) for name, one in zip(names, report.contestants, strict=True)],
    )


def _tables(one: Measures) -> list[dict[str, object]]:
    made: list[dict[str, object]] = []
    for kind in TABLES:
        rows = kind.rows(one)
        if rows:
            made.append(
                {
                    "name": kind.name,
                    "title": kind.title,
                    "header": kind.header,
                    "texts": kind.texts,
                    "rows": rows,
                }
            )
    return made
