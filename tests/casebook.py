"""Reads the cases and pages of finding codes, and compiles a case as a user's folder would be."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from policyctl.compile import Compiled, compile_texts
from policyctl.units import Instant, parse_instant

ROOT = Path(__file__).parent.parent
CASES = ROOT / "tests" / "cases"
PAGES = ROOT / "docs" / "rules"
NOW = "2026-10-01T00:00:00Z"
"""The instant of cases and pages that do not say their own."""

SCHEMAS = {
    "Accounting": "accounting",
    "Budget": "budget",
    "Cluster": "cluster",
    "Exception": "exception",
    "Governance": "governance",
    "Preemption": "preemption",
    "ProtectionCap": "protection_cap",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """Files, and the findings of one code that they must give; none means that the policy is without errors."""

    code: str
    name: str
    files: Mapping[str, str]
    expect: tuple[Mapping[str, Any], ...]
    now: str = NOW
    base: str | None = None
    also: tuple[str, ...] = ()


def case_codes() -> list[str]:
    return sorted(path.stem for path in CASES.glob("*.yaml"))


def cases(code: str) -> Iterator[Case]:
    for raw in yaml.load((CASES / f"{code}.yaml").read_text(encoding="utf-8"), yaml.CSafeLoader):
        unknown = set(raw) - {"name", "files", "expect", "now", "base", "bare", "also"}
        assert not unknown, f"{code}: `{raw.get('name')}` has unknown keys {sorted(unknown)}"
        yield Case(
            code=code,
            name=raw["name"],
            files=raw["files"],
            expect=tuple(raw["expect"]),
            now=raw.get("now", NOW),
            base=raw.get("base"),
            also=tuple(raw.get("also", ())),
        )


@cache
def schemas() -> dict[str, Any]:
    return {
        kind: json.loads((ROOT / "schemas" / f"{name}.json").read_text(encoding="utf-8"))
        for kind, name in SCHEMAS.items()
    }


def texts(files: Mapping[str, str], *, base: str | None) -> dict[str, str]:
    """Return files, beside them the documents of a base whose kinds the files do not have themselves."""
    if base is None:
        return dict(files)
    added = _lacking(base, "\n".join(files.values()))
    return {**files, "_base.yaml": added} if added else dict(files)


def compiled(files: Mapping[str, str], *, base: str | None = None, now: str = NOW) -> Compiled:
    """Compile files with what a base adds to them."""
    return compile_texts(
        {path: text.encode() for path, text in texts(files, base=base).items()},
        schemas(),
        now=Instant(parse_instant(now)),
    )


def _lacking(base: str, text: str) -> str:
    documents = re.split(
        r"^---\n", (CASES / "_base" / f"{base}.yaml").read_text(encoding="utf-8"), flags=re.MULTILINE
    )
    return "---\n".join(
        one for one in documents if not re.search(rf"^{_kind(one)}", text, flags=re.MULTILINE)
    )


def _kind(document: str) -> str:
    found = re.search(r"^kind: \w+", document, flags=re.MULTILINE)
    assert found is not None
    return found[0]
