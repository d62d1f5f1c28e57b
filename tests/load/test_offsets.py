"""Characters of a value back to where they are written, in every style that YAML has."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from policyctl.load.offsets import span_of
from policyctl.load.scan import scan
from policyctl.load.values import Scalar, at
from tests.load.test_scan import LOADERS


def written(text: str, part: str, loader: object = yaml.CSafeLoader) -> tuple[str, int, int]:
    """Find `part` in the value of key `w`, and return how, and at which line and column, the file spells it."""
    (root,) = scan("f.yaml", text, loader=loader).documents
    node = at(root, ("w",))
    assert isinstance(node, Scalar)
    start = node.text.index(part)
    lines = text.split("\n")
    span = span_of(node, lines, start, start + len(part))
    assert span.line == span.end_line
    return lines[span.line - 1][span.column - 1 : span.end_column - 1], span.line, span.column


@LOADERS
@pytest.mark.parametrize(
    ("text", "part", "expected"),
    [
        pytest.param("w: a + bad\n", "bad", ("bad", 1, 8), id="plain"),
        pytest.param("x: 1\nw: a +\n   b +\n\n   bad\n", "bad", ("bad", 5, 4), id="plain over lines"),
        pytest.param("w: 'it''s bad'\n", "bad", ("bad", 1, 11), id="single quotes"),
        pytest.param("w: 'x == ''bad'''\n", "'bad'", ("''bad''", 1, 10), id="doubled quotes belong to it"),
        pytest.param("w: 'a\n  b\n\n  bad'\n", "bad", ("bad", 4, 3), id="single quotes over lines"),
        pytest.param('w: "a == \\"x\\" && bad"\n', "bad", ("bad", 1, 19), id="escaped quotes before it"),
        pytest.param(
            'w: "\\x41\\u0042\\U00000043 bad"\n', "bad", ("bad", 1, 26), id="numeric escapes before it"
        ),
        pytest.param('w: "b\\x61d"\n', "bad", ("b\\x61d", 1, 5), id="an escape inside it"),
        pytest.param('w: "a \\\n   bad"\n', "bad", ("bad", 2, 4), id="joined lines"),
        pytest.param('w: "a\\n\\tbad"\n', "bad", ("bad", 1, 10), id="escaped white space before it"),
        pytest.param("w: |\n  a ||\n    bad\n", "bad", ("bad", 3, 5), id="literal block, indented further"),
        pytest.param(
            "w: |2-\n   a\n   bad\n", "bad", ("bad", 3, 4), id="literal block with an indentation mark"
        ),
        pytest.param(
            "w: | # bad comment\n  a\n  bad\n", "bad", ("bad", 3, 3), id="comment beside the block mark"
        ),
        pytest.param("w: >\n  a\n  b\n\n  bad\n", "bad", ("bad", 5, 3), id="folded block"),
        pytest.param(
            "w: >+\n\n  a\n    b\n  bad\n\n", "bad", ("bad", 5, 3), id="folded block that keeps lines"
        ),
        pytest.param(
            "w: [\n]\n".replace("[\n]", "'日本 bad'"), "bad", ("bad", 1, 8), id="wide characters before it"
        ),
    ],
)
def test_the_part_is_found_where_it_is_written(
    text: str, part: str, expected: tuple[str, int, int], loader: object
) -> None:
    assert written(text, part, loader) == expected


TEXTS = st.lists(
    st.text(alphabet="ab'\"\\#:é&| ", min_size=1, max_size=12).map(str.strip).filter(bool),
    min_size=1,
    max_size=6,
).map("\n".join)


@given(TEXTS, st.sampled_from(["'", '"', "|", ">", None]), st.integers(10, 40))
def test_every_character_is_found_at_its_own_writing(value: str, style: str | None, width: int) -> None:
    """Law: whatever style a writer chose, each visible character points at itself or at its escape."""
    text = yaml.safe_dump({"w": value}, default_style=style, width=width, allow_unicode=True)
    (root,) = scan("f.yaml", text).documents
    node = next(iter(root.entries.values())).value  # type: ignore[union-attr]
    assert isinstance(node, Scalar)
    assert node.text == value
    lines = text.split("\n")
    for index, char in enumerate(value):
        if char in " \n":
            continue
        span = span_of(node, lines, index, index + 1)
        here = lines[span.line - 1][span.column - 1 : span.end_column - 1]
        assert here in (char, char * 2, f"\\{char}") or here.startswith("\\"), (here, char, text)
