"""The oracle knows the nouns only: what it checks, it does not import."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ALLOWED = ("policyctl.model.jobs", "policyctl.model.policy", "policyctl.units", "tests.oracle")


@pytest.mark.parametrize("path", sorted(HERE.glob("[a-z]*.py")), ids=lambda path: path.name)
def test_the_oracle_imports_nothing_that_it_judges(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(("policyctl", "tests")):
            assert (node.module or "").startswith(ALLOWED), node.module
