"""No text makes reading fail: whatever is written, it is a policy or findings with a place."""

from __future__ import annotations

import random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from jsonschema.exceptions import FormatError

from policyctl.diagnostics import Severity
from policyctl.load.formats import checker
from policyctl.load.policy_text import Loaded
from policyctl.units import BadQuantity
from tests.load.sample import DOCUMENTS, EVERYTHING, SMALLEST, load, schemas
from tests.load.test_schemas import subschemas

PIECES = st.sampled_from(
    [
        *(
            "",
            " ",
            "\n",
            "\t",
            ":",
            "- ",
            "{",
            "}",
            "[",
            "]",
            '"',
            "'",
            "|",
            "&a ",
            "*a",
            "<<: ",
            "!x ",
            "? ",
            "%",
            "@",
        ),
        *(
            "---\n",
            "...\n",
            "~",
            "on",
            "010",
            "1:30",
            "2026-02-30",
            "\u202e",
            "e\u0301",
            "\x00",
            "#",
            "9" * 50,
        ),
        "{a: [1, {b: c}]}",
    ]
)
PATTERNS = {
    (schema["format"], schema["pattern"])
    for kind in DOCUMENTS
    for _, schema in subschemas(schemas()[kind])
    if "format" in schema
}


def lawful(loaded: Loaded) -> None:
    """Check what holds for every answer: a policy exactly without errors, and places inside of the files."""
    failed = any(one.severity is Severity.ERROR for one in loaded.findings)
    assert (loaded.policy is None) == failed
    for one in loaded.findings:
        lines = loaded.sources.get(one.place.file, "").split("\n")
        assert 1 <= one.place.line <= len(lines)
        assert 1 <= one.place.column <= len(lines[one.place.line - 1]) + 1
        assert one.place.column < one.place.end_column or one.code in ("Y011", "S014")
        assert one.message == one.message.strip().rstrip(".")
        assert "\n" not in one.message + (one.help or "")
        assert one.message.isprintable()


@given(
    st.lists(st.tuples(st.integers(0, len(EVERYTHING)), st.integers(0, 12), PIECES), min_size=1, max_size=4)
)
@settings(max_examples=150, deadline=None)
@example([(0, 0, "\ufeff")])
def test_damaged_policies_are_findings(damage: list[tuple[int, int, str]]) -> None:
    """Law: cutting and pasting in a good policy gives findings inside of the text, or another good policy."""
    text = EVERYTHING
    for start, length, piece in damage:
        text = text[:start] + piece + text[start + length :]
    lawful(load(text))


VALUES = st.recursive(
    st.sampled_from(
        ["", "~", "x", "on", "1", "60%", "4h", "/", "'q'", "[]", "{}", "2026-09-01T00:00:00Z", "*a", "-1"]
    ),
    lambda inner: (
        st.lists(inner, max_size=2).map(lambda some: f"[{', '.join(one or 'x' for one in some)}]")
        | st.lists(
            st.tuples(st.sampled_from(["account", "weight", "name", "when", "length", "zz"]), inner),
            max_size=2,
        ).map(lambda some: "{" + ", ".join(f"{key}: {one}" for key, one in some) + "}")
    ),
    max_leaves=4,
)


@given(st.sampled_from(sorted(DOCUMENTS)), VALUES, st.randoms(use_true_random=False))
@settings(max_examples=150, deadline=None)
def test_any_value_in_any_field_is_findings_or_a_policy(kind: str, value: str, rng: random.Random) -> None:
    """Law: whatever stands behind a key, the schema's words or the model take it."""
    lines = DOCUMENTS[kind].split("\n")
    number = rng.choice([index for index, line in enumerate(lines) if ": " in line])
    key, _, _ = lines[number].partition(": ")
    lines[number] = f"{key}: {value}"
    lawful(load({"base.yaml": SMALLEST, "policy.yaml": "\n".join(lines)}))


@pytest.mark.parametrize(("name", "pattern"), sorted(PATTERNS))
def test_a_text_that_fits_the_pattern_is_read_or_refused_with_a_reason(name: str, pattern: str) -> None:
    """Law: whatever an editor lets pass, our reader answers, and nothing else than BadQuantity leaves it."""
    checked = checker()

    @given(st.from_regex(pattern, fullmatch=True))
    @settings(max_examples=40, deadline=None)
    def law(text: str) -> None:
        if not checked.conforms(text, name):
            with pytest.raises(FormatError) as refused:
                checked.check(text, name)
            assert isinstance(refused.value.cause, BadQuantity)
            assert refused.value.cause.help

    law()
