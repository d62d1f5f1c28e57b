"""What a condition read of a change: the values that a person needs to see why a gate is closed."""

from __future__ import annotations

from typing import Any

import pytest

from policyctl.expr.change_scope import GATE_SHAPE
from policyctl.expr.change_values import values_read

PROGRAMS = [
    {"account": "/language", "delivery_change": -0.2, "wait_after": 60.0},
    {"account": "/robotics", "delivery_change": 0.1, "wait_after": 30.0},
    {"account": "/vision", "delivery_change": -0.1, "wait_after": 90.0},
]
SEEN: dict[str, Any] = {
    "change": {
        "moved": 0.1,
        "loosens": True,
        "kinds": ["Budget", "Exception"],
        "accounts": [],
        "rights": [{"account": "/language", "kind": "share", "direction": "loosens", "loosens": True}],
        "exceptions": [],
    },
    "impact": {
        "visible": True,
        "jobs": 12,
        "overall": {"account": "/", "wait_after": 50.0},
        "programs": PROGRAMS,
    },
}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("change.moved > 0.05", {"change.moved": 0.1}),
        ("change.moved > 0.05 || change.moved > 0.5", {"change.moved": 0.1}),
        ("change.loosens && impact.jobs > 10", {"change.loosens": True, "impact.jobs": 12}),
        ("'Budget' in change.kinds", {"change.kinds": "Budget, Exception"}),
        ("change.kinds.size() > 1", {"change.kinds": "Budget, Exception"}),
        ("change.accounts.size() > 1", {}),
        ("change.rights[0].kind == 'share'", {"change.rights[0].kind": "share"}),
        (
            "impact.programs.exists(one, one.delivery_change < -0.05)",
            {
                "impact.programs[0].account": "/language",
                "impact.programs[0].delivery_change": -0.2,
                "impact.programs[2].account": "/vision",
                "impact.programs[2].delivery_change": -0.1,
            },
        ),
        (
            "!impact.programs.all(one, one.wait_after > impact.overall.wait_after)",
            {
                "impact.programs[1].account": "/robotics",
                "impact.programs[1].wait_after": 30.0,
                "impact.overall.wait_after": 50.0,
            },
        ),
        ("impact.programs.filter(one, one.wait_after > 1000.0).size() > 0", {}),
        ("impact.programs.exists(change, change.wait_after > 80.0)", {"impact.programs[2].account": "/vision", "impact.programs[2].wait_after": 90.0}),
        ("change.exceptions.exists(one, one.days > 30.0)", {}),
        ("impact.programs.exists(one, one.account > 5)", {}),
        ("impact.programs[7].account == ''", {}),
        ("change.moved >", {}),
        ("true", {}),
    ],
    ids=[
        "one value",
        "each value once",
        "truth and count",
        "texts",
        "the target of a method",
        "no texts",
        "one of many",
        "those for which a loop holds",
        "those for which it does not",
        "none of them",
        "a variable that hides a name",
        "an empty list",
        "a loop without an answer",
        "beyond the end",
        "no expression",
        "nothing read",
    ],
)  # fmt: skip
def test_values(source: str, expected: dict[str, Any]) -> None:
    assert {one.path: one.value for one in values_read(source, SEEN, GATE_SHAPE)} == expected


def test_a_long_loop_is_told_by_its_first_records() -> None:
    many = [{"account": f"/p{number:02}", "delivery_change": -1.0} for number in range(50)]
    found = values_read(
        "impact.programs.exists(one, one.delivery_change < 0.0)", {"impact": {"programs": many}}, GATE_SHAPE
    )
    assert [one.value for one in found] == ["/p00", -1.0, "/p01", -1.0, "/p02", -1.0]
