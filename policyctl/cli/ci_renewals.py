"""What the history of the touched exceptions adds to the findings of a check."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection
from pathlib import Path

from policyctl.agenda.extensions import extensions
from policyctl.agenda.renewals import moved_too_often
from policyctl.diagnostics import Report, ordered
from policyctl.model.policy import Policy
from policyctl.units import Instant

__all__ = ["renewals_judged"]


def renewals_judged(
    report: Report,
    policy: Policy | None,
    folder: Path,
    *,
    touched: Collection[str],
    strict: bool,
    now: Instant,
) -> Report:
    """Return the report with an error for each exception that was renewed too often, in a touched file or if `strict`."""
    if policy is None or policy.governance.max_renewals is None:
        return report
    names = {one.name for one in policy.exceptions if strict or one.place.file in touched}
    if not names:
        return report
    # Only this question needs git.
    from policyctl.workspace.versions import file_versions  # noqa: PLC0415

    extended = {
        one.name: extensions(file_versions(folder, one.place.file).texts, one.name)
        for one in policy.exceptions
    }
    found = moved_too_often(policy, extended=extended, names=names, now=now)
    return dataclasses.replace(report, findings=ordered((*report.findings, *found)))
