"""A comparison of two policies as one page that needs nothing else, with the simulator's charts where both were replayed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from policyctl.model.change import Change, Compared
from policyctl.model.measures import Measures
from policyctl.render import diff_html_approvals, diff_html_impact, diff_html_tables
from policyctl.render.diff_html_approvals import Approvals
from policyctl.render.diff_html_cells import text
from policyctl.render.diff_words import base_words, summary
from policyctl.render.names_text import counted
from policyctl.render.page import page
from policyctl.render.table_text import hours

__all__ = ["DiffReport", "render"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffReport:
    """A comparison with all that its page says beside it.

    `runs` are the base and the head of one seed, empty where nothing was replayed. `command` and `digests` reproduce
    the page.
    """

    compared: Compared
    approvals: Approvals
    runs: tuple[Measures, ...] = ()
    command: str
    version: str
    digests: Mapping[str, str]


def render(report: DiffReport) -> str:
    """Write the page; the same report gives the same bytes.

    Raises NoAnswer where there are charts to draw and matplotlib is not installed.
    """
    compared = report.compared
    change = compared.change or Change()
    note = base_words(compared)
    approvals = diff_html_approvals.told(report.approvals)
    return page(
        "diff.html.j2",
        title=f"Policy change: {summary(compared)}",
        report=report,
        compared=compared,
        note=None if note is None else text(f"{note}."),
        short=_short(report, approvals.short),
        sections=diff_html_tables.sections(change),
        rights=diff_html_tables.rights(change),
        approvals=approvals,
        jobs=None if compared.jobs is None else diff_html_tables.jobs(compared.jobs),
        impact=None if compared.impact is None else diff_html_impact.told(compared.impact),
        charts=diff_html_impact.drawn(report.runs, report.command, report.version),
        seed=report.runs[0].seed if report.runs else None,
    )


def _short(report: DiffReport, approvals: str) -> list[tuple[str, str, str]]:
    """Return what a reviewer reads first: the id of a section, what it is about, and what it comes to."""
    compared = report.compared
    said = [("approvals", "approvals", approvals)]
    if compared.change is not None and (gains := _gains(compared.change)):
        said.insert(0, ("shares", "GPU-hours per window", gains))
    if compared.jobs is not None:
        moved = len(compared.jobs)
        stands = "stands" if moved == 1 else "stand"
        said.append(
            (
                "jobs",
                "jobs of the state",
                f"{counted(moved, 'job')} {stands} differently" if moved else "none stands differently",
            )
        )
    if compared.impact is not None:
        said.append(("impact", "impact on jobs", diff_html_impact.headline(compared.impact)))
    return said


def _gains(change: Change) -> str:
    """Name the accounts that gain and lose most in one pool, of those whose own share changes."""
    moved = sorted(
        (
            (one.gpu_hours_after - one.gpu_hours_before, one.account, one.pool)
            for one in change.shares
            if not one.inherited
        ),
    )
    said = [
        f"`{account}` gains most, +{hours(gain)} in {pool}" for gain, account, pool in moved[-1:] if gain > 0
    ]
    said += [
        f"`{account}` loses most, −{hours(-gain)} in {pool}" for gain, account, pool in moved[:1] if gain < 0
    ]
    return "; ".join(said)
