"""Every field of every kind, misspelt once: the first message names it, and says what was meant."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from policyctl.load.scan import scan
from policyctl.load.values import ListNode, MapNode, Node, Scalar
from tests.load.sample import DOCUMENTS, SMALLEST, found, underlined

# The keys of these mappings are names that people choose.
NAMES = {"pools", "shares", "groups"}


def fields(node: Node, inside: str = "") -> Iterator[Scalar]:
    match node:
        case MapNode(entries=entries):
            for name, entry in entries.items():
                if inside not in NAMES:
                    yield entry.key
                yield from fields(entry.value, name)
        case ListNode(items=items):
            for item in items:
                yield from fields(item, inside)
        case _:
            return


def misspelt() -> Iterator[tuple[str, str, str, str]]:
    for kind, text in DOCUMENTS.items():
        (root,) = scan("f.yaml", text).documents
        lines = text.split("\n")
        for key in fields(root):
            wrong = key.text[:1] + key.text[:1] + key.text[1:]
            line = lines[key.span.line - 1]
            mended = line[: key.span.column - 1] + wrong + line[key.span.end_column - 1 :]
            changed = [*lines[: key.span.line - 1], mended, *lines[key.span.line :]]
            yield kind, key.text, wrong, "\n".join(changed)


CASES = list(misspelt())


def beside(kind: str) -> str:
    """Return the smallest policy without the kind in question, if it has it."""
    return "---\n".join(one for one in SMALLEST.split("---\n") if f"kind: {kind}\n" not in one)


@pytest.mark.parametrize(
    ("kind", "field", "wrong", "text"),
    [pytest.param(*case, id=f"{case[0]}-{number}-{case[1]}") for number, case in enumerate(CASES)],
)
def test_a_misspelt_field_is_one_finding_that_names_it(kind: str, field: str, wrong: str, text: str) -> None:
    first, *rest = found(text, beside=beside(kind))
    assert rest == []
    if field == "kind":
        assert (first.code, first.message) == ("S002", "the document has no `kind`")
    else:
        assert (first.code, first.help) == ("S003", f"did you mean `{field}`?")
        assert f"unknown field `{wrong}`" in first.message
    assert underlined(text, first) == wrong


def test_the_table_covers_the_language() -> None:
    assert len(CASES) > 70
    assert {"unusedProtection", "maxGpuHoursPerHour", "weight", "halfLife", "unless"} <= {
        case[1] for case in CASES
    }


@pytest.mark.parametrize(
    ("written", "meant"), [("Budgett", "Budget"), ("budget", "Budget"), ("Exeption", "Exception")]
)
def test_an_unknown_kind_lists_the_kinds_and_the_nearest(written: str, meant: str) -> None:
    (one,) = found(re.sub("kind: Budget", f"kind: {written}", DOCUMENTS["Budget"]))
    assert (one.code, one.message) == ("S002", f"unknown kind `{written}`")
    assert one.help is not None
    assert one.help.startswith(f"did you mean `{meant}`? the kinds are `Cluster`, `Budget`")
    assert underlined(DOCUMENTS["Budget"].replace("Budget", written), one) == written


def test_a_kind_of_another_system_has_no_nearest() -> None:
    (one,) = found("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: x}\nspec: {}\n")
    assert (one.help or "").startswith("the kinds are")
