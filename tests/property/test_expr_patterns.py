"""Random patterns: each is refused, or accepted by RE2 too and found in the same texts."""

from __future__ import annotations

import re2  # type: ignore[import-untyped] # google-re2 has no stubs
from hypothesis import given, settings
from hypothesis import strategies as st

from policyctl.expr.automaton import Automaton, automaton
from policyctl.expr.patterns import BadPattern

PIECES = (
    *"abkK1_. -^$|()[]*+?{}\\",
    r"\d",
    r"\w",
    r"\S",
    r"\W",
    "[^a]",
    "[a-k]",
    "(?:",
    "{2}",
    "{0,2}",
    r"\.",
    r"\z",
    r"\A",
    "\n",
    "ſ",
    r"\s",
    "é",
    r"[\d-]",
    r"[^\Wb]",
    r"\x41",
    r"\_",
    "(?i)",
)
CHARS = "abkKsSſ\u212a1_. -\néAB[]"
QUIET = re2.Options()
QUIET.log_errors = False

patterns = st.builds(
    "{}{}".format,
    st.sampled_from(("", "", "(?i)")),
    st.lists(st.sampled_from(PIECES), max_size=8).map("".join),
)


def accepted(pattern: str) -> Automaton | BadPattern:
    try:
        return automaton(pattern)
    except BadPattern as error:
        return error


@settings(max_examples=1_500, deadline=None)
@given(patterns, st.lists(st.text(CHARS, max_size=6), min_size=1, max_size=4))
def test_what_is_accepted_means_what_it_means_in_re2(pattern: str, texts: list[str]) -> None:
    ours = accepted(pattern)
    if isinstance(ours, BadPattern):
        assert 0 <= ours.start < ours.end <= len(pattern)
        return
    theirs = re2.compile(pattern, QUIET)
    for text in texts:
        assert ours.search(text) == bool(theirs.search(text))
