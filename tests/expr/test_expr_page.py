"""Every example of the page on CEL rules compiles."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from policyctl.expr.compiler import Lowered, compile_expression
from policyctl.expr.faults import _SENTENCES
from policyctl.expr.scope import GUARD_SCOPE

PAGE = (Path(__file__).parent.parent.parent / "docs" / "cel.md").read_text(encoding="utf-8")
RULES = re.findall(r"^when: '(.*)'$", PAGE, re.MULTILINE)


@pytest.mark.parametrize("source", RULES)
def test_rules_of_the_page_compile(source: str) -> None:
    assert isinstance(compile_expression(source, GUARD_SCOPE), Lowered)


def test_the_page_has_rules_names_every_variable_and_every_fault() -> None:
    assert len(RULES) >= 2
    for root, record in GUARD_SCOPE.records.items():
        known = record.keys() - (GUARD_SCOPE.records["job"].keys() if root != "job" else set())
        assert [name for name in sorted(known) if f"`{root}.{name}`" not in PAGE] == []
    assert [code for code in (*_SENTENCES, "missing_label") if f"`{code}`" not in PAGE] == []
