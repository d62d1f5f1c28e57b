"""Large and hostile texts: what is far too much is refused at its place, what is only large is read."""

from __future__ import annotations

import pytest

from policyctl.load import limits
from policyctl.load.scan import scan
from policyctl.load.texts import read_texts
from tests.load.sample import DOCUMENTS, SMALLEST, load


def test_a_plain_file_of_130_000_lines_is_no_bomb() -> None:
    head = "apiVersion: policyctl/v1\nkind: Budget\nmetadata: {name: wide}\nspec:\n  account: /\n  shares:\n"
    text = head + "".join(f"    child-{number}: 0.0001%\n" for number in range(129_994))
    assert text.count("\n") == 130_000
    loaded = load({"base.yaml": SMALLEST, "large.yaml": text})
    assert loaded.findings == ()
    assert loaded.policy is not None
    assert len(loaded.policy.budgets[0].shares) == 129_994


def test_a_file_of_more_than_8_mib_is_not_read() -> None:
    loaded = load({"base.yaml": SMALLEST, "large.yaml": b"#" * (limits.FILE_BYTES + 1)})
    assert [(one.code, one.message) for one in loaded.findings] == [
        ("Y010", "the file has 8,388,609 bytes; at most 8,388,608 are read")
    ]
    assert "large.yaml" not in loaded.sources


def test_all_files_together_have_at_most_32_mib() -> None:
    files: dict[str, str | bytes] = {f"{number}.yaml": b"#" * limits.FILE_BYTES for number in range(4)}
    loaded = load({**files, "a.yaml": SMALLEST})
    assert [(one.code, one.place.file) for one in loaded.findings if one.code == "Y010"] == [
        ("Y010", "a.yaml")
    ]


@pytest.mark.parametrize("opener", ["[", "{a: ", "- ", "'a': ["])
def test_deep_nesting_is_a_finding(opener: str) -> None:
    loaded = load({"base.yaml": SMALLEST, "deep.yaml": opener * 100_000})
    assert [(one.code, one.place.file) for one in loaded.findings] in (
        [("Y010", "deep.yaml")],
        [("Y002", "deep.yaml")],
    )


def test_broken_documents_without_end_are_capped() -> None:
    loaded = load({"base.yaml": SMALLEST, "many.yaml": "a: [\n---\n" * 10_000})
    assert len(loaded.findings) == limits.FINDINGS_PER_FILE


def test_nodes_are_counted_over_all_files_and_told_once() -> None:
    texts = read_texts({f"{number}.yaml": b"[1, 2, 3]\n" for number in range(9)}, room=10)
    assert [(one.code, str(one.place)) for one in texts.findings] == [("Y010", "2.yaml:1:5")]
    assert texts.incomplete
    assert len(texts.documents) == 2


def test_end_marks_without_end_are_read_in_one_go() -> None:
    scanned = scan("f.yaml", "a: 1\n...\n" * 20_000)
    assert (len(scanned.documents), scanned.findings) == (20_000, ())


def test_a_long_list_beside_refused_values_is_compared_in_one_go() -> None:
    members = ", ".join(f'"@lab/team-{number}"' for number in range(20_000))
    text = DOCUMENTS["Governance"].replace('["@lab/leadership"]', f"[{members}, *a, [1], {{}}]")
    loaded = load({"base.yaml": SMALLEST, "policy.yaml": text})
    assert [one.code for one in loaded.findings] == ["Y006", "S005", "S005"]


def test_a_mapping_of_unknown_fields_is_told_by_its_first_ones() -> None:
    fields = "".join(f"  field-{number}: 1\n" for number in range(20_000))
    loaded = load({"base.yaml": SMALLEST, "policy.yaml": DOCUMENTS["ProtectionCap"] + fields})
    assert {one.code for one in loaded.findings} == {"S003"}
    assert len(loaded.findings) == limits.FINDINGS_PER_FILE
