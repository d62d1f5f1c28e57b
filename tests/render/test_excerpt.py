"""The shown line and its underline: they stay below each other whatever the line is made of."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from policyctl.diagnostics import Place
from policyctl.render.excerpt import excerpt, source_lines
from policyctl.render.terminal import painted, visible, width

CASES = {
    "plain": ("  owner: me", 10, 12, "  owner: me", "         ^^"),
    "a tab before": ("a:\tb", 4, 5, "a:  b", "    ^"),
    "the tab itself": ("a:\tb", 3, 4, "a:  b", "  ^^"),
    "wide characters before": ("研究室: x", 6, 7, "研究室: x", "        ^"),
    "wide characters underlined": ("k: 研究", 4, 6, "k: 研究", "   ^^^^"),
    "a combining mark takes no column": ("cafe\u0301: x", 8, 9, "cafe\u0301: x", "      ^"),
    "an escape takes four": ("\x1b: x", 4, 5, "\\x1b: x", "      ^"),
    "a carriage return at the end": ("a: bcd\r", 4, 7, "a: bcd", "   ^^^"),
    "an empty span shows where it stands": ("a: b", 4, 4, "a: b", "   ^"),
    "behind the end of the line": ("a:", 3, 4, "a:", "  ^"),
    "far behind the end": ("a:", 30, 40, "a:", "  ^"),
    "an empty line": ("", 1, 2, "", "^"),
    "a space that is none is shown": ("a:\u00a0b", 3, 4, "a:\\xa0b", "  ^^^^"),
    "a zero-width joiner is shown": ("a\u200db", 3, 4, "a\\u200db", "       ^"),
}


def below(line: str, column: int, end_column: int) -> tuple[str, str]:
    place = Place(file="a.yaml", line=2, column=column, end_line=2, end_column=end_column)
    seen = excerpt(source_lines(f"first\n{line}\nthird"), place)
    assert seen is not None
    return seen.line, " " * seen.skip + "^" * seen.marks


@pytest.mark.parametrize("reason", CASES)
def test_the_underline_is_below_the_span(reason: str) -> None:
    line, column, end_column, shown, marks = CASES[reason]
    assert below(line, column, end_column) == (shown, marks)


def test_a_span_of_several_lines_is_underlined_to_the_end_of_its_first() -> None:
    seen = excerpt(
        source_lines("a: |\n  b\n"), Place(file="a.yaml", line=1, column=4, end_line=2, end_column=4)
    )
    assert seen is not None
    assert (seen.line, seen.skip, seen.marks) == ("a: |", 3, 1)


def test_a_line_that_is_not_there_is_not_shown() -> None:
    assert excerpt(source_lines("one\n"), Place(file="a.yaml", line=3, end_line=3)) is None


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("a\nb\n", ["a", "b", ""]),
        ("a\r\nb", ["a", "b"]),
        ("a\rb", ["a", "b"]),
        ("", [""]),
        ("a\n\nb", ["a", "", "b"]),
    ],
)
def test_lines_end_as_yaml_ends_them(text: str, lines: list[str]) -> None:
    assert source_lines(text) == lines


@settings(deadline=None)
@given(
    st.text(
        alphabet=st.one_of(st.characters(exclude_characters="\r\n"), st.sampled_from("\tabc研é")),
        max_size=400,
    ),
    st.integers(1, 420),
    st.integers(1, 60),
)
def test_what_is_shown_fits_and_the_span_is_in_it(line: str, column: int, length: int) -> None:
    shown, marks = below(line, column, column + length)
    assert width(shown) <= 102
    assert len(marks) <= 102
    assert "^" in marks
    assert shown.isprintable()


@pytest.mark.parametrize("at", [0, 40, 99, 100, 101, 500, 996])
def test_the_span_of_a_long_line_is_where_it_is_underlined(at: int) -> None:
    line = "x" * at + "THIS" + "y" * (996 - at)
    shown, marks = below(line, at + 1, at + 5)
    assert shown[marks.index("^") : len(marks)] == "THIS"
    assert ("…" in shown[:1]) == (at > 50)


def test_a_span_longer_than_the_window_is_cut_with_it() -> None:
    shown, marks = below("x" * 300, 1, 301)
    assert shown == "x" * 100 + "…"
    assert marks == "^" * 100


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("é研", "é研"),
        ("\x1b[31m", "\\x1b[31m"),
        ("\x9b", "\\x9b"),
        ("\u202e", "\\u202e"),
        ("\U000e0001", "\\U000e0001"),
        ("a\nb\r\tc", "a\\nb\\r\\tc"),
        ("\ud800", "\\ud800"),
        ("\u2028", "\\u2028"),
    ],
)
def test_what_steers_a_terminal_is_written_out(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_colours_only_where_they_are_on() -> None:
    assert painted("x", "red", on=False) == "x"
    assert painted("x", "red", on=True, bold=True) == "\x1b[1;31mx\x1b[0m"
    assert painted("", "red", on=True) == ""
