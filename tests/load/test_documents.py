"""Fields that do not go together, lists and periods: what one document cannot say."""

from __future__ import annotations

import pytest

from tests.load.sample import DOCUMENTS, SMALLEST, found, load, underlined

BUDGET, CAP, EXCEPTION = DOCUMENTS["Budget"], DOCUMENTS["ProtectionCap"], DOCUMENTS["Exception"]
GOVERNANCE, PREEMPTION, ACCOUNTING = DOCUMENTS["Governance"], DOCUMENTS["Preemption"], DOCUMENTS["Accounting"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        pytest.param(
            BUDGET.replace("robotics: {weight: 1/2}", "robotics: 40%"),
            [("S015", "robotics: 40%", "`robotics` has a share, its sibling `language` has a weight")],
            id="a share after a weight",
        ),
        pytest.param(
            BUDGET.replace("language: {weight: 3}", "language: 40%"),
            [("S015", "robotics: {weight: 1/2}", "`robotics` has a weight, its sibling `language` has a share")],
            id="a weight after a share",
        ),
        pytest.param(
            BUDGET.replace("2027-01-01", "2026-07-01"),
            [("S016", "2026-07-01T00:00:00Z", "`until` is not after `from`: nothing lies between them")],
            id="empty period",
        ),
        pytest.param(
            BUDGET.replace("2027-01-01T00:00:00Z", "2026-07-01T01:00:00+02:00"),
            [
                (
                    "S016",
                    "2026-07-01T01:00:00+02:00",
                    "`until` is not after `from`: it is 2026-06-30T23:00:00Z, before 2026-07-01T00:00:00Z",
                )
            ],
            id="inverted period that only the offset inverts",
        ),
        pytest.param(
            EXCEPTION.replace("2026-09-15", "2026-08-15"),
            [
                (
                    "S016",
                    '"2026-08-15T00:00:00Z"',
                    "`expires` is not after `starts`: it is 2026-08-15T00:00:00Z, before 2026-09-01T00:00:00Z",
                )
            ],
            id="exception that expires before it starts",
        ),
        pytest.param(
            EXCEPTION + "  freeze: {pool: h100}\n",
            [("S011", "freeze", "`share` and `freeze` exclude each other")],
            id="two grants",
        ),
        pytest.param(
            EXCEPTION.replace("  share: {to: /language/pretrain, from: /robotics, add: 10%}\n", ""),
            [("S011", "spec", "`spec` has none of `share`, `protection`, `suspend` or `freeze`")],
            id="no grant",
        ),
        pytest.param(
            EXCEPTION.replace("  share: {to: /language/pretrain, from: /robotics, add: 10%}", "  shar: {}"),
            [("S003", "shar", "unknown field `shar`")],
            id="a misspelt grant is not also a missing one",
        ),
        pytest.param(
            EXCEPTION.replace("{to: /language/pretrain, from: /robotics, add: 10%}", "{to: /a}"),
            [("S004", "share", "`share` has no `add`"), ("S004", "share", "`share` has no `from`")],
            id="several missing fields",
        ),
        pytest.param(
            EXCEPTION.replace("share: {to: /language/pretrain, from: /robotics, add: 10%}", "protection: {maxProtected: 1h}"),
            [("S011", "protection", "`protection` has none of `account` or `job`")],
            id="protection of nothing",
        ),
        pytest.param(
            EXCEPTION.replace('"@lab/language-leads"', "lab/language-leads"),
            [("S009", "lab/language-leads", "`lab/language-leads` is not a handle")],
            id="handle without its sign",
        ),
        pytest.param(
            EXCEPTION.replace("OPS-123", '""'), [("S010", '""', "`ticket` is empty")], id="empty ticket"
        ),
        pytest.param(
            EXCEPTION.replace("OPS-123", "x" * 201),
            [("S010", "x" * 201, "`ticket` has 201 characters; at most 200 are read")],
            id="long ticket",
        ),
        pytest.param(
            EXCEPTION.replace("  ticket: OPS-123\n", "  ticket:\n"),
            [("S005", "ticket", "`ticket` has no value")],
            id="no ticket behind its key",
        ),
        pytest.param(
            CAP.replace("name: large", "name: interactive"),
            [("S017", "interactive", "`interactive` names two of the rules")],
            id="two rules with one name",
        ),
        pytest.param(
            PREEMPTION.replace("reason: live sessions}", "reason: live}\n    - {name: no-notebooks, when: victim.protected, reason: x}"),
            [("S017", "no-notebooks", "`no-notebooks` names two of the guards")],
            id="two guards with one name",
        ),
        pytest.param(
            GOVERNANCE.replace('["@lab/leadership"]', '["@lab/leadership", "@lab/leadership"]'),
            [("S017", '"@lab/leadership"', "`@lab/leadership` stands twice in `leadership`")],
            id="a member twice",
        ),
        pytest.param(
            GOVERNANCE.replace('["@lab/leadership"]', "[]"), [("S010", "leadership", "`leadership` is empty")], id="empty group"
        ),
        pytest.param(
            GOVERNANCE.replace("level: warning", "level: warn"), [("S006", "warn", "`warn` is not a word for `level`")], id="unknown level"
        ),
        pytest.param(
            PREEMPTION.replace("effect: deny", "effect: allow"), [("S006", "allow", "`allow` is not a word for `effect`")], id="unknown effect"
        ),
        pytest.param(
            PREEMPTION.replace("within: 24h", "within: 24"), [("S008", "24", "`24` is not a duration")], id="no unit"
        ),
        pytest.param(
            BUDGET.replace('{from: "2026-07-01T00:00:00Z", until: 2027-01-01T00:00:00Z}', "{}"),
            [("S010", "effective", "`effective` is empty")],
            id="a period that says nothing",
        ),
        pytest.param(
            BUDGET.replace("  shares:\n    language: {weight: 3}\n    robotics: {weight: 1/2}\n", "  shares: {}\n"),
            [("S010", "shares", "`shares` is empty")],
            id="no shares",
        ),
        pytest.param(
            BUDGET.replace("policyctl/v1", "policyctl/v2"),
            [("S001", "policyctl/v2", "`policyctl/v2` is not a version of the policy language that is known here")],
            id="version of the future",
        ),
        pytest.param(
            BUDGET.replace("metadata: {name: organization}", "metadata: organization"),
            [("S005", "organization", "`organization` is not a mapping of fields")],
            id="text where fields belong",
        ),
        pytest.param("- 1\n- 2\n", [("S005", "- 1", "a document is a mapping of fields, not a list or a single value")], id="a list"),
        pytest.param("hello\n", [("S005", "hello", "a document is a mapping of fields, not a list or a single value")], id="text"),
        pytest.param("a: 1\n", [("S002", "a", "the document has no `kind`")], id="no kind"),
    ],
)  # fmt: skip
def test_one_mistake_is_told_once_at_its_place(text: str, told: list[tuple[str, str, str]]) -> None:
    findings = found(text)
    assert [(one.code, underlined(text, one), one.message) for one in findings] == told
    assert all(one.help for one in findings)


