"""Who must agree to other members of the teams that approve."""

from __future__ import annotations

import pytest

from policyctl.govern.membership import membership_requirements
from tests.diff.policies import BASE, policy

KNOWN = {"@lab/leads": frozenset({"dev4", "dev2"})}


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (KNOWN, KNOWN, []),
        ({}, {"@lab/leads": frozenset()}, []),
        (KNOWN, {**KNOWN, "@lab/other": frozenset({"dev3"})}, [("leads", 2)]),
        (KNOWN, {"@lab/leads": frozenset({"dev4"})}, [("leads", 2)]),
        (KNOWN, {}, [("leads", 2)]),
        ({}, KNOWN, [("anyone", 1)]),
        ({"@lab/leads": frozenset()}, KNOWN, [("anyone", 1)]),
        ({"@lab/other": frozenset({"dev3"})}, {}, [("anyone", 1)]),
    ],
    ids=[
        "nothing changes",
        "a team without anybody is none",
        "another team",
        "one less",
        "the file is gone",
        "the first file",
        "the first people",
        "while nobody is known who owns all",
    ],
)
def test_by_what_was_known_before(
    before: dict[str, frozenset[str]], after: dict[str, frozenset[str]], expected: list[tuple[str, int]]
) -> None:
    found = membership_requirements(policy(BASE), before, after)
    assert [(one.group, one.count) for one in found] == expected


def test_people_whom_governance_names_are_known() -> None:
    named = policy(BASE.replace('leads: ["@lab/leads"]', 'leads: ["@lab/leads", "@dev1"]'))
    (found,) = membership_requirements(named, {}, KNOWN)
    assert (found.group, found.count) == ("leads", 2)
    assert found.why == ("`@lab/leads` has other members: only approvals of the last commit count",)
