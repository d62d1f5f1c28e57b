"""Shares at an instant: budgets in effect, moved by exceptions in force."""

from __future__ import annotations

from dataclasses import replace

import pytest

from policyctl.model.policy import Policy, ShareGrant
from policyctl.model.tree import tree_at
from policyctl.units import parse_share
from tests.decide.small import NOW, budget, exception, policy

TREE = {
    "/": {"a": "60%", "b": "30%"},
    "/a": {"x": "1/2", "y": "1/2"},
    "/a/x": {"k": "1/3", "l": "2/3"},
    "/b": {"x": "1"},
}


def absolute(some: Policy, at: int = 0) -> dict[str, str]:
    return {one.path: str(one.absolute) for one in tree_at(some, "p", NOW + at).accounts}


def moved(to: str, source: str, add: str) -> Policy:
    grant = ShareGrant(to=to, source=source, add=parse_share(add))
    return policy(TREE, exceptions=[exception(grant, since=-10, until=10)])


BEFORE = absolute(policy(TREE))


@pytest.mark.parametrize(
    ("to", "source", "add", "changed"),
    [
        pytest.param(
            "/a", "/b", "10%", {"/a", "/a/x", "/a/y", "/a/x/k", "/a/x/l", "/b", "/b/x"}, id="all below scales"
        ),
        pytest.param(
            "/a/x",
            "/b/x",
            "10%",
            {"/a", "/a/x", "/a/x/k", "/a/x/l", "/b", "/b/x"},
            id="a sibling keeps its own",
        ),
        pytest.param(
            "/a/x", "/a/y", "10%", {"/a/x", "/a/y", "/a/x/k", "/a/x/l"}, id="nothing above the ancestor moves"
        ),
        pytest.param(
            "/a/x/k", "/b/x", "30%", {"/a", "/a/x", "/a/x/k", "/b", "/b/x"}, id="a donor may give everything"
        ),
    ],
)
def test_points_move_along_two_branches_only(to: str, source: str, add: str, changed: set[str]) -> None:
    found = absolute(moved(to, source, add))
    assert {path for path in found if found[path] != BEFORE[path]} == changed


def test_points_are_points_of_the_whole_cluster() -> None:
    found = absolute(moved("/a/x", "/b/x", "10%"))
    assert (found["/a"], found["/a/x"], found["/a/y"], found["/a/x/k"]) == ("7/10", "2/5", "3/10", "2/15")
    assert (found["/b"], found["/b/x"]) == ("1/5", "1/5")


def test_an_exception_holds_from_its_start_until_just_before_its_expiry() -> None:
    some = moved("/a", "/b", "10%")
    assert [absolute(some, at)["/a"] for at in (-11, -10, 9, 10)] == ["3/5", "7/10", "7/10", "3/5"]


def test_a_budget_is_followed_by_the_next_without_a_gap() -> None:
    some = policy([budget("/", {"a": "1/4"}, until=0), budget("/", {"a": "3/4"}, since=0)])
    assert [absolute(some, at)["/a"] for at in (-1, 0)] == ["1/4", "3/4"]


def test_a_budget_for_one_pool_replaces_the_general_one_there() -> None:
    general = budget("/", {"a": "1/4", "b": "3/4"})
    some = policy([general, replace(budget("/", {"a": "1"}), pool="p")])
    assert absolute(some) == {"/": "1", "/a": "1", "/b": "0"}
    assert {one.path: str(one.absolute) for one in tree_at(some, "q", NOW).accounts}["/a"] == "1/4"


def test_what_no_budget_in_effect_names_has_no_share_and_does_not_divide() -> None:
    some = policy([budget("/", {"a": "1"}), budget("/a", {"x": "1"}, until=0)])
    accounts = {one.path: one for one in tree_at(some, "p", NOW).accounts}
    assert accounts["/a"].leaf
    assert not accounts["/a/x"].absolute
