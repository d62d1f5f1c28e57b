"""The codes of findings for programs, each with its page."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from policyctl.catalogue import Rule

__all__ = ["render"]


def render(rules: Iterable[Rule], pages: Mapping[str, str]) -> str:
    """Write the rules in the order given; `pages` maps codes to Markdown."""
    document = [
        {"code": one.code, "severity": one.severity.value, "title": one.title, "page": pages.get(one.code)}
        for one in rules
    ]
    return json.dumps({"rules": document}, indent=2) + "\n"
