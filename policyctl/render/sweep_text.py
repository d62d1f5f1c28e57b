"""A sweep for people at a terminal: what to choose and why, the table, and where the options lie."""

from __future__ import annotations

from policyctl.model.sweep import SweepReport
from policyctl.render.sweep_plot import plot
from policyctl.render.sweep_table import HEADER, TEXTS, rows
from policyctl.render.sweep_words import reasons, rhythm, verdict
from policyctl.render.table_text import table
from policyctl.render.terminal import painted, visible
from policyctl.units import format_duration, format_instant

__all__ = ["render"]


def render(report: SweepReport, *, colour: bool) -> str:
    """Write a report."""
    ink = "green" if report.choice.decided else "yellow"
    lines = [
        *_head(report),
        "",
        painted(visible(verdict(report)), ink, on=colour, bold=True),
        *(f"  {visible(reason)}" for reason in reasons(report)),
        "",
        painted("rhythm of the workload", "cyan", on=colour, bold=True),
        *(f"  {visible(sentence)}" for sentence in rhythm(report)),
        "",
        *table(HEADER, rows(report), right=frozenset(range(len(HEADER))) - TEXTS),
    ]
    drawn = plot(report)
    return "\n".join([*lines, *([""] if drawn else []), *drawn]) + "\n"


def _head(report: SweepReport) -> list[str]:
    seeds = ", ".join(map(str, report.seeds))
    said = [visible(report.title)] if report.title else []
    said.append(
        f"from {format_instant(report.start)} to {format_instant(report.end)}, seeds {seeds}, "
        f"submissions up to {format_duration(report.jitter)} later by chance"
    )
    return said + [f"{visible(what)} {digest[:19]}" for what, digest in sorted(report.digests.items())]