@pytest.mark.parametrize(
    ("window", "told"),
    [
        (
            "{length: 14d, calendar: month}",
            [("S011", "calendar", "`length` and `calendar` exclude each other")],
        ),
        ("{}", [("S011", "window", "`window` has none of `length` or `calendar`")]),
        ("{lenght: 14d}", [("S003", "lenght", "unknown field `lenght`")]),
        ("{calendar: month, halfLife: 7d}", [("S011", "halfLife", "`halfLife` goes with `length` only")]),
        ("{length: 14d, timezone: UTC}", [("S011", "timezone", "`timezone` goes with `calendar` only")]),
        ("{lenght: 14d, halfLife: 7d}", [("S003", "lenght", "unknown field `lenght`")]),
        ("{calendar: weekly}", [("S006", "weekly", "`weekly` is not a word for `calendar`")]),
    ],
)
def test_a_window_slides_or_follows_the_calendar(window: str, told: list[tuple[str, str, str]]) -> None:
    text = ACCOUNTING.replace("{length: 14d, halfLife: 7d}", window)
    findings = found(text, beside=SMALLEST.split("---\n")[0])
    assert [(one.code, underlined(text, one), one.message) for one in findings] == told


def test_every_finding_has_its_document_path_and_place() -> None:
    text = CAP.replace("maxProtected: 2h", "maxProtected: 2")
    (one,) = found(text)
    assert one.subject == "ProtectionCap caps"
    assert str(one.place) == "policy.yaml:7:76"
    assert one.place.path == "spec.rules[0].maxProtected"


def test_what_was_refused_by_the_scan_is_not_told_again_by_the_schema() -> None:
    text = BUDGET.replace("account: /", "account: *a").replace("pool: h100", "<<: {pool: h100}")
    assert [one.code for one in found(text)] == ["Y006", "Y007"]


def test_a_dropped_key_may_have_been_the_missing_one() -> None:
    text = EXCEPTION.replace("  ticket: OPS-123\n", "  <<: *common\n")
    assert [one.code for one in found(text)] == ["Y007"]


def test_independent_mistakes_come_together() -> None:
    text = "---\n".join(
        [
            BUDGET.replace("h100", "H100").replace("account", "acount").replace("2027", "2025"),
            "kind: Budge\n",
            "a: [\n",
            CAP.replace("job.gpus", "job.gpu").replace("4h", "4"),
        ]
    )
    assert [one.code for one in found(text)] == ["S003", "S009", "S016", "S002", "Y013", "C005", "S008"]


def test_a_long_text_does_not_flood_a_message() -> None:
    (one,) = found(BUDGET.replace("owner: leadership", f"owner: {'X' * 5000}"))
    assert len(one.message) < 150
    (two,) = found(BUDGET.replace("owner: leadership", f"ownre: {['x'] * 3000}"))
    assert len(two.message) < 150


def test_a_warning_does_not_stop_the_model() -> None:
    loaded = load({"a.yaml": SMALLEST, "b.yaml": "# nothing yet\n", "c.yaml": "---\n---\n# x\n"})
    assert [(one.code, str(one.place)) for one in loaded.findings] == [
        ("Y011", "b.yaml:1:1"),
        ("Y011", "c.yaml:2:1"),
        ("Y011", "c.yaml:4:1"),
    ]
    assert loaded.policy is not None
    assert loaded.documents == 2
