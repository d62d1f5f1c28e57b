"""Where the fields of a document are written, also those of rules in a list."""

from __future__ import annotations

import pytest

from policyctl.compile import compile_texts
from policyctl.model.policy import place_of
from policyctl.workspace.shipped import schemas
from tests.cli.program import POLICY

RULES = """\
  approvals:
    - name: large
      when: change.moved > 0.05
      require: [{from: leadership}, {from: owner}]
  gates:
    - {name: small, when: change.moved > 0.2, level: error}
"""
LAST = POLICY.count("\n")


@pytest.mark.parametrize(
    ("field", "line", "column"),
    [
        ("approvals", 1, 3),
        ("approvals.0.name", 2, 13),
        ("approvals.0.when", 3, 13),
        ("approvals.0.require.1.from", 4, 44),
        ("gates.0.when", 6, 27),
        ("gates.1.when", -2, 18),
    ],
)
def test_rules_over_a_change_have_places(field: str, line: int, column: int) -> None:
    text = (POLICY + RULES).encode()
    policy = compile_texts({"policy.yaml": text}, schemas(), now=None).policy
    assert policy is not None
    place = place_of(policy.governance, field)
    assert (place.line, place.column) == (LAST + line, column)
