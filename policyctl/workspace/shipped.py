"""The files that policyctl brings along, in a checkout and in an installed wheel alike."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal

from policyctl.errors import PolicyctlError

__all__ = ["rule_pages", "schemas", "shipped"]

_PACKAGE = Path(__file__).parent.parent
_IN_CHECKOUT = {"schemas": "schemas", "rules": "docs/rules", "scenarios": "scenarios"}


def shipped(kind: Literal["schemas", "rules", "scenarios"]) -> Path:
    """Return the folder of that kind; raises PolicyctlError where the installation lacks it."""
    installed = _PACKAGE / "_shipped" / kind
    checkout = _PACKAGE.parent / _IN_CHECKOUT[kind]
    for folder in (installed, checkout):
        if folder.is_dir():
            return folder
    raise PolicyctlError(f"this installation of policyctl lacks its {kind}", help="install policyctl again")


@cache
def schemas() -> Mapping[str, Any]:
    """Return the JSON Schema of each kind of document, by its kind: those of a policy, `PolicyTest` and `Scenario`."""
    found = [json.loads(path.read_text("utf-8")) for path in sorted(shipped("schemas").glob("*.json"))]
    return {kind: one for one in found if (kind := _kind(one))}


def _kind(schema: Any) -> str | None:
    kind = schema.get("properties", {}).get("kind", {}).get("const")
    return kind if isinstance(kind, str) else None


@cache
def rule_pages() -> Mapping[str, str]:
    """Return the page of each finding code as Markdown, by its code."""
    return {path.stem: path.read_text("utf-8") for path in sorted(shipped("rules").glob("*.md"))}
