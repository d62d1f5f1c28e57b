"""A sweep as one page that needs nothing else: the choice with its reasons, the chart, the table, how to make it again."""

from __future__ import annotations

from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined

from policyctl.model.sweep import SweepReport
from policyctl.render.charts.ink import INKS
from policyctl.render.charts.trade import trade
from policyctl.render.sweep_table import HEADER, TEXTS, rows
from policyctl.render.sweep_words import reasons, rhythm, verdict
from policyctl.render.terminal import visible
from policyctl.units import format_duration, format_instant

__all__ = ["render"]


def render(report: SweepReport) -> str:
    """Write the page; the same report gives the same bytes. Raises NoAnswer where matplotlib is not installed."""
    return (
        _environment()
        .get_template("sweep.html.j2")
        .render(
            report=report,
            inks=INKS,
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
    )


@cache
def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader("policyctl.render", "templates"),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.filters["visible"] = visible
    return made
