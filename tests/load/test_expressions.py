"""Rules in CEL inside of YAML: problems stand under the characters that cause them, in every style of scalar."""

from __future__ import annotations

import pytest

from tests.load.sample import DOCUMENTS, found, underlined

HEAD = (
    "apiVersion: policyctl/v1\nkind: ProtectionCap\nmetadata: {name: caps}\nspec:\n  account: /\n  rules:\n"
)


@pytest.mark.parametrize(
    ("when", "line"),
    [
        pytest.param("when: job.gpuz >= 64", 8, id="plain"),
        pytest.param("when: job.gpus >= 64 &&\n        job.gpuz >= 64", 9, id="plain over two lines"),
        pytest.param("when: 'job.kind == ''batch'' && job.gpuz >= 64'", 8, id="single quotes"),
        pytest.param('when: "job.kind == \\"batch\\" && job.gpuz >= 64"', 8, id="double quotes"),
        pytest.param('when: "job.kind ==\\\n        \\"batch\\" && job.gpuz >= 64"', 9, id="double quotes, joined"),
        pytest.param("when: |\n        job.nodes > 1\n        && job.gpuz >= 64", 10, id="literal block"),
        pytest.param("when: |-\n        job.nodes > 1\n          && job.gpuz >= 64", 10, id="literal block, stripped"),
        pytest.param("when: >\n        job.nodes > 1\n\n        && job.gpuz >= 64", 11, id="folded block"),
        pytest.param("when: >2- # which jobs\n        job.nodes > 1\n        && job.gpuz >= 64", 10, id="folded block with marks"),
    ],
)  # fmt: skip
def test_the_unknown_field_is_underlined(when: str, line: int) -> None:
    text = f"{HEAD}    - name: large\n      {when}\n      maxProtected: 1h\n"
    (one,) = found(text)
    assert (one.place.line, underlined(text, one)) == (line, "gpuz")
    assert one.code.startswith("C")
    assert one.subject == "ProtectionCap caps"
    assert one.place.path == "spec.rules[0].when"
    assert "gpus" in (one.help or "")


def test_all_problems_of_all_rules_come_at_once() -> None:
    text = DOCUMENTS["ProtectionCap"].replace("job.kind", "jib.kind").replace("job.gpus", "job.gpuz")
    assert [underlined(text, one) for one in found(text)] == ["jib", "gpuz"]


def test_a_rule_is_compiled_although_its_neighbours_are_wrong() -> None:
    text = (
        DOCUMENTS["ProtectionCap"]
        .replace("maxProtected: 12h", "maxProtectd: 12")
        .replace("job.gpus", "job.gpuz")
    )
    assert [underlined(text, one) for one in found(text)] == ["gpuz", "maxProtectd"]


def test_guards_may_speak_of_the_victim_and_caps_may_not() -> None:
    assert found(DOCUMENTS["Preemption"]) == ()
    text = DOCUMENTS["ProtectionCap"].replace("job.gpus", "victim.gpus")
    (one,) = found(text)
    assert underlined(text, one) == "victim"


@pytest.mark.parametrize(
    ("before", "after", "codes"),
    [
        ("change.moved > 0.05", "anything(goes", ["C001"]),
        ("change.moved > 0.05", "impact.overall.wait_change > 3600.0", ["C004"]),
        ("change.tightens", "change.tihgtens", ["C005"]),
        ("impact.overall.wait_change > 3600.0", "impact.visible && change.loosens", []),
        ("impact.overall.wait_change > 3600.0", "impact.overall.wait_chnage > 3600.0", ["C005"]),
        ("impact.overall.wait_change > 3600.0", "change.any", ["C005"]),
        ("change.tightens", "true", []),
    ],
    ids=[
        "syntax",
        "approvals see no impact",
        "unless",
        "gates see the impact",
        "a figure of the impact",
        "a gate's field",
        "no expression",
    ],
)
def test_rules_over_a_change_are_checked(before: str, after: str, codes: list[str]) -> None:
    assert before in DOCUMENTS["Governance"]
    assert [one.code for one in found(DOCUMENTS["Governance"].replace(before, after))] == codes


def test_an_empty_rule_is_a_finding() -> None:
    text = DOCUMENTS["ProtectionCap"].replace("when: job.gpus >= 64", 'when: ""')
    (one,) = found(text)
    assert one.code.startswith("C")
    assert one.place.line == 8
