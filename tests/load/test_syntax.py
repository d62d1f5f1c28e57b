"""The scanner's complaints in our words: one finding for one mistake, whichever scanner met it."""

from __future__ import annotations

from typing import Any

import pytest

from policyctl.load.scan import scan
from tests.load.test_scan import LOADERS

CASES = [
    pytest.param("a:\n\tb: 1\n", "Y015", 2, 1, "a tab where", "use spaces", id="tab indentation"),
    pytest.param("a:\n  b: 1\n\tc: 2\n", "Y015", 3, 1, "a tab where", "use spaces", id="tab among spaces"),
    pytest.param("a: @lab/x\n", "Y014", 1, 4, "cannot begin with `@`", '`"@lab/x"`', id="bare handle"),
    pytest.param("a: [@lab/x, b]\n", "Y014", 1, 5, "cannot begin with `@`", '`"@lab/x"`', id="bare handle in a list"),
    pytest.param("a: %x\n", "Y014", 1, 4, "cannot begin with `%`", '`"%x"`', id="percent sign first"),
    pytest.param("a: *.x\n", "Y014", 1, 4, "cannot begin with `*`", '`"*.x"`', id="pattern"),
    pytest.param('a: && "b"\n', "Y014", 1, 4, "cannot begin with `&`", "`'&& \"b\"'`", id="expression"),
    pytest.param("a: b: c\n", "Y014", 1, 5, "a second `:`", "into quotes", id="colon in text"),
    pytest.param("a: 1\n  b: 2\n", "Y002", 2, 4, "does not fit the line above", "same indentation", id="indented too far"),
    pytest.param("a: [1, 2\nb: 3\n", "Y013", 1, 4, "`[` is not closed by `]`", "close it", id="open list"),
    pytest.param("a: {b: 1\n", "Y013", 1, 4, "`{` is not closed by `}`", "close it", id="open mapping"),
    pytest.param('a: "x\nb: 3\n', "Y013", 1, 4, "quote that opens here", "close it", id="open double quote"),
    pytest.param("a: 'x\nb: 3\n---\nc: 1\n", "Y013", 1, 4, "quote that opens here", "close it", id="open single quote"),
    pytest.param('a: "x\nb: "y"\n', "Y013", 1, 4, "quote that opens here", "close it", id="open quote, another one below"),
    pytest.param('a: "\\d"\n', "Y014", 1, 5, "`\\d` is not an escape", "single quotes", id="regular expression in double quotes"),
    pytest.param('w: "a" == "b"\n', "Y014", 1, 8, "after a closing quote", "single quotes", id="expression that begins with a quote"),
    pytest.param("a:\n   b: 1\n  c: 2\n", "Y002", 3, 3, "fits neither", "align it", id="outdented halfway"),
    pytest.param("a: 1\n- b\n", "Y002", 2, 1, "fits neither", "begin with `- `", id="list item among keys"),
    pytest.param("a: 1\nb\nc: 2\n", "Y002", 2, 1, "`b` has no `:`", "key: value", id="no colon"),
    pytest.param(": 2\n", "Y002", 1, 1, "no key before", "key: value", id="no key"),
    pytest.param("a: [1, , 2]\n", "Y002", 1, 8, "a value is missing", "comma", id="two commas"),
    pytest.param("a: }\n", "Y002", 1, 4, "cannot begin with `}`", "quotes", id="closing bracket first"),
    pytest.param("a: 1\n... b: 2\n", "Y002", 2, 5, "not YAML", "lines around", id="text beside an end mark"),
    pytest.param("a: |x\n  b\n", "Y002", 1, 5, "text after `|`", "next line", id="text beside a block mark"),
]  # fmt: skip


@LOADERS
@pytest.mark.parametrize(("text", "code", "line", "column", "message", "way_out"), CASES)
def test_one_mistake_is_one_finding(  # noqa: PLR0917 - the columns of the table
    text: str, code: str, line: int, column: int, message: str, way_out: str, loader: Any
) -> None:
    (one,) = scan("f.yaml", text, loader=loader).findings
    assert (one.code, one.place.line, one.place.column) == (code, line, column)
    assert message in one.message
    assert way_out in (one.help or "")


@LOADERS
def test_positions_count_from_the_file_also_after_a_broken_document(loader: Any) -> None:
    scanned = scan("f.yaml", "a: [\n---\n\nb: @x\n", loader=loader)
    assert [(one.place.line, one.place.column) for one in scanned.findings] == [(1, 4), (4, 4)]
