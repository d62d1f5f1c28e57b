"""What documents must be together: singletons, names, caps, and what is missing."""

from __future__ import annotations

import pytest

from tests.load.sample import DOCUMENTS, SMALLEST, load


def told(files: dict[str, str | bytes]) -> list[tuple[str, str, str]]:
    return [(one.code, str(one.place), one.message) for one in load(files).findings]


@pytest.mark.parametrize("kind", ["Cluster", "Accounting", "Preemption", "Governance"])
def test_some_kinds_stand_once(kind: str) -> None:
    other = DOCUMENTS[kind].replace("metadata: {name: ", "metadata: {name: other-")
    files: dict[str, str | bytes] = {
        **{f"{name}.yaml": text for name, text in DOCUMENTS.items()},
        "x.yaml": other,
    }
    message = f"a second {kind}; a policy has one (the first is at {kind}.yaml:3)"
    assert told(files) == [("S013", "x.yaml:3:18", message)]
    (one,) = load(files).findings
    assert [str(related.place) for related in one.related] == [f"{kind}.yaml:3:18"]


@pytest.mark.parametrize("kind", ["Budget", "Exception"])
def test_a_name_is_given_once_per_kind(kind: str) -> None:
    files: dict[str, str | bytes] = {"a.yaml": SMALLEST, "b.yaml": DOCUMENTS[kind], "c.yaml": DOCUMENTS[kind]}
    name = {"Budget": "organization", "Exception": "language-deadline"}[kind]
    message = f"a second {kind} called `{name}` (the first is at b.yaml:3)"
    assert told(files) == [("S012", "c.yaml:3:18", message)]


def test_documents_of_different_kinds_may_share_a_name() -> None:
    text = DOCUMENTS["Budget"].replace("organization", "language-deadline")
    assert told({"a.yaml": SMALLEST, "b.yaml": text, "c.yaml": DOCUMENTS["Exception"]}) == []


def test_an_account_has_one_cap_document() -> None:
    files: dict[str, str | bytes] = {
        "a.yaml": SMALLEST,
        "b.yaml": DOCUMENTS["ProtectionCap"],
        "c.yaml": DOCUMENTS["ProtectionCap"].replace("name: caps", "name: more"),
    }
    message = "a second ProtectionCap for `/` (the first is at b.yaml:5)"
    assert told(files) == [("S018", "c.yaml:5:12", message)]


def test_what_is_missing_is_shown_and_what_is_shown_works() -> None:
    loaded = load({"a.yaml": DOCUMENTS["Budget"]})
    assert [(one.code, one.message) for one in loaded.findings] == [
        ("S014", "no document of kind Accounting"),
        ("S014", "no document of kind Cluster"),
    ]
    shown = [
        (one.help or "").removeprefix("the smallest one: `").removesuffix("`") for one in loaded.findings
    ]
    assert load("\n---\n".join(shown)).policy is not None


def test_no_files_at_all_miss_the_same() -> None:
    assert [(one.code, one.place.file) for one in load({}).findings] == [("S014", "(policy)")] * 2


@pytest.mark.parametrize(
    "broken",
    [
        pytest.param("kind: [Cluster\n", id="a document that is not YAML"),
        pytest.param("kind: Clusterr\n", id="a document of unknown kind"),
        pytest.param("x: 1\n", id="a document without a kind"),
    ],
)
def test_a_document_that_may_be_the_missing_one_is_not_also_missed(broken: str) -> None:
    loaded = load({"a.yaml": broken})
    assert [one.code for one in loaded.findings if one.code == "S014"] == []
    assert len(loaded.findings) == 1


def test_an_invalid_cluster_is_not_also_missing() -> None:
    text = SMALLEST.replace("nodes: 4", "nodes: 0")
    assert [code for code, _, _ in told({"a.yaml": text})] == ["S007"]
