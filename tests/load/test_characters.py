"""Bytes to text: encodings, line ends, and characters that nobody sees."""

from __future__ import annotations

import pytest

from policyctl.load.characters import decode
from tests.load.sample import EVERYTHING, load


def spots(data: bytes) -> list[tuple[str, int, int]]:
    return [(one.code, one.place.line, one.place.column) for one in decode("f.yaml", data)[1]]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        pytest.param(b"a: 1\nb: \xff\n", [("Y003", 2, 4)], id="a byte that begins nothing"),
        pytest.param("é: x".encode() + b"\xc3", [("Y003", 1, 5)], id="columns count characters, not bytes"),
        pytest.param("a: ca\ufffd\n".encode(), [("Y003", 1, 6)], id="a letter that was lost before"),
        pytest.param(b"\xff\xfea\x00", [("Y003", 1, 1)], id="utf-16 is named once"),
        pytest.param(
            b"a: \xed\xa0\x80\n", [("Y003", 1, 4), ("Y003", 1, 5), ("Y003", 1, 6)], id="a surrogate"
        ),
        pytest.param(b"a: 1\x00\n", [("Y004", 1, 5)], id="nul"),
        pytest.param("a: x\u202ey\n".encode(), [("Y004", 1, 5)], id="right-to-left override"),
        pytest.param("a: x\u200by\n".encode(), [("Y004", 1, 5)], id="zero width space"),
        pytest.param("a: x\u2028y\n".encode(), [("Y004", 1, 5)], id="a line break that editors do not show"),
        pytest.param("a: x\x85y\n".encode(), [("Y004", 1, 5)], id="next line, a break in YAML 1.1"),
        pytest.param(b"a: x\x0cy\n", [("Y004", 1, 5)], id="form feed"),
        pytest.param("a: 1\n\ufeffb: 2\n".encode(), [("Y004", 2, 1)], id="a byte order mark inside"),
        pytest.param("ok: 1\nname: e\u0301\n".encode(), [("Y005", 2, 7)], id="decomposed accent"),
        pytest.param("name: é 日本 🚀\n".encode(), [], id="ordinary text in any script"),
        pytest.param(b"\xef\xbb\xbfa: 1\r\nb: 2\r\n", [], id="byte order mark at the start, CRLF"),
    ],
)
def test_refused_characters_have_their_place(data: bytes, expected: list[tuple[str, int, int]]) -> None:
    assert spots(data) == expected


def test_repeated_mistakes_of_encoding_are_capped() -> None:
    assert len(decode("f.yaml", b"\xff\n" * 1000)[1]) == 20
    assert len(decode("f.yaml", b"\x01\n" * 1000)[1]) == 20
    assert len(decode("f.yaml", "e\u0301\n".encode() * 1000)[1]) == 20


def test_a_refused_character_does_not_move_the_columns_after_it() -> None:
    text, _ = decode("f.yaml", b"a: \xff\x01b\n")
    assert text == "a: \ufffd\ufffdb\n"


@pytest.mark.parametrize(
    "written",
    [
        pytest.param(EVERYTHING.replace("\n", "\r\n").encode(), id="CRLF"),
        pytest.param(EVERYTHING.replace("\n", "\r").encode(), id="CR alone"),
        pytest.param(b"\xef\xbb\xbf" + EVERYTHING.encode(), id="byte order mark"),
    ],
)
def test_line_ends_and_byte_order_marks_change_nothing(written: bytes) -> None:
    assert load({"policy.yaml": written}) == load({"policy.yaml": EVERYTHING})
    assert load({"policy.yaml": written}).policy is not None


@pytest.mark.parametrize(
    ("escaped", "code"),
    [
        pytest.param(r'"a\u202eb"', "Y004", id="direction override by escape"),
        pytest.param(r'"a\0b"', "Y004", id="nul by escape"),
        pytest.param(r'"e\u0301"', "Y005", id="decomposed by escape"),
    ],
)
def test_escapes_do_not_smuggle_what_is_refused_as_a_character(escaped: str, code: str) -> None:
    text = EVERYTHING.replace('"camera-ready deadline; robotics agreed to lend"', escaped)
    assert [one.code for one in load(text).findings] == [code]
