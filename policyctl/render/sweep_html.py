"""A sweep as one page that needs nothing else: the choice with its reasons, the chart, the table, how to make it again."""

from __future__ import annotations

from policyctl.model.sweep import SweepReport
from policyctl.render.charts.trade import trade
from policyctl.render.page import page
from policyctl.render.sweep_table import HEADER, TEXTS, rows
from policyctl.render.sweep_words import reasons, rhythm, verdict
from policyctl.units import format_duration, format_instant

__all__ = ["render"]


def render(report: SweepReport) -> str:
    """Write the page; the same report gives the same bytes. Raises NoAnswer where matplotlib is not installed."""
    return page(
        "sweep.html.j2",
        title=report.title,
        report=report,
        start=format_instant(report.start),
        end=format_instant(report.end),
        jitter=format_duration(report.jitter),
        verdict=verdict(report),
        reasons=reasons(report),
        rhythm=rhythm(report),
        chart=trade(report),
        header=HEADER,
        texts=TEXTS,
        rows=rows(report),
    )
