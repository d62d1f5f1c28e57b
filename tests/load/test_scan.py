"""YAML text to values: the same with the C scanner and with the Python one, and nothing constructed."""

from __future__ import annotations

import tracemalloc
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from policyctl.load.scan import FAST, Scanned, scan
from policyctl.load.values import ListNode, MapNode, Node, Scalar, at, path_text

LOADERS = pytest.mark.parametrize(
    "loader", [pytest.param(yaml.CSafeLoader, id="c"), pytest.param(yaml.SafeLoader, id="python")]
)


def plain(node: Node) -> Any:
    match node:
        case Scalar(text=text):
            return text
        case MapNode(entries=entries):
            return {key: plain(entry.value) for key, entry in entries.items()}
        case ListNode(items=items):
            return [plain(item) for item in items]
        case _:
            return None


def told(scanned: Scanned) -> list[tuple[str, int, int, str]]:
    return [(one.code, one.place.line, one.place.column, one.message) for one in scanned.findings]


def test_the_c_scanner_is_used_where_there_is_one() -> None:
    assert FAST is yaml.CSafeLoader


@LOADERS
def test_scalars_keep_their_text_style_and_place(loader: Any) -> None:
    text = "a: 010\nb: 'it''s'\nc: \"x\\ty\"\nd: |\n  one\n  two\ne: >-\n  one\n  two\nf: [é, yes]\n"
    (root,) = scan("f.yaml", text, loader=loader).documents
    assert plain(root) == {
        "a": "010",
        "b": "it's",
        "c": "x\ty",
        "d": "one\ntwo\n",
        "e": "one two",
        "f": ["é", "yes"],
    }
    styles = [node.style for key in "abcde" if isinstance(node := at(root, (key,)), Scalar)]
    assert styles == ["plain", "single", "double", "literal", "folded"]
    last = at(root, ("f", 1))
    assert last is not None
    assert (last.span.line, last.span.column, last.span.end_column) == (10, 8, 11)


@LOADERS
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            "a: 1\nb: 2\na: 3\n", [("Y001", 3, 1, "duplicate key `a` (first at 1:1)")], id="at the top"
        ),
        pytest.param(
            "x:\n  - {a: 1, 'a': 2}\n",
            [("Y001", 2, 12, "duplicate key `a` (first at 2:6)")],
            id="in a flow mapping, quoted once",
        ),
        pytest.param(
            "a: 1\na: 2\na: 3\n",
            [
                ("Y001", 2, 1, "duplicate key `a` (first at 1:1)"),
                ("Y001", 3, 1, "duplicate key `a` (first at 1:1)"),
            ],
            id="three times",
        ),
        pytest.param("a: &x 1\n", [("Y006", 1, 4, "anchor `&x`")], id="anchor alone"),
        pytest.param("a: *x\n", [("Y006", 1, 4, "alias `*x`")], id="alias of nothing"),
        pytest.param(
            "a: &x [*x]\n",
            [("Y006", 1, 4, "anchor `&x`"), ("Y006", 1, 8, "alias `*x`")],
            id="recursive alias",
        ),
        pytest.param("<<: {a: 1}\nb: 2\n", [("Y007", 1, 1, "merge key `<<`")], id="merge key"),
        pytest.param("a: !!binary x\n", [("Y008", 1, 4, "tag `!!binary`")], id="tag on a scalar"),
        pytest.param("a: !!set {b}\n", [("Y008", 1, 4, "tag `!!set`")], id="tag on a mapping"),
        pytest.param("a: ! b\n", [("Y008", 1, 4, "tag `!`")], id="tag without a name"),
        pytest.param(
            "a: !python/name:os.system x\n", [("Y008", 1, 4, "tag `!python/name:os.system`")], id="python tag"
        ),
        pytest.param("a: !x!y z\n", [("Y008", 1, 4, "a tag")], id="tag of an unknown prefix"),
        pytest.param(
            "%YAML 1.2\n---\na: 1\n", [("Y008", 1, 1, "a directive before the document")], id="directive"
        ),
        pytest.param("? [a]\n: 1\n", [("Y009", 1, 3, "a key that is not text")], id="list as key"),
        pytest.param("{a: 1}: 2\n", [("Y009", 1, 1, "a key that is not text")], id="mapping as key"),
        pytest.param("?\n: 2\n", [("Y009", 1, 2, "no key before the `:`")], id="no key"),
        pytest.param(
            "on: 2\n",
            [("Y009", 1, 1, "the key `on` is the truth value `true` for other YAML readers")],
            id="on as key",
        ),
        pytest.param(
            "1: 2\n", [("Y009", 1, 1, "the key `1` is a number for other YAML readers")], id="number as key"
        ),
        pytest.param("a:\tb\n", [("Y015", 1, 3, "a tab where YAML needs spaces")], id="tab before a value"),
        pytest.param(
            "a: {\n\tb: 1}\n", [("Y015", 2, 1, "a tab where YAML needs spaces")], id="tab in a flow mapping"
        ),
        pytest.param("'on': 1\n\"1\": 2\ny: 3\nn: 4\n", [], id="quoted keys are text"),
        pytest.param("a: |\n  x\ty\n  \tz\nb: 'x\ty'\n", [], id="tabs inside of text are text"),
        pytest.param("a: '&x *y <<'\nb: '!z'\n", [], id="quoted signs are text"),
    ],
)
def test_what_a_governed_file_must_not_contain(
    text: str, expected: list[tuple[str, int, int, str]], loader: Any
) -> None:
    assert told(scan("f.yaml", text, loader=loader)) == expected


