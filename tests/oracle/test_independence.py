"""The oracle of decisions knows the nouns only: what it checks, it does not import."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

HERE = Path(__file__).parent
DECISIONS = ("books", "charges", "classes", "fitting", "preemption", "ranking", "rules", "shares", "windows")
ALLOWED = ("policyctl.model.jobs", "policyctl.model.policy", "policyctl.units", "tests.oracle")


@pytest.mark.parametrize("name", DECISIONS)
def test_the_oracle_imports_nothing_that_it_judges(name: str) -> None:
    for node in ast.walk(ast.parse((HERE / f"{name}.py").read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(("policyctl", "tests")):
            assert (node.module or "").startswith(ALLOWED), node.module
