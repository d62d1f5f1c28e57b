"""What YAML 1.1 makes of unquoted scalars, compared with a reader that really does."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from policyctl.load.surprises import is_plain_number, plain_number, surprise

ODD = st.text(alphabet="0123456789_:.-+eExobfnaiyNoTrusl ~", min_size=1, max_size=8)


@pytest.mark.parametrize(
    ("text", "seen", "number"),
    [
        ("on", "the truth value `true`", None),
        ("No", "the truth value `false`", None),
        ("~", "no value", None),
        ("010", "the octal number `8`", "10"),
        ("08", "text or a number", "8"),
        ("0x10", "the number `16`", "16"),
        ("0b11", "the number `3`", "3"),
        ("0o17", "the number `15`", "15"),
        ("1_000", "the number `1000`", "1000"),
        ("+5", "the number `5`", "5"),
        ("1:30", "the number `90` (counted in sixties)", None),
        ("12:30:45", "the number `45045` (counted in sixties)", None),
        ("09:30", "text, although a later hour would be a number", None),
        ("1e3", "a number or text", "1000"),
        ("1.5e-2", "a number or text", "0.015"),
        (".5", "the number `0.5`", "0.5"),
        ("5.", "the number `5`", "5"),
        (".inf", "a number that is not finite", None),
        ("-.INF", "a number that is not finite", None),
        (".nan", "a number that is not finite", None),
        ("2026-02-30", "a date", None),
        ("1e999999999999", "a number or text", None),
    ],
)
def test_a_surprise_says_what_is_seen_and_what_was_meant(text: str, seen: str, number: str | None) -> None:
    odd = surprise(text)
    assert odd is not None
    assert (odd.seen, odd.number) == (seen, number)
    assert number is None or is_plain_number(number)


@pytest.mark.parametrize(
    "text", ["y", "n", "60%", "1/4", "0.10", "-5", "0", "a-1", "1.2.3", "14d", "-", ".", "=="]
)
def test_ordinary_text_and_numbers_are_no_surprise(text: str) -> None:
    assert surprise(text) is None


def test_percentages_are_respelt_with_their_sign() -> None:
    assert plain_number("08%") == "8%"
    assert plain_number("60%") is None


@given(ODD)
def test_whatever_a_yaml_reader_takes_for_no_text_is_a_surprise_or_a_plain_number(text: str) -> None:
    """Law: unless policyctl complains, YAML 1.1 reads a scalar as text or as the number that it looks like."""
    if surprise(text.strip()) is not None:
        return
    try:
        read = yaml.safe_load(f"[{text}]")
    except (yaml.YAMLError, ValueError):
        return
    if not read or len(read) != 1 or isinstance(read[0], str | dict | list):
        return
    assert is_plain_number(text.strip()), f"{text!r} is {read[0]!r}"