@LOADERS
@pytest.mark.parametrize(
    "between",
    [
        pytest.param("---\n", id="bare"),
        pytest.param("--- # c\n", id="with a comment"),
        pytest.param("---   \n", id="with blanks"),
        pytest.param("...\n---\n", id="after an end mark"),
        pytest.param("...\n", id="end mark alone"),
        pytest.param("... # c\n# d\n---\n", id="end mark and comments"),
    ],
)
def test_all_spellings_of_the_separator_separate(between: str, loader: Any) -> None:
    scanned = scan("f.yaml", between.join(("a: 1\n", "b: 2\n", "c: 3\n")), loader=loader)
    assert [plain(one) for one in scanned.documents] == [{"a": "1"}, {"b": "2"}, {"c": "3"}]
    assert scanned.findings == ()


@LOADERS
def test_a_broken_document_does_not_hide_the_others(loader: Any) -> None:
    text = 'a: 1\n---\nb: [1\n---\nc: "x\n---\nd: @x\n---\ne: 5\ne: 6\n'
    scanned = scan("f.yaml", text, loader=loader)
    assert [plain(one) for one in scanned.documents] == [{"a": "1"}, {"e": "5"}]
    assert [(code, line) for code, line, _, _ in told(scanned)] == [
        ("Y013", 3),
        ("Y013", 5),
        ("Y014", 7),
        ("Y001", 10),
    ]
    assert scanned.unread == 3


@LOADERS
def test_findings_name_their_document_and_key_path(loader: Any) -> None:
    text = "kind: Budget\nmetadata: {name: x}\nspec:\n  list: [{a: 1, a: 2}, *b]\n"
    scanned = scan("f.yaml", text, loader=loader)
    assert [(one.subject, one.place.path) for one in scanned.findings] == [
        ("Budget x", "spec.list[0].a"),
        ("Budget x", "spec.list[1]"),
    ]


@LOADERS
@pytest.mark.parametrize("opener", ["[", "{a: ", "- ", "? ", "\n{"])
def test_deep_nesting_is_a_finding_at_its_place(opener: str, loader: Any) -> None:
    scanned = scan("f.yaml", opener * 500, loader=loader)
    assert [(one.code, one.message) for one in scanned.findings] == [
        ("Y010", "nested more than 32 levels deep")
    ]


@LOADERS
def test_thirty_two_levels_are_not_too_deep(loader: Any) -> None:
    assert scan("f.yaml", "[" * 32 + "]" * 32, loader=loader).findings == ()
    (one,) = scan("f.yaml", "[" * 33 + "]" * 33, loader=loader).findings
    assert (one.place.line, one.place.column) == (1, 33)


@LOADERS
def test_documents_after_a_deep_one_are_read(loader: Any) -> None:
    scanned = scan("f.yaml", "[" * 500 + "\n---\na: 1\n", loader=loader)
    assert [plain(one) for one in scanned.documents] == [{"a": "1"}]


def test_an_alias_bomb_is_refused_without_being_expanded() -> None:
    levels = [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
    text = "a0: &a0 lol\n" + "\n".join(levels)
    tracemalloc.start()
    scanned = scan("f.yaml", text)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert {one.code for one in scanned.findings} == {"Y006"}
    assert peak < 2**20
    assert scanned.nodes < 200


def test_reading_stops_at_the_allowed_number_of_nodes() -> None:
    scanned = scan("f.yaml", "a: [1, 2, 3]\n---\nb: 1\n", room=4)
    assert [(one.code, one.place.column) for one in scanned.findings] == [("Y010", 8)]
    assert (scanned.documents, scanned.nodes) == ((), 4)


def test_a_value_may_have_64_kib() -> None:
    assert scan("f.yaml", f"a: {'x' * 2**16}\n").findings == ()
    assert [one.code for one in scan("f.yaml", f"a: {'x' * (2**16 + 1)}\n").findings] == ["Y010"]


@given(
    st.text(alphabet="ab:- \n[]{},'\"|>#&*!%@`?\t.0~<\\x", max_size=40),
)
def test_both_scanners_give_the_same_values_and_no_text_makes_either_fail(text: str) -> None:
    """Law: any text is documents and findings, never an exception; where both read it, they agree."""
    fast, slow = scan("f.yaml", text), scan("f.yaml", text, loader=yaml.SafeLoader)
    if not fast.findings and not slow.findings:
        assert [plain(one) for one in fast.documents] == [plain(one) for one in slow.documents]


@pytest.mark.parametrize(
    ("path", "text"),
    [((), ""), (("spec", "rules", 0, "when"), "spec.rules[0].when"), (("shares", "a.b"), 'shares["a.b"]')],
)
def test_paths_are_written_as_people_read_them(path: tuple[str | int, ...], text: str) -> None:
    assert path_text(path) == text
