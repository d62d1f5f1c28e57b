"""From text to the model: every field arrives, defaults hold, and order means nothing."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from policyctl.diagnostics import Place
from policyctl.model.policy import (
    Accounting,
    CalendarWindow,
    Charge,
    Expression,
    Freeze,
    Governance,
    Period,
    PerJobLimit,
    Policy,
    Preemption,
    ProtectionGrant,
    ShareGrant,
    SlidingWindow,
    Suspension,
    place_of,
)
from policyctl.units import Instant, Seconds, parse_instant
from tests.load.sample import DOCUMENTS, EVERYTHING, SMALLEST, load

HOUR, DAY = 3_600, 86_400


def policy_of(*documents: str) -> Policy:
    loaded = load("---\n".join(documents))
    assert loaded.findings == ()
    assert loaded.policy is not None
    return loaded.policy


def test_the_smallest_policy_has_the_defaults() -> None:
    policy = policy_of(SMALLEST)
    (pool,) = policy.pools
    assert (pool.nodes, pool.gpus_per_node, pool.block_nodes, pool.charge_rate) == (4, 8, None, Fraction(1))
    assert policy.accounting == Accounting(
        name="default", window=SlidingWindow(length=Seconds(14 * DAY)), place=policy.accounting.place
    )
    assert policy.preemption == Preemption(name="(default)", place=Place(file="(default)"))
    assert policy.governance == Governance(name="(default)", place=Place(file="(default)"))
    assert (policy.budgets, policy.caps, policy.exceptions) == ((), (), ())


def test_a_cluster_arrives() -> None:
    (pool,) = policy_of(EVERYTHING).pools
    assert (pool.name, pool.nodes, pool.gpus_per_node, pool.block_nodes) == ("h100", 88, 8, 16)
    assert pool.charge_rate == Fraction(1, 2)


def test_a_budget_arrives_with_weights_as_shares() -> None:
    (budget,) = policy_of(EVERYTHING).budgets
    assert (budget.name, budget.account, budget.pool, budget.owner) == (
        "organization",
        "/",
        "h100",
        "leadership",
    )
    assert budget.period == Period(
        start=parse_instant("2026-07-01T00:00:00Z"), end=parse_instant("2027-01-01T00:00:00Z")
    )
    assert budget.review_by == parse_instant("2026-12-01T00:00:00Z")
    assert [(one.name, one.share) for one in budget.shares] == [
        ("language", Fraction(6, 7)),
        ("robotics", Fraction(1, 7)),
    ]
    assert budget.weighted


def test_accounting_arrives() -> None:
    accounting = policy_of(EVERYTHING).accounting
    assert accounting.window == SlidingWindow(length=Seconds(14 * DAY), half_life=Seconds(7 * DAY))
    assert accounting.charge == Charge(
        protected=Fraction(1),
        after_protection=Fraction(1, 2),
        opportunistic=Fraction(1, 4),
        unused_protection=Fraction(1, 5),
    )
    assert (accounting.credit_limit, accounting.overdraft, accounting.quantum) == (
        2 * DAY,
        Fraction(1, 2),
        1200,
    )


def test_a_calendar_window_is_utc_unless_it_says_otherwise() -> None:
    text = SMALLEST.replace("length: 14d", "calendar: quarter")
    assert policy_of(text).accounting.window == CalendarWindow(unit="quarter", timezone="UTC")


def test_a_cap_arrives_with_its_rules_in_order() -> None:
    (cap,) = policy_of(EVERYTHING).caps
    assert (cap.name, cap.account, cap.default) == ("caps", "/", 4 * HOUR)
    assert [(rule.name, rule.max_protected, rule.when.source) for rule in cap.rules] == [
        ("interactive", 2 * HOUR, 'job.kind == "interactive"'),
        ("large", 12 * HOUR, "job.gpus >= 64"),
    ]
    assert cap.default_place is not None
    assert cap.default_place.path == "spec.default"


def test_preemption_arrives() -> None:
    preemption = policy_of(EVERYTHING).preemption
    assert (preemption.hysteresis, preemption.notice) == (Fraction(1, 20), 120)
    assert preemption.per_job == PerJobLimit(max=3, within=Seconds(DAY))
    assert preemption.max_gpu_hours_per_hour == 64
    assert [(guard.name, guard.reason) for guard in preemption.guards] == [("no-notebooks", "live sessions")]


def test_governance_arrives_and_keeps_change_rules_as_data() -> None:
    governance = policy_of(EVERYTHING).governance
    assert governance.groups == {
        "leadership": ("@lab/leadership",),
        "language-leads": ("@lab/language-leads",),
    }
    assert (governance.max_duration, governance.max_active, governance.max_renewals) == (30 * DAY, 5, 1)
    assert governance.review_every == 90 * DAY
    assert governance.approvals == (
        {
            "name": "large-moves",
            "when": "change.moved > 0.05",
            "unless": "change.tightens",
            "require": [{"from": "leadership", "count": 2}],
        },
    )
    assert governance.gates == (
        {
            "name": "few-losers",
            "when": "impact.overall.wait_change > 3600.0",
            "level": "warning",
            "message": "many would wait",
        },
    )


def test_each_grant_arrives() -> None:
    share = "share: {to: /language/pretrain, from: /robotics, add: 10%}"
    grants = {
        share: ShareGrant(to="/language/pretrain", source="/robotics", add=Fraction(1, 10)),
        "protection: {account: /robotics, maxProtected: 24h}": ProtectionGrant(
            account="/robotics", max_protected=Seconds(DAY)
        ),
        "protection: {job: 12345, maxProtected: 24h}": ProtectionGrant(
            job="12345", max_protected=Seconds(DAY)
        ),
        "suspend: {account: /robotics}": Suspension(account="/robotics"),
        "freeze: {pool: h100}": Freeze(pool="h100"),
    }
    for written, grant in grants.items():
        (one,) = policy_of(SMALLEST, DOCUMENTS["Exception"].replace(share, written)).exceptions
        assert one.grant == grant
        assert (one.ticket, one.requested_by) == ("OPS-123", "@lab/language-leads")
        assert one.period == Period(start=Instant(1_788_220_800), end=Instant(1_789_430_400))
        assert one.grant_place.path == f"spec.{written.split(':')[0]}"


def test_places_lead_to_single_fields() -> None:
    (budget,) = policy_of(SMALLEST, DOCUMENTS["Budget"]).budgets
    assert str(place_of(budget, "owner")) == "policy.yaml:17:10"
    assert place_of(budget, "effective.until").path == "spec.effective.until"
    assert place_of(budget, "nothing") == budget.place
    assert str(budget.shares[0].place) == "policy.yaml:21:5"
    assert replace(budget, places={}) == budget


def test_the_place_of_a_block_rule_is_its_first_line() -> None:
    text = DOCUMENTS["ProtectionCap"].replace("when: job.gpus >= 64,", "when: true,")
    text += "    \n"
    block = text.replace(
        "    - {name: large, when: true, maxProtected: 12h}\n",
        "    - name: large\n      when: |\n        job.gpus\n        >= 64\n      maxProtected: 12h\n",
    )
    (cap,) = policy_of(SMALLEST, block).caps
    when = cap.rules[1].when
    assert (when.source, when.place.line, when.place.column, when.place.end_column) == (
        "job.gpus\n>= 64",
        20,
        9,
        17,
    )


def test_always_and_never_are_written_as_they_are() -> None:
    text = DOCUMENTS["ProtectionCap"].replace("job.gpus >= 64", "true")
    (cap,) = policy_of(SMALLEST, text).caps
    assert isinstance(cap.rules[1].when, Expression)
    assert cap.rules[1].when.source == "true"


@given(st.randoms(use_true_random=False))
def test_the_order_of_files_and_documents_means_nothing(rng: random.Random) -> None:
    """Law: however documents are spread over files, the same policy comes out, but for its places."""
    documents = list(DOCUMENTS.values())
    documents += [
        DOCUMENTS["Budget"]
        .replace("organization", "other")
        .replace("2026-07", "2025-07")
        .replace("2027", "2026"),
        DOCUMENTS["ProtectionCap"]
        .replace("name: caps", "name: more")
        .replace("account: /", "account: /language"),
        DOCUMENTS["Exception"].replace("language-deadline", "another"),
    ]
    rng.shuffle(documents)
    files: dict[str, list[str]] = {}
    for document in documents:
        files.setdefault(f"{rng.randrange(4)}.yaml", []).append(document)
    policy = load({name: "---\n".join(parts) for name, parts in files.items()}).policy
    assert policy is not None
    assert [(one.account, one.name) for one in policy.budgets] == [("/", "other"), ("/", "organization")]
    assert [one.account for one in policy.caps] == ["/", "/language"]
    assert [one.name for one in policy.exceptions] == ["another", "language-deadline"]
    assert list(policy.governance.groups) == ["language-leads", "leadership"]


def test_findings_do_not_depend_on_the_order_of_files() -> None:
    files: dict[str, str | bytes] = {
        f"{name}.yaml": text.replace("policyctl/v1", "policyctl/v9") for name, text in DOCUMENTS.items()
    }
    backwards = dict(reversed(files.items()))
    assert load(files) == load(backwards)
    assert len(load(files).findings) == len(DOCUMENTS)
