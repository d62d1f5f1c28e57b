"""A sweep for people at a terminal: what to choose and why, the table, and where the options lie."""

from __future__ import annotations

from collections.abc import Sequence

from policyctl.model.sweep import SweepReport
from policyctl.render.sweep_plot import plot
from policyctl.render.sweep_table import HEADER, TEXTS, rows
from policyctl.render.sweep_words import reasons, rhythm, verdict
from policyctl.render.table_text import table, wrapped
from policyctl.render.terminal import painted, visible
from policyctl.units import format_duration, format_instant

__all__ = ["render"]


def render(report: SweepReport, *, colour: bool, columns: int | None = None) -> str:
    """Write a report; sentences keep within so many columns, tables are as wide as they are."""
    ink = "green" if report.choice.decided else "yellow"
    lines = [
        *_head(report),
        "",
        painted(visible(verdict(report)), ink, on=colour, bold=True),
        *_sentences(reasons(report), columns),
        "",
        painted("rhythm of the workload", "cyan", on=colour, bold=True),
        *_sentences(rhythm(report), columns),
        "",
        *table(HEADER, rows(report), right=frozenset(range(len(HEADER))) - TEXTS),
    ]
    drawn = plot(report)
    return "\n".join([*lines, *([""] if drawn else []), *drawn]) + "\n"


def _sentences(said: Sequence[str], columns: int | None) -> list[str]:
    width = None if columns is None else columns - 2
    return [f"  {line}" for sentence in said for line in wrapped(visible(sentence), width)]


def _head(report: SweepReport) -> list[str]:
    seeds = ", ".join(map(str, report.seeds))
    said = [visible(report.title)] if report.title else []
    said.append(
        f"from {format_instant(report.start)} to {format_instant(report.end)}, seeds {seeds}, "
        f"submissions up to {format_duration(report.jitter)} later by chance"
    )
    return said + [f"{visible(what)} {digest[:19]}" for what, digest in sorted(report.digests.items())]
