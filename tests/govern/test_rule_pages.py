"""The tables of the documentation have exactly the fields that rules over a change may use."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from policyctl.expr.change_scope import CHANGE_SHAPE, IMPACT_SHAPE
from policyctl.impact.facts import impact_facts
from policyctl.model.impact import Figure, FigureKind, Impact, ProgramImpact
from policyctl.model.measures import ALL

DOCS = Path(__file__).parent.parent.parent / "docs"
IMPACT = IMPACT_SHAPE["impact"]


def listed(page: str, heading: str) -> list[str]:
    """Return the names in the first column of the table with this first heading."""
    rows = (DOCS / page).read_text().split(f"| {heading} |", 1)[1].split("\n\n", 1)[0].splitlines()[2:]
    return [name for row in rows for name in re.findall(r"`(\w+)`", row.split("|")[1])]


@pytest.mark.parametrize(
    ("page", "heading", "fields"),
    [
        ("approvals.md", "field of `change`", CHANGE_SHAPE["change"]),
        ("ci.md", "field of `impact`", IMPACT),
        ("ci.md", "field of a record", IMPACT["overall"]),
    ],
    ids=["change", "impact", "program"],
)
def test_every_field_is_documented_and_none_is_invented(
    page: str, heading: str, fields: dict[str, object]
) -> None:
    assert sorted(listed(page, heading)) == sorted(fields)


def test_rules_are_given_what_may_be_used() -> None:
    figure = Figure(kind=FigureKind.WAIT, size=ALL, before=60.0, after=90.0, least=30.0, most=30.0)
    one = ProgramImpact(account="/", figures=(figure,))
    found = impact_facts(Impact(seeds=(1,), jobs=2, programs=(one, one)))
    assert list(found) == list(IMPACT)
    (program,) = found["programs"]
    assert list(program) == list(IMPACT["overall"])
    assert (program["wait_change"], program["delivery_before"], program["lost_change"]) == (30.0, 1.0, 0.0)
