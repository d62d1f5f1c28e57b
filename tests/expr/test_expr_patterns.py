"""Patterns: what is refused and where, and that no pattern is slow."""

from __future__ import annotations

import time

import pytest

from policyctl.expr.automaton import automaton
from policyctl.expr.patterns import BadPattern

REFUSED = {
    # reason: (pattern, the part at fault, part of message or help)
    "backreference": (r"(a)\1", r"\1", "backreference"),
    "octal": (r"\0", r"\0", "backreference"),
    "lookahead": ("a(?=b)", "(?=b", "not supported"),
    "lookbehind": ("(?<=a)b", "(?<=", "not supported"),
    "named group": ("(?P<x>a)", "(?P<", "(?:"),
    "flag inside": ("a(?i)b", "(?i)", "very start"),
    "flag for lines": ("(?m)^a", "(?m)", "very start"),
    "possessive": ("a++", "+", "possessive"),
    "possessive count": ("a{2}+", "+", "possessive"),
    "twice repeated": ("a**", "*", "repeated"),
    "count of a count": ("a{2}{3}", "{", "repeated"),
    "python's end": (r"a\Z", r"\Z", r"\z"),
    "word boundary": (r"\ba", r"\b", "word boundaries"),
    "unicode class": (r"\pL", r"\p", "ranges"),
    "posix class": ("[[:alpha:]]", "[:", "ranges"),
    "nothing to repeat": ("*a", "*", "nothing to repeat"),
    "nothing to repeat in a group": ("(+)", "+", "nothing to repeat"),
    "repeated anchor": ("^*", "*", "anchor"),
    "brace alone": ("a{x", "{", r"\{"),
    "python's count from 0": ("a{,3}", "{", r"\{"),
    "count backwards": ("a{3,2}", "{3,2}", "not a possible"),
    "count too large": ("a{1001}", "{1001}", "not a possible"),
    "unclosed group": ("a(b", "(", "never closed"),
    "stray bracket": ("a)b", ")", "closes nothing"),
    "unclosed class": ("a[b", "[", "never closed"),
    "range backwards": ("[z-a]", "z-a", "backwards"),
    "class starts with bracket": ("[]a]", "]", r"\]"),
    "dash between ranges": ("[a-c-e]", "-", r"\-"),
    "trailing backslash": ("a\\", "\\", "backslash"),
    "letter escape": (r"\y", r"\y", "not supported"),
    "quoted text": (r"\Qa\E", r"\Q", "not supported"),
    "case of umlauts": ("(?i)ä", "ä", "ASCII"),
    "deep groups": ("(" * 21 + ")" * 21, "(", "20 deep"),
    "grows too much": ("(a{100}){100}", "(a{100}){100}", "1000 characters"),
    "too long": ("a" * 501, "a" * 501, "500 characters"),
}


@pytest.mark.parametrize(("pattern", "part", "words"), REFUSED.values(), ids=REFUSED)
def test_refused_at_its_place(pattern: str, part: str, words: str) -> None:
    with pytest.raises(BadPattern) as caught:
        automaton(pattern)
    assert pattern[caught.value.start : caught.value.end] == part
    assert words in f"{caught.value} | {caught.value.help}"


FOUND = {
    "anywhere": ("b", "abc", True),
    "empty pattern": ("", "", True),
    "empty text": ("a", "", False),
    "anchored": ("^b", "abc", False),
    "end": ("c$", "abc", True),
    "end is before no newline": ("c$", "abc\n", False),
    "both ends": ("^$", "", True),
    "ends the other way round": ("$^", "", True),
    "dot takes no newline": ("a.b", "a\nb", False),
    "dot takes one code point": ("^.$", "𝛼", True),
    "negated class takes newline": ("a[^x]b", "a\nb", True),
    "count": ("^a{2,3}$", "aaaa", False),
    "count from": ("^a{2,}$", "aaaa", True),
    "lazy": ("^a+?$", "aaa", True),
    "alternatives": ("^(?:r01|r02)$", "r02", True),
    "empty alternative": ("^(a|)$", "", True),
    "digits are ASCII": (r"\d", "٣", False),
    "words are ASCII": (r"\w", "é", False),
    "vertical tab is no space": (r"\s", "\v", False),
    "case": ("(?i)^R01$", "r01", True),
    "kelvin sign is a k": ("(?i)k", "\u212a", True),
    "escaped": (r"^\/\.\{\x41\x{1d6fc}\n$", "/.{A𝛼\n", True),
    "dash at the edge of a class": ("^[a-]+$", "a-a", True),
}


@pytest.mark.parametrize(("pattern", "text", "found"), FOUND.values(), ids=FOUND)
def test_found(pattern: str, text: str, *, found: bool) -> None:
    assert automaton(pattern).search(text) is found


@pytest.mark.parametrize("pattern", ["^(a+)+$", "^(a|a)*$", "(a*)*(a*)*b", "^(a?){50}a{50}$"])
def test_no_pattern_is_slow(pattern: str) -> None:
    started = time.process_time()
    assert automaton(pattern).search("a" * 50_000 + "c") is False
    assert time.process_time() - started < 2.0


def test_hostile_texts_do_not_fill_the_memory() -> None:
    many = automaton("(a|b)*a(a|b){12}c")
    text = "".join("ab"[(number * number >> 3) % 2] for number in range(30_000))
    assert many.search(text) is False
    assert len(many._states) <= 2_001
