"""Trees from a bundle that nobody vouches for: what is wrong with them is said, and nothing crashes."""

from __future__ import annotations

from typing import Any

import pytest

from policyctl.expr.scope import GUARD_SCOPE, JOB_SCOPE
from policyctl.expr.trees import check_tree

YES: list[Any] = ["bool", True]
ONE: list[Any] = ["int", 1]
TEXT: list[Any] = ["string", "a"]
NOW = ["name", "now"]
SPAN = ["field", "job", "min_runtime"]
LABELS = ["field", "job", "labels"]


def nested(depth: int) -> list[Any]:
    tree = YES
    for _ in range(depth):
        tree = ["!", tree]
    return tree


WRONG: dict[str, tuple[Any, str]] = {
    "not a list": ("true", "no operator"),
    "empty": ([], "no operator"),
    "operator is no text": ([1, 2], "no operator"),
    "operator is a list": ([["!"], YES], "no operator"),
    "no such operator": (["frobnicate", YES], "no operator for these"),
    "not a condition": (ONE, "an int, not a bool"),
    "truth as a number": (["bool", 1], "not a bool"),
    "number as truth": (["==", ["int", True], ONE], "not a int"),
    "int as double": (["==", ["double", 1], ONE], "not a double"),
    "double as int": (["==", ["int", 1.0], ONE], "not a int"),
    "infinite double": (["==", ["double", float("inf")], ONE], "not a double"),
    "not a number": (["==", ["double", float("nan")], ONE], "not a double"),
    "int beyond 64 bits": (["==", ["int", 2**63], ONE], "not a int"),
    "duration beyond its range": (["==", SPAN, ["duration", 2**40]], "not a duration"),
    "instant beyond its range": (["==", NOW, ["timestamp", 2**40]], "not a timestamp"),
    "text too long": (["==", TEXT, ["string", "a" * 1001]], "not a string"),
    "two constants in one": (["bool", True, True], "not a bool"),
    "unknown root": (["==", ["name", "later"], NOW], "no variable 'later'"),
    "record as name": (["==", ["name", "job"], NOW], "no variable 'job'"),
    "unknown field": (["has", "job", "gpu"], "no variable 'job.gpu'"),
    "field of a name": (["has", "now", "gpus"], "no variable 'now.gpus'"),
    "field is no text": (["has", "job", 1], "does not name"),
    "field too deep": (["has", "job", "gpus", "x"], "does not name"),
    "variable of guards in a job rule": (["field", "victim", "protected"], "no variable 'victim.protected'"),
    "and of one": (["&&", YES], "no operator for these"),
    "and of a number": (["&&", YES, ONE], "no operator for these"),
    "not of two": (["!", YES, YES], "no operator for these"),
    "choice of two types": (["==", ["?:", YES, ONE, TEXT], ONE], "no operator for these"),
    "comparison of two types": (["==", TEXT, ONE], "no operator for these"),
    "comparison of labels": (["==", LABELS, LABELS], "no operator for these"),
    "sum of two types": (["==", ["+", ONE, ["double", 1.0]], ONE], "no operator for these"),
    "list of two types": (["in", ONE, TEXT], "no operator for these"),
    "in without needle": (["in"], "no operator for these"),
    "label of a text": (["has_label", TEXT, TEXT], "no operator for these"),
    "size of a number": (["==", ["size", ONE], ONE], "no operator for these"),
    "pattern is a tree": (["matches", TEXT, TEXT], "does not take"),
    "bad pattern": (["matches", TEXT, "("], "pattern is not accepted"),
    "pattern too long": (["matches", TEXT, "a" * 501], "pattern is not accepted"),
    "pattern that grows": (["matches", TEXT, "((a{99}){99}){99}"], "pattern is not accepted"),
    "pattern without text": (["matches"], "does not take"),
    "unknown zone": (["==", ["getHours", NOW, "Mars"], ONE], "no time zone 'Mars'"),
    "path as zone": (["==", ["getHours", NOW, "../../etc/passwd"], ONE], "no time zone"),
    "instant without zone": (["==", ["getHours", NOW], ONE], "does not take"),
    "duration with zone": (["==", ["getHours", SPAN, "UTC"], ONE], "does not take"),
    "month of a duration": (["==", ["getMonth", SPAN], ONE], "does not take"),
    "too deep": (nested(49), "too deep"),
    "far too deep": (nested(5_000), "too deep"),
    "too many parts": (["||", *([YES] * 2_000)], "too many parts"),
    "dict inside": (["!", {"a": 1}], "no operator"),
    "null inside": (["!", None], "no operator"),
}


@pytest.mark.parametrize(("tree", "words"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_is_said(tree: Any, words: str) -> None:
    found = check_tree(tree, JOB_SCOPE)
    assert found is not None
    assert words in found
    assert "\n" not in found


RIGHT: dict[str, Any] = {
    "constant": YES,
    "deepest": nested(48),
    "most parts": ["||", *([YES] * 1_999)],
    "mixed numbers": ["<", ONE, ["double", 1.5]],
    "labels chosen": ["has_label", ["?:", YES, LABELS, LABELS], TEXT],
    "empty list": ["in", ONE],
}


@pytest.mark.parametrize("tree", RIGHT.values(), ids=RIGHT)
def test_what_is_right_passes(tree: Any) -> None:
    assert check_tree(tree, JOB_SCOPE) is None


def test_a_guard_may_name_the_victim() -> None:
    assert check_tree(["field", "victim", "protected"], GUARD_SCOPE) is None
