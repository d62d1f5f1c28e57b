"""The codes of findings for people: one line each."""

from __future__ import annotations

from collections.abc import Iterable

from policyctl.catalogue import Rule
from policyctl.diagnostics import Severity
from policyctl.render.terminal import painted

__all__ = ["render"]

_COLOUR = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.NOTE: "cyan"}


def render(rules: Iterable[Rule], *, colour: bool) -> str:
    """Write code, severity and title of each rule in columns, and where to read more."""
    widest = max(len(severity.value) for severity in Severity)
    lines = [
        f"{one.code}  {painted(f'{one.severity.value:<{widest}}', _COLOUR[one.severity], on=colour)}  {one.title}"
        for one in rules
    ]
    return "\n".join([*lines, "", "policyctl rules CODE shows what one means and how to mend it"]) + "\n"
