"""What has lapsed by itself, and where that is an error: in a file that a change touches, or where all is to be kept."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection
from typing import Final

from policyctl.diagnostics import Finding, Report, Severity

__all__ = ["LAPSES", "lapses_judged", "warns_besides"]

LAPSES: Final = frozenset({"A010", "A015", "E007"})
"""A review date, the last budget of an account, an exception: found from one second to the next, without a commit."""


def lapses_judged(report: Report, *, touched: Collection[str], strict: bool) -> Report:
    """Return the report with each lapse as an error that stands in one of the files, or anywhere if `strict`.

    All others stay warnings: whoever did not touch a file did not let it lapse.
    """
    judged = tuple(_judged(one, touched=touched, strict=strict) for one in report.findings)
    return dataclasses.replace(report, findings=judged)


def _judged(one: Finding, *, touched: Collection[str], strict: bool) -> Finding:
    if one.code not in LAPSES:
        return one
    if one.place.file in touched:
        why = f"this change touches `{one.place.file}`"
    elif strict:
        why = "`--strict` makes it an error"
    else:
        return one
    return dataclasses.replace(one, severity=Severity.ERROR, message=f"{one.message}; {why}")


def warns_besides(report: Report) -> bool:
    """Say whether there is a warning that is no lapse."""
    return any(one.severity is Severity.WARNING and one.code not in LAPSES for one in report.findings)
