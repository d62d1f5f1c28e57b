"""The page that `policyctl ci` leaves beside its comment, as `diff --report` writes it."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from policyctl.cli.ci_change import Both, with_impact
from policyctl.cli.comparing import Comparison, Replayed
from policyctl.errors import NoAnswer
from policyctl.govern.gates import Unmeasured
from policyctl.govern.judge import Outcome

__all__ = ["PAGE", "page"]

PAGE: Final = "diff.html"


def page(
    found: Both,
    measured: Replayed | Unmeasured | None,
    command: str,
    *,
    author: str | None,
    outcome: Outcome | None,
) -> str:
    """Return the page; a check does not need what draws charts, and goes without them where that is not installed.

    `author` and `outcome` are who made the change and which approvals it has, as far as the check knows.
    """
    # Only a page is made from templates.
    from policyctl.cli.diff_page import page_of  # noqa: PLC0415

    told = Comparison(compared=with_impact(found, measured), base=found.base, head=found.head)
    if isinstance(measured, Replayed):
        told = replace(told, replayed=measured)
    try:
        return page_of(told, command, author=author, outcome=outcome)
    except NoAnswer:
        return page_of(told, command, charts=False, author=author, outcome=outcome)
