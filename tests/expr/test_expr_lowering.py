"""The lowered form of each construct."""

from __future__ import annotations

import json

import pytest

from policyctl.expr.compiler import Lowered, compile_expression
from policyctl.expr.scope import GUARD_SCOPE, JOB_SCOPE
from policyctl.expr.trees import Tree, check_tree
from policyctl.expr.write import expression_text

USER, NODES, LABELS = ["field", "job", "user"], ["field", "job", "nodes"], ["field", "job", "labels"]
YES, ONE, NOW = ["bool", True], ["int", 1], ["name", "now"]

FORMS: dict[str, tuple[str, Tree]] = {
    "the example of the design": (
        'job.gpus >= 64 && job.kind == "batch"',
        [
            "&&",
            [">=", ["field", "job", "gpus"], ["int", 64]],
            ["==", ["field", "job", "kind"], ["string", "batch"]],
        ],
    ),
    "a chain is one node": ("true || true || true", ["||", YES, YES, YES]),
    "and binds before or": ("true || true && true", ["||", YES, ["&&", YES, YES]]),
    "brackets are kept": ("(true || true) || true", ["||", ["||", YES, YES], YES]),
    "comparison joins from the left": ("1 == 1 == true", ["==", ["==", ONE, ONE], YES]),
    "choice joins from the right": (
        "true ? true : true ? true : true",
        ["?:", YES, YES, ["?:", YES, YES, YES]],
    ),
    "subtraction joins from the left": ("1 - 1 - 1 == 1", ["==", ["-", ["-", ONE, ONE], ONE], ONE]),
    "times binds before plus": ("1 + 1 * 1 == 1", ["==", ["+", ONE, ["*", ONE, ONE]], ONE]),
    "minus without blanks": ("job.nodes-1>1", [">", ["-", NODES, ONE], ONE]),
    "negative literal": ("job.nodes > -1", [">", NODES, ["int", -1]]),
    "negative literal apart": ("job.nodes > - 1", [">", NODES, ["int", -1]]),
    "negated bracket": ("job.nodes > -(1)", [">", NODES, ["neg", ONE]]),
    "smallest int": ("job.nodes > -9223372036854775808", [">", NODES, ["int", -(2**63)]]),
    "hexadecimal": ("job.nodes > 0x1F", [">", NODES, ["int", 31]]),
    "doubles": (
        "1.5 > .5 && -1e3 < 0.0",
        ["&&", [">", ["double", 1.5], ["double", 0.5]], ["<", ["double", -1e3], ["double", 0.0]]],
    ),
    "escapes": (r"job.user == '\n\x41\u00e9\U0001d6fc\101\'\?'", ["==", USER, ["string", "\nAé𝛼A'?"]]),
    "raw string": (r"job.user == r'\n'", ["==", USER, ["string", "\\n"]]),
    "triple quotes": ("job.user == '''a'\n'''", ["==", USER, ["string", "a'\n"]]),
    "comment": ("true // always\n && true", ["&&", YES, YES]),
    "comment sign in a text": ("job.user == '//x'", ["==", USER, ["string", "//x"]]),
    "label by name": (
        "job.labels.tier == 'x'",
        ["==", ["label", LABELS, ["string", "tier"]], ["string", "x"]],
    ),
    "label by index": (
        "job.labels['a-b'] == 'x'",
        ["==", ["label", LABELS, ["string", "a-b"]], ["string", "x"]],
    ),
    "label by field": ("job.labels[job.user] == 'x'", ["==", ["label", LABELS, USER], ["string", "x"]]),
    "has a field": ("has(job.time_limit)", ["has", "job", "time_limit"]),
    "has a label": ("has(job.labels.tier)", ["has_label", LABELS, ["string", "tier"]]),
    "label in labels": ("'tier' in job.labels", ["has_label", LABELS, ["string", "tier"]]),
    "in a list of both kinds of number": ("job.nodes in [1, 2.0]", ["in", NODES, ONE, ["double", 2.0]]),
    "in an empty list": ("job.nodes in []", ["in", NODES]),
    "duration": (
        "job.min_runtime > duration('1h30m')",
        [">", ["field", "job", "min_runtime"], ["duration", 5400]],
    ),
    "timestamp": ("now > timestamp('1970-01-02T01:00:00+01:00')", [">", NOW, ["timestamp", 86_400]]),
    "hours in UTC": ("now.getHours() == 1", ["==", ["getHours", NOW, "UTC"], ONE]),
    "hours in a zone": ("now.getHours('-08:00') == 1", ["==", ["getHours", NOW, "-08:00"], ONE]),
    "hours of a duration": ("(now - now).getHours() == 1", ["==", ["getHours", ["-", NOW, NOW]], ONE]),
    "size both ways": ("size(job.user) == job.labels.size()", ["==", ["size", USER], ["size", LABELS]]),
    "matches both ways": (
        "matches(job.user, 'a') || job.user.matches('a')",
        ["||", ["matches", USER, "a"], ["matches", USER, "a"]],
    ),
}


@pytest.mark.parametrize(("source", "tree"), FORMS.values(), ids=FORMS)
def test_lowered_form(source: str, tree: Tree) -> None:
    assert compile_expression(source, JOB_SCOPE) == Lowered(tree=tree)


@pytest.mark.parametrize("tree", [tree for _, tree in FORMS.values()], ids=FORMS)
def test_lowered_form_is_plain_json_that_the_reader_accepts(tree: Tree) -> None:
    assert json.loads(json.dumps(tree)) == tree
    assert check_tree(tree, JOB_SCOPE) is None


@pytest.mark.parametrize("tree", [tree for _, tree in FORMS.values()], ids=FORMS)
def test_written_text_means_the_same(tree: Tree) -> None:
    assert compile_expression(expression_text(tree), JOB_SCOPE) == Lowered(tree=tree)


@pytest.mark.parametrize("root", ["job", "preemptor", "victim"])
def test_guards_see_the_fields_of_jobs_everywhere(root: str) -> None:
    for name in GUARD_SCOPE.records["job"]:
        assert compile_expression(f"has({root}.{name})", GUARD_SCOPE) == Lowered(tree=["has", root, name])
